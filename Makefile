# Everything a developer does. A bare `make` lists it.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := list
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# What can be set: make setup EXTRAS="sim dev" (no Spark), make fuzz EXAMPLES=1000, make studies SCALE=ci
PYTHON ?= python3
EXTRAS ?= sim spark live ui dev
EXAMPLES ?=
SCALE ?= full
CORES ?= 2

DECODERS := tests/core/test_wire.py tests/live/test_datagram.py
BIN := .venv/bin
STAMP := .venv/.stamp
PYTEST := $(BIN)/python -m pytest

.PHONY: list setup demo test check fmt types fuzz swarm bench studies docs web soak clean static java smoke

list:
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "%-8s %s\n", $$1 ":", $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## create .venv and install the package with all extras
	@echo "setup: .venv is up to date"

$(STAMP): pyproject.toml $(wildcard requirements/*.txt) tools/setup.sh
	@PYTHON="$(PYTHON)" tools/setup.sh $(EXTRAS)
	@touch $@

demo: $(STAMP) ## run a field, print what was delivered, judge it, draw pictures in out/demo
	$(BIN)/motecast sim examples/field.toml --level full --trace out/demo
	$(BIN)/motecast check out/demo
	$(BIN)/motecast plot out/demo

test: java static docs smoke ## everything that must hold: static checks, documents, every test
	HYPOTHESIS_PROFILE=ci $(PYTEST) -n $(CORES) --dist loadgroup src tests docs README.md

check: static ## the fast loop, under a minute: format, lint, types, imports, ratchet, fast tests
	HYPOTHESIS_PROFILE=ci $(PYTEST) -q -n $(CORES) -m "not spark and not slow" tests

static: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python tools/tidy.py

java:
	@tools/java.sh

fmt: $(STAMP) ## format the code and mend what the linter can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

types: $(STAMP) ## check the types alone
	$(BIN)/mypy

fuzz: $(STAMP) ## 100,000 inputs to the decoders, 3,000 to every other test marked fuzz (EXAMPLES=n: to all)
	HYPOTHESIS_PROFILE=fuzz EXAMPLES=$(or $(EXAMPLES),100000) $(PYTEST) -q -m fuzz -n $(CORES) $(DECODERS)
	HYPOTHESIS_PROFILE=fuzz EXAMPLES=$(or $(EXAMPLES),3000) $(PYTEST) -q -m fuzz -n $(CORES) tests $(DECODERS:%=--ignore=%)

swarm: $(STAMP) ## draw whole worlds at random and look for a violation (EXAMPLES=500)
	@if [ -d tests/swarm ]; then set -x; HYPOTHESIS_PROFILE=fuzz EXAMPLES=$(or $(EXAMPLES),500) $(PYTEST) -n $(CORES) tests/swarm; \
	else echo "swarm: tests/swarm does not exist yet"; fi

bench: $(STAMP) ## measure against peers in the same run; results in bench/out/*.json
	@mkdir -p bench/out
	@for file in bench/[!_]*.py; do \
	  [ -e "$$file" ] || { echo "bench: no benchmarks yet"; break; }; \
	  echo "bench: $$file"; $(BIN)/python "$$file" --json "bench/out/$$(basename "$$file" .py).json"; done

studies: $(STAMP) ## run every study and judge its claims (SCALE=full, ci or smoke)
	@if [ ! -e src/motecast/cli/study.py ]; then echo "studies: none yet"; exit; fi; failed=0; \
	names=$$($(BIN)/motecast study list --json | $(BIN)/python -c \
	  'import json, sys; print(*(study["name"] for study in json.load(sys.stdin)["studies"]))'); \
	for name in $$names; do $(BIN)/motecast study "$$name" --scale $(SCALE) || failed=1; done; exit $$failed

smoke:
	@$(MAKE) studies SCALE=smoke

docs: $(STAMP) ## build the documents into docs/_build, every warning an error
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build

web: $(STAMP) ## build the web page into src/motecast/ui
	@if [ -e web/package.json ]; then cd web && npm ci && npm run build; \
	else echo "web: the page does not exist yet"; fi

soak: $(STAMP) ## run the live network for a long time and watch its limits
	@if [ -d tests/soak ]; then set -x; $(PYTEST) -s tests/soak; \
	else echo "soak: tests/soak does not exist yet"; fi

clean: ## remove what make made, the environment too
	rm -rf .venv out build dist bench/out docs/_build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests tools bench examples -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
