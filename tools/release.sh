#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Build what is released: wheel, sdist, .mcpb bundle and SHA256SUMS, in dist/ or the folder that is named.
# Dated by SOURCE_DATE_EPOCH, else by the last commit: the same sources make the same files.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=${1:-dist}
mkdir -p "$out"
if [[ -n $(ls -A "$out") ]]; then
  echo "$out must be empty" >&2
  exit 2
fi
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install -q 'build==1.3.0' 'hatchling==1.27.0'
"$scratch/venv/bin/python" -m build --no-isolation --outdir "$out" .
python3 tools/build_mcpb.py "$out"
(cd "$out" && sha256sum -- *.whl *.tar.gz *.mcpb >SHA256SUMS && cat SHA256SUMS)
