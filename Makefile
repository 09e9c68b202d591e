# make demo    trains a network with a MindSpore script, on JAX
# make test    runs the tests
# Both begin by making an environment in .venv, which needs Python 3.11 or newer and the package index. Later they need neither.
# `make test CONSTRAINTS=constraints.txt` takes the versions in that file, in an environment of their own.

CONSTRAINTS ?=
VENV ?= $(if $(CONSTRAINTS),.venv-constrained,.venv)
DEMO ?= examples/train_digits.py
JOBS ?= $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); echo $$((n < 8 ? n : 8)))
# The interpreter that .venv is made with: python3 if it is new enough and can make environments, or else another one.
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.14 python3.11 python; do \
	$$python -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$python && break; done)
BIN := $(VENV)/bin
# -I: the environment's own packages, whatever PYTHONPATH says.
PIP := $(BIN)/python -I -m pip --quiet --disable-pip-version-check

.PHONY: help demo test lint format types docs site bench check clean

help:
	@echo "make demo     train on handwritten digits: a MindSpore script under 'msjax run'"
	@echo "make test     the tests, the doctests and the examples in the texts"
	@echo "make lint     ruff: mistakes and layout      make format   lets ruff correct them"
	@echo "make types    pyright"
	@echo "make docs     only the doctests and the texts"
	@echo "make site     the pages of docs/ as a site, in site/; a link that leads nowhere is an error"
	@echo "make bench    the benchmarks (CLOCK=cpu make bench: CPU time, for a busy machine; docs/performance.md)"
	@echo "make check    everything that has to pass before a change goes in"
	@echo "make clean    removes .venv and the caches"
	@echo
	@echo "CONSTRAINTS=constraints.txt after any of them: with the versions that were tested, not the newest"

demo: $(VENV)/.examples
	$(BIN)/msjax run $(DEMO)

test: $(VENV)/.test
	$(BIN)/python -m pytest -n $(JOBS)

docs: $(VENV)/.test
	$(BIN)/python -m pytest -n $(JOBS) msjax tests/test_texts.py

site: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(VENV)/.dev
	$(BIN)/pyright --pythonpath $(BIN)/python

bench: $(VENV)/.test
	$(BIN)/python benchmarks/engine.py
	$(BIN)/python benchmarks/compiled.py
	$(BIN)/python benchmarks/eager.py

check: test lint types

clean:
	rm -rf $(VENV) .venv-constrained .nox site .jax_cache .pytest_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment. Each stamp says that the package is installed with that extra as pyproject.toml has it now.
$(VENV)/.made:
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer with venv and ensurepip was found (on Debian and Ubuntu: \
	install python3-venv). Name one: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	|| { echo "$(PYTHON) does not run, or is older than Python 3.11" >&2; exit 1; }
	@echo "Making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.examples $(VENV)/.test $(VENV)/.dev $(VENV)/.docs: $(VENV)/.%: $(VENV)/.made pyproject.toml $(CONSTRAINTS)
	@echo "Installing msjax with its extra '$*' (some minutes the first time)"
	@$(PIP) install --editable '.[$*]' $(if $(CONSTRAINTS),--constraint $(CONSTRAINTS))
	@touch $@
