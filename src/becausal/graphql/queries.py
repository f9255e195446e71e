# SPDX-License-Identifier: Apache-2.0
"""What can be asked."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import strawberry
from strawberry.types import Info

from ..domain.records import Kind, LinkKind, MemoryType, NodeType
from ..domain.text import normalize_name
from ..engine import validate
from ..ports.store import Condition, Op, Where
from . import limits, types
from .access import Access
from .bounds import GraphDepth, Name, Question, Size, SomeName, SomeTags, Top
from .graph_queries import GraphQueries
from .session_types import Context, Searched, SessionStatus, Slot, context, searched, session_status, slot
from .types import access

T = TypeVar("T")
In = Info[Access, Any]


@strawberry.type(description="Whether more follows, and the cursor for it.")
class PageInfo:
    has_next_page: bool
    end_cursor: str | None


@strawberry.type(description="A page of records, the newest first.")
class Page(Generic[T]):
    nodes: list[T]
    page_info: PageInfo


def _page(info: In, kind: Kind, where: Where, first: int, after: str | None, by: str | None = None) -> Page[Any]:
    page, following = access(info).page(kind, where, first, after, by)
    nodes = [types.record(each) for each in page.records]
    return Page(nodes=nodes, page_info=PageInfo(has_next_page=following is not None, end_cursor=following))


def _is(field: str, value: str | None) -> Where:
    return () if value is None else (Condition(field, Op.EQ, value),)


@strawberry.type(
    description="A field that fails is null and told in errors; the others are answered. A request may be at most "
    f"{limits.MAX_DEPTH} fields deep ({limits.MAX_SCHEMA_DEPTH} where it asks about the schema alone) and have "
    f"{limits.MAX_ALIASES} aliases, {limits.MAX_TEXT:,} characters, {limits.MAX_TOKENS:,} tokens and a complexity of "
    f"{limits.MAX_COST:,}: every field counts one, times what the lists around it may hold. An answer may have "
    f"{limits.MAX_ANSWER:,} bytes. What asks for more is refused before anything is read or changed."
)
class Query(GraphQueries):
    @strawberry.field(description="One memory, by its id.")
    def engram(self, info: In, id: strawberry.ID) -> types.Engram | None:
        found: types.Engram | None = types.record(access(info).one(Kind.ENGRAM, id))
        return found

    @strawberry.field(
        description="Memories that match all that is given, the last told first; since and until are about when they "
        "happened, or were told, and with either the last of those come first."
    )
    def engrams(
        self,
        info: In,
        first: Size = 20,
        after: str | None = None,
        session: str | None = None,
        source: str | None = None,
        label: SomeName = None,
        tag: str | None = None,
        memory_type: str | None = None,
        node_type: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> Page[types.Engram] | None:
        where: Where = (Condition("archived_at", Op.NULL, True),)
        where += _is("session", session) + _is("source", source) + _is("label", label)
        if tag is not None:
            where += (Condition("tags", Op.HAS, (tag,)),)
        if memory_type is not None:
            where += _is("memory_type", validate.choice(memory_type, "memoryType", MemoryType))
        if node_type is not None:
            where += _is("node_type", validate.choice(node_type, "nodeType", NodeType))
        if since is not None:
            where += (Condition("at", Op.GE, access(info).when(since, "since").start),)
        if until is not None:
            where += (Condition("at", Op.LT, access(info).when(until, "until").end),)
        by = "created_at" if since is None and until is None else "at"
        return _page(info, Kind.ENGRAM, where, first, after, by)

    @strawberry.field(description="The names under which memories are found.")
    def cues(
        self, info: In, first: Size = 20, after: str | None = None, name: str | None = None
    ) -> Page[types.Cue] | None:
        return _page(info, Kind.CUE, _is("name", name and normalize_name(name)), first, after)

    @strawberry.field(description="People and things with names.")
    def entities(
        self, info: In, first: Size = 20, after: str | None = None, name: str | None = None
    ) -> Page[types.Entity] | None:
        return _page(info, Kind.ENTITY, _is("key", name and normalize_name(name)), first, after)

    @strawberry.field(description="Events that happened between two times, told in ISO 8601 or in words.")
    def events(
        self,
        info: In,
        first: Size = 20,
        after: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> Page[types.Event] | None:
        where: Where = ()
        if since is not None:
            where += (Condition("occurred_end", Op.GT, access(info).when(since, "since").start),)
        if until is not None:
            where += (Condition("occurred_at", Op.LT, access(info).when(until, "until").end),)
        return _page(info, Kind.EVENT, where, first, after)

    @strawberry.field(description="Facts, about a subject where one is given.")
    def facts(
        self, info: In, first: Size = 20, after: str | None = None, subject: str | None = None
    ) -> Page[types.Fact] | None:
        return _page(info, Kind.FACT, _is("subject", subject), first, after)

    @strawberry.field(description="What causes or is caused.")
    def causes(self, info: In, first: Size = 20, after: str | None = None) -> Page[types.Cause] | None:
        return _page(info, Kind.CAUSE, (), first, after)

    @strawberry.field(description="Links from and to a record, the strongest first; kinds such as C_CAUSES.")
    def links(
        self, info: In, of: strawberry.ID, kinds: list[str] | None = None, first: Size = 20
    ) -> list[types.Link] | None:
        chosen = [validate.choice(kind, "kinds", LinkKind) for kind in kinds or ()]
        return [types.link(each) for each in access(info).links(of, chosen, first)]

    @strawberry.field(description="Memories by meaning alone.")
    def search(self, info: In, query: Question, limit: Size = 10) -> types.Recalled | None:
        return _recalled(info, query, limit, mode="search")

    @strawberry.field(
        description="Memories by words, meaning, names, time and associations together, or in another mode: search "
        "(meaning alone), fts (words alone), hybrid (both). since and until are about when they happened."
    )
    def recall(
        self,
        info: In,
        query: Question,
        limit: Size = 10,
        session: str | None = None,
        cursor: str | None = None,
        mode: str = "recall",
        memory_type: str | None = None,
        tags: SomeTags = None,
        source: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> types.Recalled | None:
        return _recalled(
            info,
            query,
            limit,
            mode=mode,
            session=session,
            cursor=cursor,
            memory_type=memory_type,
            tags=tags or (),
            source=source,
            since=since,
            until=until,
        )

    @strawberry.field(description="An answer to a question, with its chain of causes and its sources.")
    def ask(
        self, info: In, question: Question, limit: Size = 10, since: str | None = None, until: str | None = None
    ) -> types.Answer | None:
        return types.answer(access(info).memory.ask(question, limit=limit, since=since, until=until))

    @strawberry.field(description=f"The values of a session, by slot, the first {validate.MAX_LIMIT}.")
    def slots(self, info: In, session: Name) -> list[Slot] | None:
        silo = access(info).sessions.silos.get(session)
        return [] if silo is None else [slot(each) for each in silo.slots()[: validate.MAX_LIMIT]]

    @strawberry.field(description="What a session holds, in both layers.")
    def session_status(self, info: In, session: Name) -> SessionStatus | None:
        return session_status(access(info).sessions.status(session))

    @strawberry.field(description="Nodes of a session that are like a query, and their neighbours.")
    def search_graph(
        self, info: In, session: Name, query: Question, max_depth: GraphDepth = 1, top_k: Top = 5
    ) -> Searched | None:
        return searched(access(info).sessions.walker.search(session, query, max_depth, top_k))

    @strawberry.field(description="The value of a key: from the session's values, else from its graph, else miss.")
    def resolve_context(self, info: In, session: Name, key: Name) -> Context | None:
        return context(access(info).sessions.resolve_context(session, key))

    @strawberry.field(description="The state of the memory.")
    def status(self, info: In) -> types.MemoryStatus | None:
        return types.memory_status(access(info).memory.status())


def _recalled(info: In, query: str, limit: int, **given: Any) -> types.Recalled:
    told = access(info).memory.recall(query, limit=limit, max_tokens=8_000, **given)
    return types.Recalled(
        results=[types.found(each) for each in told.results],
        confidence=told.confidence,
        degraded=told.degraded,
        next=told.next,
        pending=told.pending,
    )
