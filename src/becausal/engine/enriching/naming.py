# SPDX-License-Identifier: Apache-2.0
"""Names for the clusters, given by the chat model."""

from __future__ import annotations

import json
import logging
from typing import Any

from ...consolidate.communities import NAMES, given_names, read_clusters
from ...domain.text import clip
from ...models import prompts
from ...ports.batch import Batch
from ...ports.store import GraphStore
from .reading import UNREADABLE, Reader

log = logging.getLogger("becausal.enriching")

NAMED = 20
"""Clusters that the model names, the largest."""

MOST_NAMES = 200
LONGEST_NAME = 60


def name_clusters(store: GraphStore, reader: Reader) -> bool:
    """Have the largest clusters named that have no name for what they hold; return whether there were any."""
    given = given_names(store)
    clusters = read_clusters(store)[:NAMED]
    due = {each.id: each.cues for each in clusters if each.cues and (each.id, each.cues) not in given}
    if not due:
        return False
    known = [{"id": id, "terms": list(cues)} for id, cues in due.items()]
    items: Any = []
    try:
        items = reader.ask(prompts.clusters(known, seconds=reader.model.call_seconds)).data["names"]
    except UNREADABLE as error:
        log.warning("clusters keep the names that their cues give them: %s", error)
    names = dict.fromkeys(due, "")  # one without a name is not asked for again
    for item in items:
        if isinstance(item, dict) and item.get("id") in names and isinstance(item.get("name"), str):
            names[item["id"]] = clip(" ".join(item["name"].split()), LONGEST_NAME)
    kept = [[id, name, cues] for (id, cues), name in given.items() if id not in due]
    kept += [[id, name, due[id]] for id, name in names.items()]
    store.write(Batch(meta={NAMES: json.dumps(kept[-MOST_NAMES:], ensure_ascii=False)}))
    return True
