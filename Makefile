# The verbs of this repository; `make help` lists them. CI runs the same ones.
SHELL := /bin/sh
# The newest Python between 3.11 and 3.14 on the PATH that really runs (a version manager's shim may not).
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# Every test and the demo start many processes; without bytecode each compiles all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup check test test-unit e2e fuzz demo cluster node generate update clean

help: ## list the verbs
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

setup: $(READY) ## make .venv with everything, also for development

$(READY): requirements/dev.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 to 3.14 is needed and none was found; set PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

check: $(READY) ## format, lint, types, import directions
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/mypy
	$(BIN)/mypy tests
	$(BIN)/mypy -p examples.demo
	$(BIN)/mypy -p image
	$(BIN)/lint-imports

test: $(READY) ## everything: unit tests, tests on a real control plane, and e2e where it can run
	$(BIN)/python -m tests.kubernetes build
	$(BIN)/python -m tests.servers
	$(BIN)/python -m tests.monitoring
	$(BIN)/python -m tests.image
	$(BIN)/python -m pytest tests --ignore tests/e2e --numprocesses 2 --dist worksteal
	$(BIN)/python -m tests.e2e --where-possible

test-unit: $(READY) ## the unit tests alone, in seconds
	$(BIN)/python -m pytest tests/unit --numprocesses 2

e2e: $(READY) ## the tests in which pods run, on a real node: Linux and root
	$(BIN)/python -m tests.e2e

fuzz: $(READY) ## the promises over 100,000 pairs of schemas and many examples; for a night
	PROXAR_FUZZ_PAIRS=100000 PROXAR_HYPOTHESIS_PROFILE=thorough \
		$(BIN)/python -m pytest tests/soundness tests/unit/contract --timeout 0 --numprocesses 2

demo: $(READY) ## the main job end to end on a real control plane, in under a minute
	$(BIN)/python -m examples.demo

cluster: $(READY) ## a real control plane with CRD and RBAC to play with, until Ctrl-C
	$(BIN)/python -m tests.kubernetes up

node: $(READY) ## a real node to play with, on which pods run, until Ctrl-C: Linux and root
	$(BIN)/python -m tests.kubernetes node

generate: $(READY) ## rewrite what is generated: chart copies, reference pages
	$(BIN)/python -m tests.support.generate

update: $(READY) ## move every pinned version to the newest that pyproject.toml allows
	$(BIN)/python -m tests.support.lock

clean: ## forget .venv and caches of this checkout
	rm -rf $(VENV) .cluster build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
