# SPDX-License-Identifier: Apache-2.0
"""What the program's exit codes mean, and which error leads to which."""

from __future__ import annotations

from ..errors import BecausalError, InvalidInput, NotFound, NothingToUndo, SettingsError

OK = 0
FAILED = 1
USAGE = 2
NOT_FOUND = 3
BUSY = 4  # nothing was done, since another process is at it
INTERRUPTED = 130
PIPE_CLOSED = 141  # as a shell reports a program that SIGPIPE ended


def code_for(error: BecausalError) -> int:
    """Return the exit code for an error."""
    match error:
        case InvalidInput() | SettingsError():
            return USAGE
        case NotFound() | NothingToUndo():
            return NOT_FOUND
        case _:
            return FAILED
