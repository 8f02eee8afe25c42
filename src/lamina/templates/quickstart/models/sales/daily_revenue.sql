SELECT
  order_date,
  count(*) AS orders,
  count(DISTINCT customer_id) AS customers,
  sum(amount) AS revenue
FROM completed_orders
WHERE order_date >= @start_date
  AND order_date < @end_date
GROUP BY order_date
