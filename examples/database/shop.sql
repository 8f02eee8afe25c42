CREATE TABLE orders (
    id        bigint PRIMARY KEY,
    order_ts  timestamptz NOT NULL,
    currency  text NOT NULL,
    amount    numeric(10, 2) NOT NULL,
    loaded_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX ON orders (loaded_at);
CREATE TABLE rates (currency text PRIMARY KEY, in_euro numeric(12, 6) NOT NULL);

INSERT INTO orders (id, order_ts, currency, amount) VALUES
    (1, '2026-04-06 09:30:00Z', 'SEK', 100.00),
    (2, '2026-04-06 23:59:59Z', 'EUR', 20.00),
    (3, '2026-04-07 00:00:00Z', 'EUR', 5.50);
INSERT INTO rates VALUES ('EUR', 1), ('SEK', 0.09);
