# SPDX-License-Identifier: Apache-2.0
"""Logging: to standard error and nowhere else, because standard output belongs to MCP messages and answers."""

from __future__ import annotations

import logging
import sys

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def configure_logging(level: str) -> None:
    """Send this process's log to standard error: becausal's from ``level`` on, everybody else's from warning on.

    For programs, not for libraries: it takes over the root logger. Calling it again changes the level.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format=_FORMAT, force=True)
    logging.getLogger("becausal").setLevel(level.upper())
    logging.getLogger("stamina").setLevel(logging.ERROR)  # a call that is tried again is no news; its end is
