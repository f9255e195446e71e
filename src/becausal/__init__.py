# SPDX-License-Identifier: Apache-2.0
"""Memory for AI agents that knows why.

>>> from becausal import Memory
>>> with Memory.open() as memory:
...     memory.store("We moved the database because the old disk was failing.")
...     memory.recall("Why did we move the database?")
"""

import typing as _typing

from ._version import __version__
from .errors import BecausalError

if _typing.TYPE_CHECKING:
    from .engine.memory import Memory

__all__ = ["BecausalError", "Memory", "__version__"]


def __getattr__(name: str) -> object:
    # The command line's --help and version must not pay for the engine.
    if name == "Memory":
        from .composition import open_memory
        from .engine.memory import Memory

        Memory.open = staticmethod(open_memory)
        globals()["Memory"] = Memory
        return Memory
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
