# Everything here runs in ./.venv, which is made on first use, with ROS 2 from PyPI. Needs python3
# and make. ROS_DISTRO_WHEELS=kilted takes ROS 2 Kilted in place of Jazzy, in ./.venv-kilted.

PYTHON ?= python3
ARGS ?=
TASK ?=
# Empty for Jazzy, -kilted for Kilted.
OTHER := $(addprefix -,$(filter-out jazzy,$(ROS_DISTRO_WHEELS)))
VENV := .venv$(OTHER)
BIN := $(VENV)/bin

# The requirements of each environment; each includes the previous one. Linters and messages are Jazzy's.
RUN := ros$(OTHER) run view record web
LAB := $(RUN) lab
CLUSTER := $(LAB) cluster
DEV := $(CLUSTER) physics link test build $(if $(OTHER),,lint messages) docs
# uv needs a fifth of pip's time. It compiles no modules: most are never imported.
UV := 0.13.9
INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python $(addprefix --default-index ,$(PIP_INDEX_URL))

# A virtual environment that holds ROS 2 is an ament prefix. The variables that a sourced ROS 2, or
# another such environment, has set would mix its libraries into this one.
export AMENT_PREFIX_PATH := $(CURDIR)/$(VENV)
export VENV
# The laboratory is a distribution of its own, which is not installed here.
export PYTHONPATH := $(CURDIR):$(CURDIR)/lab
unexport PYTHONHOME COLCON_PREFIX_PATH CMAKE_PREFIX_PATH LD_LIBRARY_PATH ROS_DISTRO
unexport RMW_IMPLEMENTATION _ROS_WHEELS_BOOTSTRAP_COMPLETE VIRTUAL_ENV
# Without bytecode files each process would compile all its modules, for seconds.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo play lab reproduce study figure statements scale test test-least chaos prove fuzz mutants \
  docs benchmark benchmark-peer lint config clean

help:  ## List the targets (the default)
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name what; \
	do printf '%s\n' "$$what" | fold -s -w 59 | while read -r line; \
	do printf '%-20s%s\n' "$${name:+make $$name}" "$$line"; name=; done; done
	@echo 'ARGS="..." is passed on by demo, play, lab, reproduce, study, figure, statements, scale, chaos, prove, fuzz and mutants, and by test and test-least to pytest.' | fold -s -w 79
	@echo 'make demo TASK=patrol: the regions run a task; also dispatch, rally, field, count. TASK=gate: mandates, doc/mandates.md' | fold -s -w 79
	@if [ -n "$(ROS_DISTRO)" ]; then \
	echo 'ROS 2 $(ROS_DISTRO) is sourced: colcon build and ros2 launch use it; make uses ./.venv instead.' | fold -s -w 79; fi

demo: $(VENV)/.run $(if $(findstring --physics,$(ARGS)),$(VENV)/.physics)  ## See a swarm elect leaders, lose the strongest, and recover, ARGS="--help" for more
	@env --block-signal=INT $(BIN)/python -m leader_election demo $(addprefix --task ,$(TASK)) $(ARGS)

play: $(VENV)/.run  ## Play with a swarm in a browser: parameters, faults, guided tours, ARGS="--help" for more
	@env --block-signal=INT $(BIN)/python -m leader_election play $(ARGS)

lab: $(VENV)/.lab  ## Measure algorithms in networks that move, ARGS="--help" for more
	@$(BIN)/python -m leader_election lab $(ARGS)

reproduce: $(VENV)/.lab  ## Reproduce the papers' figures, 200 seeds each, ARGS="--seeds 20" for less
	@$(BIN)/python -m reproduction papers $(ARGS)

scale: $(VENV)/.lab  ## Measure all algorithms with 100 to 1,000,000 devices; an hour or two, ARGS="--largest 100000" for less
	@$(BIN)/python -m benchmarks.scale $(ARGS)

study: $(VENV)/.lab  ## Run the study of regions, 100 seeds, ARGS="--seeds 10" for less
	@$(BIN)/python -m reproduction study $(ARGS)

figure: $(VENV)/.lab  ## Draw a figure of the papers, ARGS="acsos2022_fig5"; without it, list them
	@$(BIN)/python -m reproduction figure $(ARGS)

statements: $(VENV)/.lab  ## Judge statements of the papers by the results of make lab
	@$(BIN)/python -m reproduction statements $(ARGS)

test: $(VENV)/.dev  ## Build with colcon and run all tests
	@.ci/test $(ARGS)

test-least:  ## Run the tests with the minimum versions of both distributions, in build/least
	@PYTHON='$(PYTHON)' .ci/least $(ARGS)

chaos: $(VENV)/.run  ## Expose 40 robots to faults of all kinds for ten minutes, ARGS="--seconds 7200" for longer
	@$(BIN)/python -m benchmarks.chaos $(ARGS)

benchmark: $(VENV)/.benchmark  ## Print the figures of rounds and of the laboratory
	@for each in round_cost laboratory; do \
	$(BIN)/python -m benchmarks.$$each || exit 1; done

benchmark-peer: $(VENV)/.lab  ## Compare the laboratory with the same work in C++, in turns; skipped without a compiler
	@$(BIN)/python -m benchmarks.peer

docs: $(VENV)/.dev  ## Build the documentation: build/docs/index.html
	@$(BIN)/python -m sphinx -q -W --keep-going -d build/doctrees doc build/docs
	@echo 'build/docs/index.html'

lint: $(VENV)/.dev  ## Check the code with ruff and mypy
	@$(BIN)/ruff check .
	@$(BIN)/mypy

config: $(VENV)/.run  ## Generate config/*.yaml and the schema of messages from the declarations
	@$(BIN)/python -m leader_election.config config
	@$(BIN)/python -m doc.made.schema

prove: $(VENV)/.lab  ## Check Bounded Election and mandates in every small network, in any order; ARGS="--help" for more
	@$(BIN)/python -m benchmarks.explicit_states $(ARGS)
	@$(BIN)/python -m benchmarks.explicit_mandates
	@if command -v spin > /dev/null; then mkdir -p build/prove && cd build/prove; \
	check() { spin -a "$$@" ../../benchmarks/mandates.pml && $(CC) -w -O2 -DSAFETY -DCOLLAPSE -o pan pan.c \
	&& ./pan -m1000000 > found && grep -E 'errors|states, stored|elapsed' found; }; \
	correct() { check "$$@" && grep -q 'errors: 0' found || exit 1; }; \
	correct; correct -DROBOTS=2 -DLAST=4; correct -DROBOTS=3 -DLAST=3; \
	correct -DROBOTS=2 -DLAST=3 -DCHANGE; \
	correct -DNODES -DROBOTS=2 -DLAST=3; correct -DNODES -DROBOTS=3; \
	correct -DNODES -DROBOTS=2 -DCHANGE; \
	for rule in $$(seq 21); do \
	case $$rule in 1[2-6]) part=-DCHANGE;; 1[7-9] | 2[01]) part=-DNODES;; *) part=;; esac; \
	check -DROBOTS=2 -DLAST=3 $$part -DWITHOUT=$$rule > /dev/null \
	&& grep -q 'errors: 1' found || { echo "SPIN does not miss rule $$rule of mandates"; exit 1; }; done; \
	echo 'SPIN finds the lack of each of 21 rules'; \
	else echo 'spin is not installed, so the model of mandates was not checked'; fi

fuzz: $(VENV)/.dev  ## Fuzz codec, mailbox and round with messages of all algorithms, and the readers of files; an hour, ARGS="--minutes 600" for more, "--files" for files only
	@PYTHONPATH=.:lab:test $(BIN)/python -m benchmarks.fuzz $(ARGS)

mutants: $(VENV)/.dev $(VENV)/.mutants  ## Mutation testing of messages, mandates, regions, algorithms and robots; an hour, ARGS="--share 10" for a random tenth, ARGS="'robot/mail*.py'" for one file
	@LEADER_ELECTION_EXAMPLES=0.2 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.mutants $(ARGS)

clean:  ## Remove all generated files, ./.venv too
	rm -rf .venv .venv-* build install log .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || \
	{ echo 'error: $(PYTHON) is missing or older than 3.10; try make PYTHON=python3.12' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	{ echo 'error: $(PYTHON) has no venv; try apt install python3-venv' >&2; exit 1; }
	@test ! -L $(VENV) || { \
	echo "error: $(VENV) is a link, and $$(readlink $(VENV)) would be emptied; remove the link" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check uv==$(UV)
	@touch $@

$(VENV)/.run: $(VENV)/.uv $(RUN:%=requirements/%.txt)
	$(INSTALL) $(RUN:%=-r requirements/%.txt)
	@touch $@

$(VENV)/.lab: $(VENV)/.uv $(LAB:%=requirements/%.txt)
	$(INSTALL) $(LAB:%=-r requirements/%.txt)
	@touch $(VENV)/.run $@

$(VENV)/.cluster: $(VENV)/.uv $(CLUSTER:%=requirements/%.txt)
	$(INSTALL) $(CLUSTER:%=-r requirements/%.txt)
	@touch $(VENV)/.run $(VENV)/.lab $@

$(VENV)/.dev: $(VENV)/.uv $(DEV:%=requirements/%.txt)
	$(INSTALL) $(DEV:%=-r requirements/%.txt)
	@touch $(VENV)/.run $(VENV)/.lab $(VENV)/.cluster $(VENV)/.physics $@

$(VENV)/.benchmark: $(VENV)/.lab requirements/benchmark.txt
	$(INSTALL) -r requirements/benchmark.txt
	@touch $@

$(VENV)/.mutants: $(VENV)/.uv requirements/mutants.txt
	$(INSTALL) -r requirements/mutants.txt
	@touch $@

$(VENV)/.physics: $(VENV)/.run requirements/physics.txt
	$(INSTALL) -r requirements/physics.txt
	@touch $@
