# Every target prepares the machine first; see scripts/setup.sh.
.DEFAULT_GOAL := help
.PHONY: help setup demo test test-pure test-simulation test-spark check bench campaign agreement docs clean

python := .venv/bin/python
pytest := $(python) -m pytest -q
# Tests start many processes, which would all compile the package again where an image forbids to keep bytecode.
unexport PYTHONDONTWRITEBYTECODE

help: ## List every target with a sentence
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install Python packages, Java, jars and PostgreSQL (for tests) where they are missing
	@scripts/setup.sh

demo: setup ## Build the quickstart on real Spark: new and late rows, proof, nothing to do
	@scripts/demo.sh

test: test-pure test-simulation test-spark ## Run all tests: pure, then the simulation, then Spark

test-pure: setup ## Run the tests that need neither Java nor patience
	@$(pytest) -n 2 --dist loadfile -m "not spark and not simulation and not kill"

test-simulation: setup ## Run random schedules against the recompute oracle
	@$(pytest) -s -m simulation

test-spark: setup ## Run the tests on real Spark, kill tests included
	@$(pytest) -m "spark or kill"

check: setup ## Check format, lint, types and import direction
	@.venv/bin/ruff format --check .
	@.venv/bin/ruff check .
	@.venv/bin/mypy
	@$(pytest) tests/test_imports.py

bench: setup ## Measure compile times beside the reference figures, and the engine beside a hand-written script
	@$(python) -m benchmarks.compile
	@$(python) -m benchmarks.engine

campaign: setup ## Fuzz, simulate and kill for a long time with fresh seeds; results are recorded
	@LAMINA_FUZZ_SECONDS=600 $(pytest) tests/fuzz -s
	@$(python) -m tests.campaigns.simulate --seconds 600
	@$(python) -m tests.campaigns.kill --kills 200

agreement: setup ## Compare inferred types with Spark's analyzer and write the figure down
	@$(python) -m tests.spark.agreement

docs: setup ## Write the generated pages and schemas again
	@$(python) scripts/generate_rules.py
	@$(python) scripts/generate_schemas.py
	@$(python) scripts/generate_cli_reference.py

clean: ## Remove caches and build products, keeping .venv
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
	@find . -name __pycache__ -not -path './.venv/*' -type d -prune -exec rm -rf {} +
