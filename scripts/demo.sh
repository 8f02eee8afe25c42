#!/usr/bin/env bash
# The quickstart for real: first build, new and late rows, exactly the right rebuild, proof, nothing to do.
set -euo pipefail
cd "$(dirname "$0")/.."

shop=build/demo/shop
export PATH="$PWD/.venv/bin:$PATH"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() { printf '\033[36m$ %s\033[0m\n' "$*"; "$@" --output text; }

rm -rf build/demo
mkdir -p build/demo
say "1. A new project: ten days of orders, a handful of models"
run lamina init "$shop"
cd "$shop"

say "2. The first run builds every table, on real Spark and Iceberg"
run lamina run

say "3. A new day of orders arrives, and with it some late rows of days long past"
printf '\033[36m$ cp data/arrivals/orders/*.csv data/raw/orders/\033[0m\n'
cp data/arrivals/orders/*.csv data/raw/orders/
run lamina plan

say "4. The next run rebuilds just the days that changed, and says why"
run lamina run

say "5. Proof: every table equals a recompute over the inputs it consumed"
run lamina verify

say "6. Nothing new: the third run has nothing to do, and starts no JVM"
run lamina run

say "The project is in $shop: look around with \`lamina status\`, \`lamina show sales.daily_revenue\`, \`lamina lineage sales.daily_revenue.revenue\`"
