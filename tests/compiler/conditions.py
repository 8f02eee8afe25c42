"""Conditions of checks that Spark cannot run, each with the code of what is found, and those it can."""

REFUSED = {
    "amount >": "L259",
    "amount > 0, id": "L259",
    "amount > 0 AS good": "L259",
    "amount > 0 -- cents": "L259",
    "amount > 0) FROM other WHERE (true": "L259",
    "": "L259",
    "amount": "L259",
    "day": "L259",
    "array(id)": "L259",
    "sum(amount) > 0": "L259",
    "some(amount > 0)": "L259",
    "row_number() OVER (ORDER BY id) > 0": "L259",
    "amount > @start_date": "L259",
    "amount > :limit": "L259",
    "amout > 0": "L255",
    "id IN (1, 2) AND upper(nmae) = 'A'": "L255",
    "lenght(name) > 0": "L217",
    "levenshtein(name) > 1": "L221",
}
ACCEPTED = [
    "amount > 0",
    "AMOUNT > 0 AND `id` IS NOT NULL",
    "name",
    "NULL",
    "detail.size > 0",
    "exists(array(id), item -> item > 0)",
    "CASE WHEN amount > 0 THEN id > 0 END",
    "id IN (SELECT explode(array(1, 2)))",
    "amount > 0) AND (id > 0",
    "day <= current_date",
]
