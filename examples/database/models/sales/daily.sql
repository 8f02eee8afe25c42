SELECT CAST(order_ts AS DATE) AS day, currency, count(*) AS orders, sum(amount) AS amount
FROM shop.orders
WHERE order_ts >= @start_date AND order_ts < @end_date
GROUP BY CAST(order_ts AS DATE), currency
