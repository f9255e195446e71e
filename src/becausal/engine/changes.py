# SPDX-License-Identifier: Apache-2.0
"""The undo log: what a change keeps of the state before it, and how facts go back to that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import cast

from ..domain.ids import new_id
from ..domain.records import Change, Engram, Fact, Json, Kind, Link, LinkKind
from ..graphs.timeline import Closing, Timeline
from ..ports.store import Batch, GraphStore, Patch, Ref
from ..stores.codec import link_to_json, record_to_json

MAX_LINKS = 100_000


def make_change(
    action: str,
    targets: Sequence[str],
    note: str,
    *,
    now: datetime,
    kept_for: timedelta,
    engrams: Iterable[Engram] = (),
    links: Iterable[Link] = (),
    healed: Iterable[str] = (),
    closings: Iterable[Closing] = (),
    made: Iterable[str] = (),
) -> Change:
    """Return the record of something done to the records ``targets``.

    Args:
        engrams: the memories as they were before.
        links: their links that telling them again would not make.
        healed: ids of links that the change made.
        closings: how it changed the ends of facts. Only the ends are kept, so that nothing is left here of a
            fact whose memory is purged.
        made: ids of facts that the change made.
    """
    return Change(
        id=new_id(),
        action=action,
        targets=tuple(targets),
        note=note,
        inverse={
            "engrams": [record_to_json(engram) for engram in engrams],
            "links": [link_to_json(link) for link in links],
            "healed": list(healed),
            "facts": [_end(each.before) for each in closings],
            "made": list(made),
        },
        created_at=now,
        expires_at=now + kept_for,
    )


def facts_before(store: GraphStore, inverse: Mapping[str, Json]) -> Batch:
    """Return what takes back a change's work on facts.

    A fact it made goes, unless a memory tells it as well, and what that fact had closed ends as it would have
    without it. Otherwise facts get back the ends they had, where those still come first.
    """
    made = cast("list[str]", inverse.get("made", []))
    if made:
        told = {link.dst for link in store.links(made, [LinkKind.X_RECORDS], "in", limit=MAX_LINKS)}
        gone = [id for id in made if id not in told]
        unstated = tuple(Patch(Kind.FACT, id, set={"asserted": False}) for id in sorted(told))
        reopened = Timeline.patches(Timeline(store).reopened(gone))
        return Batch(deletes=tuple(Ref(Kind.FACT, id) for id in gone), patches=unstated + reopened)
    ends = {str(each["id"]): each for each in cast("list[dict[str, Json]]", inverse.get("facts", []))}
    patches = []
    for id, record in store.get(Kind.FACT, list(ends)).items():
        now = cast(Fact, record).valid_to
        before = cast("str | None", ends[id]["valid_to"])
        end = datetime.fromisoformat(before) if before else None
        if end is not None and (now is None or end < now):
            patches.append(Patch(Kind.FACT, id, set={"valid_to": end, "superseded_by": ends[id]["superseded_by"]}))
    return Batch(patches=tuple(patches))


def _end(fact: Fact) -> dict[str, Json]:
    return {
        "id": fact.id,
        "valid_to": fact.valid_to.isoformat() if fact.valid_to else None,
        "superseded_by": fact.superseded_by,
    }
