# SPDX-License-Identifier: Apache-2.0
"""A graph that another program has made is left as it is: the memory then lies beside it."""

from __future__ import annotations

from ..foreign_graphs import advice, system_of
from .session import Session

SUFFIX = "_becausal"


def settle(session: Session) -> str | None:
    """Have a session use the graph beside its own if that is another program's; return what a person should know.

    Ours has a root, which is the first node that it gets. The graph beside is used from then on, also when the other
    one is gone.
    """
    name = session.graph
    known = session.graphs()
    theirs = name in known and _is_foreign(session)
    if theirs:
        labels = [label for (label,) in session.read("CALL db.labels() YIELD label RETURN label")]
        system = system_of(labels)
    if theirs or f"{name}{SUFFIX}" in known:
        session.use(f"{name}{SUFFIX}")
    if not theirs:
        return None
    return (
        f"The graph '{name}' is of {system}. It is left untouched, and this memory lies beside it, in "
        f"'{session.graph}'.{advice(system, f'{session.server}/{name}')}"
    )


def _is_foreign(session: Session) -> bool:
    # In one query: between two, another process could make its memory's first node.
    rows = session.read(
        "MATCH (n) WITH n LIMIT 1 OPTIONAL MATCH (r:Root) WHERE r._owner IS NOT NULL RETURN r IS NULL LIMIT 1"
    )
    return rows == [[True]]
