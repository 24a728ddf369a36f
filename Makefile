# Overture on one machine: `make run` starts it, `make test` tests it. Each fetches what it needs the first time.

PYTHON ?= $(shell sh tools/python.sh)
BIN := .venv/bin
PORT ?= 8000
# Two more than there are cores: tests wait for browsers, databases and processes, too.
WORKERS ?= $(shell $(BIN)/python -c 'import os; print(min(os.cpu_count() + 2, 12))')
# A test that takes a quarter of an hour goes round in circles: it fails, with the line where it stands.
STUCK := -o faulthandler_timeout=900 -o faulthandler_exit_on_timeout=true
export PORT
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help setup run test lint format docs revision verify clients release ways bench clean

help: ## Show what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(BIN)/.ready-dev ## Install everything that running and testing need into .venv

run: $(BIN)/.ready ## Start Overture on http://127.0.0.1:8000 (PORT, DATABASE_URL and the other settings apply)
	@$(BIN)/overture db upgrade
	@exec $(BIN)/overture serve --port $(PORT)

test: $(BIN)/.ready-dev ## Run what every push must pass, on both databases and in a browser (ARGS="-k leads" narrows it)
	@$(BIN)/python tests/browser.py
	@env -u PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX=$(CURDIR)/.venv/compiled \
		$(BIN)/python -m pytest --db both -n $(WORKERS) --dist worksteal --durations=15 $(STUCK) $(ARGS)

verify: $(BIN)/.ready-dev ## Run the long tests that need no run with every change (ARGS="kills upgrade" names parts)
	@$(BIN)/python tools/verify.py $(ARGS)

lint: $(BIN)/.ready-dev ## Check style, types and import directions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(BIN)/.ready-dev ## Put the code into its form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(BIN)/.ready-dev ## Write the tables of settings and commands in docs from the code
	$(BIN)/python tools/reference.py

revision: $(BIN)/.ready-dev ## Write the next migration from the models (NAME="words")
	@test -n "$(NAME)" || { echo 'Name it: make revision NAME="what changes"'; exit 1; }
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
		export OVERTURE_INSTANCE="$$folder" DATABASE_URL="sqlite:///$$folder/newest.db" && \
		$(BIN)/flask --app wsgi db upgrade && $(BIN)/flask --app wsgi db migrate -m "$(NAME)"

clients: $(BIN)/.ready-dev ## Generate, check and build the clients, and the nodes for n8n, into their dist folders
	@$(BIN)/python tools/clients.py python typescript n8n java lint
	cd clients/python && $(CURDIR)/$(BIN)/python -m mypy && $(CURDIR)/$(BIN)/python -m hatchling build --clean
	$(BIN)/python -m pytest clients/python/tests tests/integrators $(ARGS)

release: clients ## Put the files of a release into dist: the wheel, the clients and the nodes for n8n
	rm -rf dist && $(BIN)/python -m hatchling build --target wheel
	cp clients/*/dist/*-$$($(BIN)/overture --version)* integrations/n8n/dist/*-$$($(BIN)/overture --version).tgz dist

ways: $(BIN)/.ready-dev ## Print the files and SQL statements of five common ways (WHOLE=1 names each)
	@OVERTURE_WHOLE_WAYS=$(WHOLE) $(BIN)/python -m pytest tests/house/test_ways.py -q -s

bench: $(BIN)/.ready-dev ## Measure speed
	@$(BIN)/python tests/browser.py
	$(BIN)/python -m pytest tests/bench -s $(ARGS)

clean: ## Remove what was installed and cached; instance/ with its database stays
	rm -rf .venv .pytest_cache .ruff_cache .mypy_cache .import_linter_cache .hypothesis .verify test-results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/.ready: pyproject.toml uv.lock tools/install.py app/core/installation.py
	@echo "Preparing .venv, once."
	@"$(PYTHON)" tools/install.py
	@touch $@

$(BIN)/.ready-dev: pyproject.toml uv.lock tools/install.py app/core/installation.py
	@echo "Preparing .venv for tests, once."
	@"$(PYTHON)" tools/install.py --dev
	@touch $@ $(BIN)/.ready
