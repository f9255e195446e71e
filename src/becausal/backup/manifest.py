# SPDX-License-Identifier: Apache-2.0
"""Manifests as JSON, read as if a stranger had written them."""

from __future__ import annotations

import json
from typing import Any

from ..errors import BackupCorrupt
from ..ports.backup import Manifest

FORMAT = 1
LARGEST = 1 << 24
"""Bytes of a manifest at most."""


def to_json(manifest: Manifest) -> dict[str, Any]:
    return {
        "becausal": "backup",
        "format": FORMAT,
        "user": manifest.user,
        "memories": manifest.memories,
        "schema": manifest.schema,
        "embedder": manifest.embedder,
        "sha256": manifest.sha256,
        "size": manifest.size,
    }


def read_json(text: bytes, what: str) -> dict[str, Any]:
    """Return a JSON object.

    Raises:
        BackupCorrupt: it is none.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise BackupCorrupt(f"{what} is damaged: it is not a JSON object")
    return data


def from_json(data: dict[str, Any], what: str) -> Manifest:
    """Return the manifest in a JSON object.

    Raises:
        BackupCorrupt: there is none in it, or one in a newer format.
    """
    if data.get("becausal") != "backup":
        raise BackupCorrupt(f"{what} is not a backup of becausal")
    if not isinstance(data.get("format"), int) or data["format"] > FORMAT:
        raise BackupCorrupt(f"{what} has backup format {data.get('format')!r}, this becausal knows {FORMAT}")
    numbers = [data.get(name) for name in ("memories", "schema", "size")]
    texts = [data.get(name) for name in ("user", "sha256")]
    embedder = data.get("embedder")
    if (
        not all(isinstance(number, int) and number >= 0 for number in numbers)
        or not all(isinstance(text, str) for text in texts)
        or not isinstance(embedder, str | None)
    ):
        raise BackupCorrupt(f"{what} is damaged: its manifest lacks something")
    return Manifest(
        user=data["user"],
        memories=data["memories"],
        schema=data["schema"],
        embedder=embedder,
        sha256=data["sha256"],
        size=data["size"],
    )
