# SPDX-License-Identifier: Apache-2.0
"""What a tool says when it cannot do what it was asked."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence

from ..errors import BecausalError, InvalidInput, NotFound

logger = logging.getLogger(__name__)


class Refused(BecausalError):
    """A request that cannot be carried out; the message is the whole answer."""


class BadArguments(BecausalError):
    """Arguments of the wrong type or out of range: every problem at once, as (path, message)."""

    def __init__(self, problems: Sequence[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{path}: {message}" for path, message in problems))
        self.problems = tuple(problems)


def explain(tool: str, error: BecausalError, prefix: str = "") -> str:
    """Return the text of a tool error.

    Wrong arguments are listed one a line under ``Validation error in <tool>:``. ``prefix`` goes before
    the message of an error that is not the caller's.
    """
    match error:
        case BadArguments():
            problems = error.problems
        case InvalidInput():
            problems = ((error.field, error.problem),)
        case Refused() | NotFound():
            return str(error)
        case _:
            return f"{prefix}{error}"
    return "\n".join([f"Validation error in {tool}:", *(f"  - {path}: {message}" for path, message in problems)])


def conceal(tool: str, error: Exception) -> str:
    """Log an error nobody foresaw and return what the caller is told: only how to find it in the log."""
    reference = secrets.token_hex(4)
    logger.error("internal error %s in %s", reference, tool, exc_info=error)
    return f"internal error (ref {reference}); the server's log has the details"
