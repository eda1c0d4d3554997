# Everything a checkout needs, by name. `make` alone explains the targets.

PYTHON ?= python3
ARGS ?=
VENV := .venv
RUN := $(VENV)/bin/python
PIP = $(RUN) -m pip install --quiet --disable-pip-version-check --no-input --require-hashes
UV = $(RUN) -m uv pip install $(shell test -t 2 || echo --quiet) --system-certs --compile-bytecode --require-hashes

# What is compiled is kept, whatever the shell says: hundreds of our programs start in a test run.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup develop demo up picture servers test draws table-screen compose pin-images postgres deployments matrix lint types bench docs translations docs-check migrations-check check lock clean

help: ## show this help
	@echo "make TARGET, where TARGET is one of"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo 'ARGS="..." is handed to demo, up, servers, test, postgres, deployments, matrix and bench; PYTHON=python3.12 chooses the Python of .venv.'

# Installs a lock into .venv, and makes that first; does nothing where this very lock is installed already.
# uv takes seconds where pip takes a minute. Where uv cannot run or reach the registry, pip does it, with the same hashes.
define install
	@$(RUN) -m pip --version >/dev/null 2>&1 || { \
	  command -v $(PYTHON) >/dev/null || { \
	    echo "Python is missing ($(PYTHON) not found). On Debian or Ubuntu: apt-get install python3 python3-venv" >&2; exit 1; }; \
	  $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "Pitledger needs Python 3.11 or later, $(PYTHON) is $$($(PYTHON) -V). With another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }; \
	  $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	    echo "Python's venv is missing. On Debian or Ubuntu: apt-get install python3-venv, then again: make $(MAKECMDGOALS)" >&2; exit 1; }; \
	  echo "making $(VENV) with $$($(PYTHON) -V)"; \
	  $(PYTHON) -m venv --clear $(VENV); }
	@cmp -s $(1) $(VENV)/$(1) || { \
	  echo "installing $$(grep -c == $(1)) packages from $(1)"; \
	  awk '/^uv==/ { on = 1 } on; on && !/\\$$/ { exit }' requirements-dev.lock >$(VENV)/uv.lock; \
	  { $(PIP) -r $(VENV)/uv.lock && $(UV) --python $(RUN) -r $(1); } || { \
	    echo "uv did not install them; pip does, which takes a minute"; $(PIP) -r $(1); } && \
	  cp $(2) $(VENV)/; }
endef

setup: ## make .venv and install what Pitledger runs on, from requirements.lock
	$(call install,requirements.lock,requirements.lock)

develop: ## the same with what tests and checks need, from requirements-dev.lock
	$(call install,requirements-dev.lock,requirements.lock requirements-dev.lock)

demo: setup ## play a gaming day through the whole system and print its books
	$(RUN) manage.py demo $(ARGS)

up: setup ## run everything on localhost until Ctrl-C
	$(RUN) manage.py up $(ARGS)

picture: develop ## take the picture of the README from the last demo, which `make up` serves
	$(RUN) -m tests.support.pages.readme_picture $(ARGS)

servers: develop ## run PostgreSQL, Redis and Apache Kafka on free ports until Ctrl-C
	$(RUN) -m tests.servers $(ARGS)

# Three at a time: two cores wait much for servers. A file's tests stay together, and the slow folders come first.
test: develop ## bring what the tests need, and run all of them
	$(RUN) -m tests.servers.install
	$(RUN) -m pytest -n 3 --dist loadfile --no-loadscope-reorder $(ARGS)

postgres: develop ## run the tests that use a database on PostgreSQL 17; ARGS names fewer of them
	$(RUN) -m tests.servers.install
	$(RUN) -m pytest --postgres 17 -n 3 --dist loadfile -m postgres $(ARGS)

deployments: develop ## start the systemd units by systemd, and the containers of the Kubernetes manifests in Docker
	$(RUN) -m tests.servers.install
	$(RUN) -m pytest tests/compose/systemd_units.py tests/compose/kubernetes_manifests.py $(ARGS)

secrecy: develop ## ask every address and action as everyone, with and without a case, and compare the answers
	$(RUN) -m pytest -n 0 -q -s -o faulthandler_timeout=3600 tests/secrecy/every_cell.py $(ARGS)

draws: develop ## draw 1,000 times under an operator who steers, through the deciders, and test the results
	STEERED_DRAWS=1000 $(RUN) -m pytest -n 0 -q -s tests/integration/store/test_steered_draws.py $(ARGS)

VALE := .cache/vale/vale
PROSE := tools/prose

# Vale checks the English. Go builds it from the sources whose checksums are in go.sum; afterwards it needs no network.
$(VALE): $(PROSE)/go.mod $(PROSE)/go.sum
	@command -v go >/dev/null || { echo "Go is missing. Install Go 1.25 or later, then run make lint again." >&2; exit 1; }
	@mkdir -p $(dir $@)
	go build -C $(PROSE) -mod=readonly -trimpath -o $(CURDIR)/$@ github.com/errata-ai/vale/v3/cmd/vale

lint: develop $(VALE) ## style, names, English, imports between the packages, tracked files
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(VENV)/bin/lint-imports
	.ci/check-tracked
	$(RUN) -m tools.check_names
	$(RUN) -m tools.prose.check

TYPES := tools/types
TSC := .cache/types/node_modules/.bin/tsc

# TypeScript checks the script of the table screen. npm installs it by the hashes of the lock; nothing of it is served.
$(TSC): $(TYPES)/package.json $(TYPES)/package-lock.json
	@command -v npm >/dev/null || { echo "Node is missing. Install Node 20 or later, then run make types again." >&2; exit 1; }
	@mkdir -p .cache/types
	cp $^ .cache/types
	npm ci --prefix .cache/types --ignore-scripts --no-audit --no-fund --silent
	@touch $@

types: develop $(TSC) ## mypy, strict; TypeScript for the script of the table screen
	$(RUN) -m mypy
	$(TSC) -p $(TYPES)
	$(TSC) -p $(TYPES)/worker

matrix: develop ## do every job of people in every size and theme, ask every address as every role
	$(RUN) -m tests.servers.install
	$(RUN) -m pytest tests/jobs/job_matrix.py tests/jobs/role_access_matrix.py $(ARGS)

# What the table screen does at length: cuts of the network, kills of tab and house, two devices, every case, evenings.
LENGTHS := TABLE_CUTS=200 TABLE_TAB_KILLS=50 TABLE_HOUSE_KILLS=20 TABLE_TURNS=20 TABLE_CASES=0 TABLE_ROUNDS=10
table-screen: develop ## play the table screen with fingers only, the long form: cuts, kills, cases, whole evenings
	$(RUN) -m tests.servers.install
	$(LENGTHS) $(RUN) -m pytest -n 0 -rA tests/browser/test_table_screen_offline.py \
	  tests/browser/test_table_screen_kills.py tests/browser/test_played_cases.py \
	  tests/browser/test_played_evenings.py tests/browser/test_played_mishaps.py $(ARGS)

COMPOSE_HELPERS := __init__.py conftest.py docker.py observer.py rounds.py systemd.py
compose: develop ## run docker-compose.yml for real, the long form: crashes, restores, the upgrade
	$(RUN) -m tests.servers.install
	$(RUN) -m pytest -n 0 $(filter-out $(addprefix tests/compose/,$(COMPOSE_HELPERS)),$(wildcard tests/compose/*.py)) $(ARGS)

pin-images: develop ## add the digests of the base images to docker-compose.yml, from a registry
	$(RUN) -m tools.pin_images

bench: develop ## measure against the alternatives, on PostgreSQL and Apache Kafka
	$(RUN) -m tests.servers.install
	$(RUN) manage.py bench $(ARGS)

translations: develop ## collect new sentences into the catalogues of Greek, Turkish and Russian, and compile them
	$(RUN) -m tools.translations update

docs: setup ## write the generated pages: schemas of events and actions, OpenAPI, AsyncAPI, par sheets
	$(RUN) manage.py docs

docs-check: setup ## the generated pages are fresh, and no event's schema became incompatible
	$(RUN) manage.py docs --check

migrations-check: setup ## every change of the models has its migration
	$(RUN) manage.py makemigrations --check --dry-run

check: lint types docs-check migrations-check ## everything CI checks besides the tests

lock: develop ## resolve requirements*.in afresh into the hashed locks
	$(RUN) -m uv pip compile $(LOCK) -o requirements.lock requirements.in
	$(RUN) -m uv pip compile $(LOCK) -c requirements.lock -o requirements-traces.lock requirements-traces.in
	$(RUN) -m uv pip compile $(LOCK) -c requirements-traces.lock -o requirements-dev.lock requirements-dev.in

LOCK := --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"

clean: ## remove .venv, fetched jars and caches; data in var/ stay
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
