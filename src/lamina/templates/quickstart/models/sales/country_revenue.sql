SELECT
  countries.country,
  countries.region,
  count(*) AS orders,
  sum(completed.amount) AS revenue
FROM completed_orders AS completed
JOIN staging.customers AS customers
  ON customers.customer_id = completed.customer_id
JOIN main.countries AS countries
  ON countries.country_code = customers.country_code
GROUP BY countries.country, countries.region
