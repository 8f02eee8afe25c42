SELECT o.id, CAST(o.amount * r.in_euro AS DECIMAL(12, 2)) AS euro
FROM shop.orders AS o
JOIN shop.rates AS r ON r.currency = o.currency
