#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Install a wheel, and nothing else, with each Python that is named, and run the demo there.
#
#   tools/check_wheel.sh dist/becausal-0.1.0-py3-none-any.whl python3.11 python3.12 python3.13
set -euo pipefail

if (($# < 2)); then
  echo "usage: tools/check_wheel.sh WHEEL PYTHON..." >&2
  exit 2
fi
wheel=$(realpath "$1")
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PIP_DISABLE_PIP_VERSION_CHECK=1
cd "$scratch"
for python in "$@"; do
  "$python" -m venv --clear env
  env/bin/pip install -q "$wheel"
  env/bin/pip check
  env -u PYTHONPATH HOME="$scratch" env/bin/becausal --version
  env -u PYTHONPATH HOME="$scratch" env/bin/becausal demo >demo.txt || { cat demo.txt; exit 1; }
  echo "$(env/bin/python --version): installed, and the demo ran"
done
