# SPDX-License-Identifier: Apache-2.0
"""Sessions: a short-term layer that stops work from being done twice, and the graph that keeps what proves useful.

The names are those of pmll-memory-mcp's Python package. Values live in the process; graphs are part of the
user's memory, where recall and questions find them, unless a program sets a file of its own with
``configure_db`` or ``PMLL_GRAPH_DB``.

>>> from becausal.session import upsert_node, create_relation, search_graph
>>> api = upsert_node("demo", "concept", "API client", "Wraps HTTP requests")
>>> search_graph("demo", "login client").direct[0].node.label
'API client'
"""

from .embeddings import EMBED_DIM, HashingVectorizer, TfIdfVectorizer, cosine_similarity, embed
from .kv_store import PMMemoryStore
from .memory_graph import (
    add_interlinked_context,
    clear_graph,
    configure_db,
    create_relation,
    export_graph,
    get_graph_stats,
    import_graph,
    prune_stale_links,
    reload_session_from_db,
    retrieve_with_traversal,
    search_graph,
    upsert_node,
)
from .peek import peek_context
from .q_promise_bridge import QPromiseRegistry
from .solution_engine import get_memory_status, promote_to_long_term, resolve_context

__all__ = [
    "EMBED_DIM",
    "HashingVectorizer",
    "PMMemoryStore",
    "QPromiseRegistry",
    "TfIdfVectorizer",
    "add_interlinked_context",
    "clear_graph",
    "configure_db",
    "cosine_similarity",
    "create_relation",
    "embed",
    "export_graph",
    "get_graph_stats",
    "get_memory_status",
    "import_graph",
    "peek_context",
    "promote_to_long_term",
    "prune_stale_links",
    "reload_session_from_db",
    "resolve_context",
    "retrieve_with_traversal",
    "search_graph",
    "upsert_node",
]
