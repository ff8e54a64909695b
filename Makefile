# Two commands do everything: `make demo` and `make test`. The environment lives in .venv.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
# Tests of one file stay with one worker, so that what they share is compiled once.
SUITE := $(BIN)/python -m pytest -q -p no:cacheprovider -n 2 --dist loadfile --no-loadscope-reorder

.PHONY: demo test docs quick lint browser native release families bench compare robots clean verify matrix flat audit fuzz endurance

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
	$(BIN)/ruff format --check --no-cache .
	$(BIN)/ruff check --no-cache .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports --no-cache

browser: $(VENV)/test
	$(BIN)/python -m tests.views.browser

native: $(VENV)/test
	$(BIN)/python -m tests.native

test: $(VENV)/test
	$(MAKE) --jobs=2 --output-sync lint browser native
	$(SUITE) --durations=25

quick: $(VENV)/test
	$(SUITE) -m 'not slow'

release: lint browser native $(VENV)/bench
	$(BIN)/python -m tests.release

families: $(VENV)/test
	BELLCRANK_LONG=1 $(SUITE) -m family

verify: $(VENV)/test
	$(BIN)/python -m tests.analysis.random_machines 200

matrix: $(VENV)/test
	$(BIN)/python -m tests.matrix

flat: $(VENV)/test
	BELLCRANK_FLAT=20 $(BIN)/python -m pytest -q -p no:cacheprovider -n 2 tests/classics/test_flattened.py

audit: $(VENV)/test
	$(BIN)/python -m tests.analysis.audited 250

SEED ?= $(shell date +%s)
fuzz: $(VENV)/test
	$(BIN)/python -m tests.fuzz --seed $(SEED)

endurance: $(VENV)/test
	$(BIN)/python -m tests.endurance

robots: $(VENV)/test
	$(BIN)/python -m tests.oracle.all_urdfs

$(VENV)/docs: $(VENV)/base
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

docs: $(VENV)/docs
	$(BIN)/python docs/generate/site.py

bench: $(VENV)/bench
	$(BIN)/python -m benchmarks

BASE ?= HEAD
compare: $(VENV)/test
	$(BIN)/python -m benchmarks.compare $(BASE)

clean:
	rm -rf $(VENV) demo build dist
