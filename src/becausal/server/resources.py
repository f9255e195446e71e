# SPDX-License-Identifier: Apache-2.0
"""What a client may read without calling a tool: the status and clusters, which it can list, and single memories."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ..errors import BecausalError, InvalidInput, NotFound
from . import render, render_upkeep
from .opening import MemorySource

if TYPE_CHECKING:
    import mcp_types

    from ..engine.memory import Memory

STATUS = "memory://status"
CLUSTER = "memory://cluster/{id}"
MEMORY = "memory://engram/{id}"
_URI = re.compile(r"memory://(cluster|engram)/([A-Za-z0-9-]{1,64})")
JSON = "application/json"


class Resources:
    """Lists and reads resources; every method is called in a worker thread."""

    def __init__(self, memories: MemorySource) -> None:
        self._memories = memories

    def listed(self) -> mcp_types.ListResourcesResult:
        """Return the status and the largest clusters, the largest first."""
        import mcp_types as types

        found = self._memory().upkeep.clusters(render.MANY)
        status = types.Resource(
            name="status",
            title="Status of the memory",
            uri=STATUS,
            description="Whose memory it is, what it holds, and what is wrong with it",
            mime_type=JSON,
        )
        return types.ListResourcesResult(
            resources=[
                status,
                *(
                    types.Resource(
                        name=f"cluster {cluster.id}",
                        title=cluster.name,
                        uri=CLUSTER.format(id=cluster.id),
                        description=f"{cluster.size} memories about {', '.join(cluster.cues) or cluster.name}",
                        mime_type=JSON,
                    )
                    for cluster in found
                ),
            ]
        )

    def read(self, uri: str) -> mcp_types.ReadResourceResult:
        """Return the status, a cluster with its most important memories, or a memory in full, as JSON.

        Raises:
            MCPError: there is nothing of that name.
        """
        import mcp_types as types
        from mcp.shared.exceptions import MCPError

        try:
            text = json.dumps(self._document(uri), ensure_ascii=False, indent=2)
        except (NotFound, InvalidInput) as error:
            raise MCPError(types.INVALID_PARAMS, f"Resource not found: {error}") from None
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=JSON, text=text)])

    def _document(self, uri: str) -> dict[str, Any]:
        if uri == STATUS:
            memory = self._memory()
            return render.status(memory.status(), memory.changes(render.RECENT))
        match = _URI.fullmatch(uri)
        if match is None:
            raise InvalidInput("uri", f"must be {STATUS}, {CLUSTER} or {MEMORY}")
        kind, id = match.groups()
        if kind == "engram":
            return render.detail(self._memory().get(id), 0)
        if not id.isdigit():
            raise InvalidInput("uri", "a cluster's id is a whole number")
        return render_upkeep.topic(self._memory().upkeep.cluster(int(id)))

    def _memory(self) -> Memory:
        from mcp.shared.exceptions import MCPError
        from mcp_types import INTERNAL_ERROR

        try:
            return self._memories.get()
        except BecausalError as error:
            raise MCPError(INTERNAL_ERROR, str(error)) from None


def templates() -> mcp_types.ListResourceTemplatesResult:
    """Return how resources are called."""
    import mcp_types as types

    return types.ListResourceTemplatesResult(
        resource_templates=[
            types.ResourceTemplate(
                name="cluster",
                title="Topic",
                uri_template=CLUSTER,
                description="Memories that belong together, with what tells them from others",
                mime_type=JSON,
            ),
            types.ResourceTemplate(
                name="memory", title="Memory", uri_template=MEMORY, description="One memory in full", mime_type=JSON
            ),
        ]
    )
