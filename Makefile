# Two commands do everything: `make demo` and `make test`. The environment lives in .venv.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint browser bench robots clean verify matrix flat audit

$(VENV)/base: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/test: $(VENV)/base
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $@

$(VENV)/bench: $(VENV)/test
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	touch $@

demo: $(VENV)/base
	$(BIN)/python examples/demo.py

lint: $(VENV)/test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports

browser: $(VENV)/test
	$(BIN)/python -m tests.views.browser

test: lint browser
	$(BIN)/python -m pytest -n 2 -q

verify: $(VENV)/test
	$(BIN)/python -m tests.analysis.random_machines 200

matrix: $(VENV)/test
	$(BIN)/python -m tests.matrix

audit: $(VENV)/test
	$(BIN)/python -m tests.analysis.audited 250

flat: $(VENV)/test
	BELLCRANK_FLAT=20 $(BIN)/python -m pytest -n 2 -q tests/classics/test_flattened.py

robots: $(VENV)/test
	$(BIN)/python -m tests.oracle.all_urdfs

bench: $(VENV)/bench
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) demo build dist
