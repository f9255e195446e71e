# SPDX-License-Identifier: Apache-2.0
"""What a memory does for itself, as JSON for tools and resources; lists are cut to a bound."""

from __future__ import annotations

from ..consolidate.communities import Cluster
from ..engine.upkeep.results import ArchivePage, BackedUp, Consolidated, History, Topic
from .render import MANY, Document, kept, moment, told


def consolidated(value: Consolidated) -> Document:
    extra = {
        "would_archive": list(value.weak[:MANY]),
        "undo": value.undo,
        "resumed": value.resumed,
        "note": value.note,
    }
    steps = {step: dict(counts) for step, counts in value.steps.items()}
    return {"ran": value.ran, "dry_run": value.dry_run, "steps": steps} | told(extra)


def cluster(value: Cluster) -> Document:
    return {"cluster_id": value.id, "name": value.name, "memories": value.size, "cues": list(value.cues)}


def topic(value: Topic) -> Document:
    """A cluster, and the first of its memories: what there is to know before asking for one."""
    return cluster(value.cluster) | {"most_important": [kept(engram) for engram in value.memories]}


def archive_page(value: ArchivePage) -> Document:
    listed = [kept(engram) | {"archived_at": moment(engram.archived_at)} for engram in value.memories]
    return {"archived": listed, "more": value.next is not None}


def backed_up(value: BackedUp) -> Document:
    if not value.ran:
        return {"message": value.note}
    return {"place": value.place, "version": value.version, "changed": value.changed, "memories": value.memories}


def history(value: History) -> Document:
    happened = [
        {"at": moment(each.at), "action": each.action, "note": each.note}
        | told(
            {
                "change_id": each.change,
                "undo_until": moment(each.until),
                "before": None if each.before is None else each.before[:1000],
            }
        )
        for each in value.happenings[-MANY:]
    ]
    return {"id": value.id, "forgotten": value.engram is None, "history": happened}
