# SPDX-License-Identifier: Apache-2.0
"""The JSON that ``--json`` prints for what a memory does for itself."""

from __future__ import annotations

from ..consolidate.communities import Cluster
from ..engine.upkeep.results import Archived, ArchivePage, Consolidated, Diagnosis, History, Restored, Topic
from .documents import Document, engram, moment


def consolidated(value: Consolidated) -> Document:
    return {
        "ran": value.ran,
        "dry_run": value.dry_run,
        "steps": {step: dict(counts) for step, counts in value.steps.items()},
        "would_archive": list(value.weak),
        "undo": value.undo,
        "seconds": round(value.seconds, 3),
        "resumed": value.resumed,
        "note": value.note,
    }


def cluster(value: Cluster) -> Document:
    return {"id": value.id, "name": value.name, "size": value.size, "cues": list(value.cues)}


def topic(value: Topic) -> Document:
    return {"cluster": cluster(value.cluster), "memories": [engram(each) for each in value.memories]}


def archive_page(value: ArchivePage) -> Document:
    return {"memories": [engram(each) for each in value.memories], "next": value.next}


def archived(value: Archived) -> Document:
    return {"ids": list(value.ids), "undo": value.undo}


def restored(value: Restored) -> Document:
    return {"ids": list(value.ids)}


def history(value: History) -> Document:
    return {
        "id": value.id,
        "memory": None if value.engram is None else engram(value.engram),
        "history": [
            {
                "at": moment(each.at),
                "action": each.action,
                "note": each.note,
                "change": each.change,
                "undo_until": moment(each.until),
                "before": each.before,
            }
            for each in value.happenings
        ],
    }


def diagnosis(value: Diagnosis) -> Document:
    return {
        "location": value.location,
        "healthy": value.healthy,
        "findings": [{"what": item.what, "serious": item.serious} for item in value.findings],
        "done": list(value.done),
        "checked": list(value.checked),
    }
