# Five verbs, the same on a laptop and in CI. Each does all its own set-up: the first run makes a `.venv` in this
# checkout and installs what it needs; later runs start at once. The stamps `.venv/.made-by-*`, `.venv/.has-*` say
# what is there; a changed pyproject.toml installs anew.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test lint bench docs clean

VENV := .venv
BIN := $(VENV)/bin

# A Python given by name is used, and the .venv of another one replaced; otherwise the .venv stays as it is.
ifdef PYTHON
MADE := $(VENV)/.made-by-$(subst /,-,$(PYTHON))
else
PYTHON := python3
MADE := $(firstword $(wildcard $(VENV)/.made-by-*) $(VENV)/.made-by-$(PYTHON))
endif

help: ## show these lines
	@sed -n 's/^\([a-z]*\):.*## /make \1	/p' Makefile | expand -t 13
	@echo 'PYTHON=python3.12 and the like choose the Python (3.11 or newer).'

demo: $(VENV)/.has-core ## train on a made-up text, show words split into senses (a minute)
	@mkdir -p build
	$(BIN)/w2gm demo -o build/demo-model

test: lint ## lint, then every test, then the kernels once more without the compiler
	$(BIN)/python -m pytest
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m kernel

lint: $(VENV)/.has-test ## ruff (rules and format) and mypy (strict)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m mypy

bench: $(VENV)/.has-test ## measure start-up and kernels; with TEXT=corpus.txt encoding and training too
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/kernel.py
ifdef TEXT
	$(BIN)/python benchmarks/corpus.py '$(TEXT)'
	$(BIN)/python benchmarks/speed.py '$(TEXT)'
else
	@echo 'make bench TEXT=corpus.txt measures encoding and training as well.'
endif

docs: $(VENV)/.has-core ## write docs/cli.md from the command line
	$(BIN)/python -m w2gm.cli.reference docs/cli.md

clean: ## remove everything these targets make, the .venv too
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.has-core: $(MADE) pyproject.toml
	@echo 'Installing w2gm into $(VENV): the first time this fetches numpy and numba, about 100 MB ...'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

# What tests need contains what the demo needs: one installation serves both.
$(VENV)/.has-test: $(MADE) pyproject.toml
	@echo 'Installing w2gm and its test tools into $(VENV): the first time this fetches about 200 MB ...'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $(VENV)/.has-core $@

$(MADE):
	@command -v '$(PYTHON)' >/dev/null || { \
	  echo "make: no $(PYTHON) here: install Python 3.11 or newer, or choose one: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	@'$(PYTHON)' -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "make: $(PYTHON) is $$('$(PYTHON)' --version 2>&1), w2gm needs 3.11 or newer; choose one: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	@'$(PYTHON)' -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "make: $(PYTHON) cannot make a virtual environment (no ensurepip); on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	rm -rf $(VENV)
	'$(PYTHON)' -m venv $(VENV)
	@touch $@
