# SPDX-License-Identifier: Apache-2.0
"""``smriti_manage``: everything that is done to memories rather than with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ...domain.records import MemoryType
from ...engine.results import Forgotten
from .. import params, render, render_upkeep
from ..app import Answer, Lane, Tool, one_line
from ..errors import BadArguments, Refused

if TYPE_CHECKING:
    from ...engine.memory import Memory

Given = Mapping[str, Any]

FILTERS = ("memory_type", "tags", "source", "session", "since", "until")
CHANGES = ("content", "importance", "tags", "source", "label", "memory_type", "occurred_at", "pinned", "metadata")
FAR = 2**31 - 1

USES: Mapping[str, tuple[str, ...]] = {
    "forget": ("memory_id", *FILTERS, "timezone", "purge", "dry_run"),
    "get": ("memory_id", "offset"),
    "update": ("memory_id", *CHANGES, "timezone"),
    "status": (),
    "undo": ("change_id", "memory_id"),
    "history": ("memory_id",),
    "consolidate": ("dry_run",),
    "clusters": (),
    "archive": ("memory_id",),
    "restore": ("memory_id",),
    "sync": (),
}
"""The arguments each action takes; any other is refused, since ignoring one could forget too much."""


CHANGING = ("sync", "forget", "update", "undo", "consolidate", "archive", "restore")


def _manage(memory: Memory, given: Given) -> Answer:
    action = given.get("action")
    if action is None:
        raise BadArguments([("action", f"is required: one of {', '.join(USES)}")])
    if action not in USES:
        raise Refused(f"unknown action: {action}")
    foreign = [name for name in given if name != "action" and name not in USES[action] and given[name] not in ((), {})]
    if foreign:
        takes = ", ".join(USES[action]) or "no other argument"
        raise BadArguments([(name, f"does not belong to action {action}, which takes {takes}") for name in foreign])
    return ACTIONS[action](memory, given)


def _forget(memory: Memory, given: Given) -> Answer:
    filters = {name: given[name] for name in FILTERS if given.get(name)}
    if "memory_id" not in given:
        if not filters:
            raise Refused("memory_id is required for forget action")
        matching = memory.forget_matching(
            **filters, purge=given.get("purge", False), dry_run=given.get("dry_run", True)
        )
        return _same({"status": "ok", **render.forgotten(matching)})
    id = given["memory_id"]
    if filters:
        raise BadArguments([(name, "cannot be combined with memory_id: give one or the other") for name in filters])
    if given.get("dry_run"):
        would = memory.graphs.withdraw(id, dry_run=True)
        return _same(
            {"status": "ok", **render.forgotten(would or Forgotten(ids=(memory.get(id).engram.id,), dry_run=True))}
        )
    document = render.forgotten(memory.forget(id, purge=given.get("purge", False)))
    told = {"status": "ok", "deleted": id}
    return Answer(text=one_line(told), structured=told | document)


def _get(memory: Memory, given: Given) -> Answer:
    return _same(render.detail(memory.get(_id(given, "get")), given.get("offset", 0)))


def _update(memory: Memory, given: Given) -> Answer:
    id = _id(given, "update")
    changes = {name: given[name] for name in CHANGES if name in given}
    if not changes:
        raise BadArguments([("input", f"nothing to change: give at least one of {', '.join(CHANGES)}")])
    zone = {"timezone": given["timezone"]} if "timezone" in given else {}
    return _same(render.stored(memory.update(id, **changes, **zone)))


def _status(memory: Memory, given: Given) -> Answer:
    return _same({"status": "ok", **render.status(memory.status(), memory.changes(render.RECENT))})


def _undo(memory: Memory, given: Given) -> Answer:
    return _same({"status": "ok", **render.undone(memory.undo(given.get("change_id") or given.get("memory_id")))})


def _history(memory: Memory, given: Given) -> Answer:
    return _same({"status": "ok", **render_upkeep.history(memory.upkeep.history(_id(given, "history")))})


def _consolidate(memory: Memory, given: Given) -> Answer:
    done = memory.upkeep.consolidate(dry_run=given.get("dry_run", False))
    return _same({"status": "ok" if done.ran else "busy", **render_upkeep.consolidated(done)})


def _clusters(memory: Memory, given: Given) -> Answer:
    found = [render_upkeep.cluster(each) for each in memory.upkeep.clusters(render.MANY)]
    return _same({"status": "ok", "clusters": found})


def _archive(memory: Memory, given: Given) -> Answer:
    """Put a memory into the archive, or say what is in it."""
    if "memory_id" not in given:
        return _same({"status": "ok", **render_upkeep.archive_page(memory.upkeep.archived(render.MANY))})
    done = memory.upkeep.archive([given["memory_id"]])
    return _same({"status": "ok", "archived": list(done.ids), "undo": done.undo})


def _restore(memory: Memory, given: Given) -> Answer:
    return _same({"status": "ok", "restored": list(memory.upkeep.restore([_id(given, "restore")]).ids)})


def _sync(memory: Memory, given: Given) -> Answer:
    if memory.backups is None:
        return _same({"status": "ok", "action": "sync", "message": "no backup configured"})
    done = memory.backups.run()
    return _same({"status": "ok" if done.ran else "busy", "action": "sync", **render_upkeep.backed_up(done)})


ACTIONS: Mapping[str, Callable[[Memory, Given], Answer]] = {
    "forget": _forget,
    "get": _get,
    "update": _update,
    "status": _status,
    "undo": _undo,
    "history": _history,
    "consolidate": _consolidate,
    "clusters": _clusters,
    "archive": _archive,
    "restore": _restore,
    "sync": _sync,
}


def _id(given: Given, action: str) -> str:
    if "memory_id" not in given:
        raise Refused(f"memory_id is required for {action} action")
    return str(given["memory_id"])


def _same(document: Mapping[str, Any]) -> Answer:
    """The same for people and for programs."""
    return Answer(text=one_line(document), structured=document)


MANAGE = Tool(
    name="smriti_manage",
    title="Manage memories",
    description=(
        "forget a memory by id, or many by filter (a dry run unless dry_run is false); get one in full; update one; "
        "undo the last change or change_id; history of a memory; archive one (out of recall), or without an id list "
        "the archive; restore one; clusters (topics); consolidate; status; sync the backup. Forgetting can be undone "
        "for days, unless purge."
    ),
    params=(
        params.one_of("action", tuple(USES), required=True),
        params.text("memory_id", "To forget: also the id of a stated fact, event, cause, relation, concept or entity"),
        params.flag("purge", "Erase now, for good"),
        params.flag("dry_run"),
        params.whole("offset", 0, FAR, "Where to go on in a long memory"),
        params.text("change_id", "Or the id of what was changed or stated"),
        params.content("New text"),
        params.importance(),
        params.tags(),
        params.text("source"),
        params.text("session"),
        params.text("label"),
        params.choice("memory_type", MemoryType),
        params.text("occurred_at"),
        params.text("since"),
        params.text("until"),
        params.text("timezone"),
        params.flag("pinned"),
        params.metadata(),
    ),
    run=_manage,
    lane=lambda given: Lane.WRITE if given.get("action") in CHANGING else Lane.LOOK,
    destructive=True,
)
