-- No table of its own: inlined wherever it is read.
SELECT
  order_id,
  customer_id,
  order_date,
  amount
FROM staging.orders
WHERE status = 'completed'
  AND amount >= @min_amount
