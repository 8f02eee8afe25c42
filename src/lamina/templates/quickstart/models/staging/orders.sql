-- Orders with clean values; new files are appended, old ones are not read again.
SELECT
  order_id,
  customer_id,
  order_date,
  amount,
  lower(trim(status)) AS status
FROM raw.orders
WHERE order_id IS NOT NULL
  AND order_date IS NOT NULL
