# SPDX-License-Identifier: Apache-2.0
# The habits of the house. `just` alone lists them; `just setup` comes first.

bin := ".venv/bin"

_list:
    @just --list --unsorted

# Make the virtual environment, with everything that development needs
setup:
    python3 -m venv .venv && {{ bin }}/pip install -q -e '.[dev]'

# Style, types and the rules of the architecture
check:
    {{ bin }}/ruff check .
    {{ bin }}/ruff format --check .
    {{ bin }}/mypy
    {{ bin }}/pytest tests/unit/test_house.py

# All tests, or those named
test *names:
    {{ bin }}/pytest {{ names }}

# Put the code into the house style
format:
    {{ bin }}/ruff check --fix .
    {{ bin }}/ruff format .

# Run all benchmarks on the data in a folder, and write docs/benchmarks.md; or some: just bench DIR --only scale,startup
bench data *options:
    {{ bin }}/python benchmarks/run.py --data {{ data }} {{ options }}

# An incident history, told and asked about
demo:
    {{ bin }}/becausal demo

# Print the documents that are made from code, and play the samples of the README
docs:
    {{ bin }}/python -m becausal.settings_table > docs/settings.md
    {{ bin }}/python -m becausal.graphql.schema > docs/schema.graphql
    {{ bin }}/python -m becausal.server.tools_table > docs/tools.md
    {{ bin }}/python tests/samples.py

# Build the site of the documents, in site/
site:
    {{ bin }}/pip install -q -e '.[docs]'
    {{ bin }}/mkdocs build --strict

# Renew the lock file (needs uv)
lock:
    uv pip compile pyproject.toml --extra dev --extra docs --universal --python-version 3.11 --generate-hashes \
        --upgrade --no-header --no-annotate --quiet --output-file requirements.lock

# What decides whether a change is accepted
ci:
    .ci/run
