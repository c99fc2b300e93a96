# Each target works on a fresh clone with Python 3.11 or later, make and a C compiler.
PYTHON ?= python3
# nproc obeys OMP_NUM_THREADS, which says how many threads a job may use, not how many jobs may run.
CORES ?= $(shell env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc 2>/dev/null || sysctl -n hw.ncpu)
# One line for the whole run, with the time left; `make quick PROGRESS=` shows every job instead.
PROGRESS ?= --logger optimist
BIN := .venv/bin
SNAKEMAKE := $(BIN)/snakemake $(PROGRESS) --cores $(CORES)

# Every job is a process, which would compile all modules again: half a second.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: reproduce variants quick page report site test pytest test-workflow test-all lint readme keys pythons
.PHONY: lower-bounds newest clean

# Every experiment, figure, table and verdict of the papers.
reproduce: .venv/installed
	$(SNAKEMAKE)
	$(BIN)/optimist claims

# The robustness variants of the environments.
variants: .venv/installed
	$(SNAKEMAKE) glb_omd_variants go_ucb_variants

# A small run of every kind of panel, with short horizons, under results/quick only: no result.
quick: .venv/installed
	$(SNAKEMAKE) --configfile config/quick.yaml config/every_kind.yaml
	$(BIN)/optimist claims --figures results/quick/figures

# The page of results, figures/index.html, and the list of figures, from the committed tables.
page: .venv/installed
	$(BIN)/optimist page

# Snakemake's own report, one HTML file with all figures and tables: of the full run if there is one,
# else of the quick one.
REPORTED := $(if $(wildcard results/run),,$(if $(wildcard results/quick),quick/))
report: .venv/installed
	$(SNAKEMAKE) $(if $(REPORTED),--configfile config/quick.yaml config/every_kind.yaml) \
	  --report results/$(REPORTED)report.html

# The documentation as pages that need no network, site/index.html (mkdocs.yml).
site: .venv/installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build

# Algorithms, numbers, verdicts, digests, files and commands. A third process of pytest works while
# others wait for processes that a test starts.
test: .venv/installed
	$(MAKE) --jobs 2 lint pytest

pytest: .venv/installed
	$(BIN)/python -m pytest --numprocesses 3 tests/contract tests/known_answers tests/unit

# Snakemake, committed verdicts, whole figures, wheels, the site, browsers, Slurm, machines that fail;
# simulations of the verdicts.
test-workflow: .venv/installed
	$(BIN)/python -m pytest --numprocesses 2 tests/cluster tests/faults tests/statistical tests/workflow

# Both, with all replicates of simulations instead of a tenth.
test-all: export REPLICATES := all
test-all: test test-workflow

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow src/optimist/cli/templates/folder/Snakefile
	$(BIN)/mypy

# Put the verdicts of the last full run into README.md and docs/findings.
readme: .venv/installed
	$(BIN)/python -m optimist claims --readme

# Put the tables of keys into config/README.md, from the models.
keys: .venv/installed
	$(BIN)/python website/key_tables.py

.venv/installed: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

# Modules and some tests under each Python that is here; unit tests with the oldest packages allowed;
# numbers, files and a small run with the newest ones.
pythons lower-bounds newest: .venv/installed
	$(BIN)/python .ci/environments.py $@

clean:
	rm -rf .venv .venvs results site .snakemake
