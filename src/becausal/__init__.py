# SPDX-License-Identifier: Apache-2.0
"""Memory for AI agents that knows why."""

from ._version import __version__

__all__ = ["__version__"]
