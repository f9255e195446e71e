# SPDX-License-Identifier: Apache-2.0
"""A copy takes the place of the memory, after it has been made into a memory of its own and examined."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import BackupCorrupt, NotFound
from ...ports.backup import BackupPlace
from ...stores.scratch import scratch
from ..results import Progress
from .backups import examine, fetch
from .results import BroughtBack

if TYPE_CHECKING:
    from ..memory import Memory


def bring_back(
    place: BackupPlace,
    folder: Path,
    version: str | None,
    open_side: Callable[[Path], Memory],
    swap: Callable[[Path], Path | None],
    progress: Callable[[Progress], None] | None = None,
) -> BroughtBack:
    """Fetch a copy, the newest or a certain one, and put it in the place of the memory.

    Until the very last moment, in which the one is put in the place of the other, nothing is changed.

    Args:
        folder: the user's own, for scratch, on the file system of the memory.
        open_side: opens an empty memory below a folder, with the same place for copies.
        swap: puts the memory below that folder in the place of the present one; returns where that is kept.

    Raises:
        NotFound: there is no copy, or no such version.
        InvalidInput: several versions begin like that.
        BackupCorrupt: it is damaged.
        StoreBusy: another program has the memory open.
    """
    with scratch(folder) as room:
        file, side = room / "memory.jsonl", room / "side"
        fetched = fetch(place, file, version)
        if fetched is None:
            raise NotFound("backup", place.name)
        examine(file)
        with open_side(side) as memory:
            imported = memory.transfer.restore(file, progress=progress)
            if imported.refused:
                what = imported.skipped[0]
                raise BackupCorrupt(f"the copy in the {place.name} cannot be brought back: {what.where}: {what.why}")
            if problems := memory.upkeep.check():
                raise BackupCorrupt(f"what came of the copy in the {place.name} is not whole: {problems[0]}")
            assert memory.backups is not None
            memory.backups.remember(fetched.version, fetched.at, fetched.newest)
        kept = swap(side)
        # What was kept after this version is history of this memory: the next copy goes on top of that.
        place.accept(fetched.newest)
        return BroughtBack(
            place=place.name,
            version=fetched.version,
            memories=fetched.manifest.memories,
            kept_as=None if kept is None else str(kept),
        )
