# SPDX-License-Identifier: Apache-2.0
"""Schema versions: ordered steps that bring a store from the version it has to the newest one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from ..errors import SchemaTooNew

Database = TypeVar("Database")


@dataclass(frozen=True, slots=True)
class Step(Generic[Database]):
    """What makes a schema of ``version`` out of the one before it."""

    version: int
    summary: str
    apply: Callable[[Database], None]


class Versioned(Protocol[Database]):
    """A store that remembers its schema version."""

    def schema_version(self) -> int:
        """Return the version, 0 for a store that holds nothing yet."""
        ...

    def advance(self, step: Step[Database]) -> None:
        """Apply a step and remember its version, both in one transaction.

        The version is read again inside it: a step that another process has taken meanwhile does nothing.
        """
        ...


def migrate(store: Versioned[Database], steps: Sequence[Step[Database]], where: str) -> int:
    """Take every step the store lacks, in order; return the version it has then.

    ``where`` names the store in the error.

    Raises:
        SchemaTooNew: it has a version that no step leads to. Nothing was changed.
    """
    versions = [step.version for step in steps]
    assert versions == list(range(1, len(steps) + 1)), "steps must be numbered 1, 2, 3, …"
    newest = len(steps)
    present = store.schema_version()
    if present > newest:
        raise SchemaTooNew(
            f"{where} has schema version {present}, this becausal knows versions up to {newest}: use a newer becausal"
        )
    for step in steps[present:]:
        store.advance(step)
    return max(present, newest)
