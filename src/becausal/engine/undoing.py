# SPDX-License-Identifier: Apache-2.0
"""Taking changes back: each as a whole, and only while nothing has changed again what it touched."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from ..domain.records import Change, Kind
from ..errors import Conflict, NotFound, NothingToUndo
from ..ports.batch import Batch, PutLink, Ref
from ..ports.store import GraphStore
from ..stores.codec import link_from_json
from .change_log import ChangeLog
from .changes import engrams_before, facts_before
from .graph import withdrawing
from .results import Undone
from .upkeep import archive
from .upkeep.archive import Archive
from .writing import Writer


class Undoer:
    """Takes back what was done to one memory."""

    def __init__(self, store: GraphStore, log: ChangeLog, writer: Writer, archive: Archive) -> None:
        self._store = store
        self._log = log
        self._writer = writer
        self._archive = archive

    def undo(self, change_id: str | None) -> Undone:
        """Take back the newest change, or the one named (for a bulk: all of it)."""
        if change_id is None:
            newest = self._log.newest(1)
            if not newest:
                raise NothingToUndo("there is no change left that could be undone")
            group = self._log.whole(newest[0])
        else:
            kept = self._log.find(change_id)
            if kept is None:
                raise NotFound("change", change_id)
            group = self._log.whole(kept)
        restored = [id for change in group for id in self._take_back(change)]
        return Undone(change=group[0], ids=tuple(restored))

    def _take_back(self, change: Change) -> list[str]:
        if change.action == archive.ACTION:
            return self._archive.take_out(change)
        if change.action == archive.BACK:
            return self._archive.put_back(change)
        # What went into the archive since, or came back, is as it was otherwise.
        moves = (archive.ACTION, archive.BACK)
        later = [each for each in self._log.of(change.targets) if each.id > change.id and each.action not in moves]
        if later:
            raise Conflict(f"it was changed again since: undo change '{later[0].id}' first")
        if change.action == withdrawing.ACTION:
            return withdrawing.restore(self._store, change)
        state = change.inverse
        old = engrams_before(change)
        done = Batch(deletes=(Ref(Kind.CHANGE, change.id),), unlinks=tuple(cast(list[str], state["healed"])))
        present = self._store.get(Kind.ENGRAM, [engram.id for engram in old])
        for engram in old:
            if engram.id in present:
                self._writer.put_back(engram)
        try:
            missing = [engram for engram in old if engram.id not in present]
            batches = [self._writer.drafted(engram) for engram in missing]
            links = tuple(
                PutLink(link_from_json(each), merge="keep") for each in cast(list[dict[str, object]], state["links"])
            )
            patches = tuple(patch for batch in batches for patch in batch.patches)
            patches += self._archive.revival(cast("list[str]", state.get("archived", []))).patches
            facts = facts_before(self._store, state, {patch.id for patch in patches})
            self._store.write(
                replace(
                    done,
                    deletes=done.deletes + facts.deletes,
                    puts=tuple(put for batch in batches for put in batch.puts),
                    patches=facts.patches + patches,
                    vectors=tuple(put for batch in batches for put in batch.vectors),
                    links=tuple(link for batch in batches for link in batch.links) + links,
                )
            )
        except Conflict:
            raise Conflict("the same text has been stored again since; forget that one first") from None
        return [engram.id for engram in old] + [patch.id for patch in facts.patches]
