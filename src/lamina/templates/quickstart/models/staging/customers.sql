-- One row per customer: the newest export of each wins, whatever order the files arrive in.
SELECT
  customer_id,
  trim(name) AS name,
  upper(country) AS country_code,
  updated_at
FROM raw.customers
WHERE customer_id IS NOT NULL
