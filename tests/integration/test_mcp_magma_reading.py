# SPDX-License-Identifier: Apache-2.0
"""The toolset ``magma``: its tools that read, merging and linearising what they answer, and clearing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from becausal.domain.records import Kind
from becausal.engine.memory import Memory
from memory_tools import TurnableClock, open_test_memory
from toolclient import client, done, ready, refused

pytestmark = pytest.mark.anyio

STORY = (
    "On Monday Dana removed JWT_SECRET from the auth-service.",
    "The deploy missed the secret because Dana removed JWT_SECRET from the auth-service on 8 June 2026.",
    "The missing secret led to a crash of the auth-service on 9 June 2026.",
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_test_memory(tmp_path, clock=TurnableClock()) as opened:
        yield opened


async def services(agent: Client, *names: str) -> list[str]:
    """Add services, each depending on the next; return their ids."""
    ids = [(await done(agent, "add_entity", name=name, entity_type="SERVICE")).data["uuid"] for name in names]
    for one, other in pairwise(ids):
        await done(agent, "link_entities", source=one, target=other, relationship="depends_on")
    return ids


def pairs(seed: dict[str, Any]) -> set[tuple[str, str]]:
    return {(each["source"]["name"], each["target"]["name"]) for each in seed["relationships"]}


# --- concepts ---


async def test_a_search_names_its_seeds_first_and_says_what_to_do_with_them(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        (id,) = await services(agent, "auth-service")
        found = await done(agent, "semantic_search", query="auth service")
        nothing = await done(agent, "semantic_search", query="zebra")
    assert list(found.json)[:4] == ["seedEntityIds", "seedEntityCount", "instruction", "matches"]
    assert (found.json["seedEntityIds"], found.json["seedEntityCount"]) == ([id], 1)
    (match,) = found.json["matches"]
    assert (match["conceptName"], match["linkedEntityNames"]) == ("auth service", ["auth-service"])
    assert {"matches", "allEntityIds", "query", "total"} <= set(found.data)
    assert nothing.json["matches"] == []
    assert "hint" in nothing.json


async def test_a_concept_known_in_several_ways_is_one_match(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        await done(agent, "remember", content="The auth-service is slow.")
        await done(agent, "add_entity", name="auth-service", entity_type="SERVICE")
        concept = (await done(agent, "add_concept", name="Auth Service", description="who may log in")).data
        (match,) = (await done(agent, "semantic_search", query="auth service")).data["matches"]
    assert match["concept"]["uuid"] == concept["uuid"]
    assert match["linkedEntityNames"] == ["auth-service"]


async def test_the_limit_and_the_least_score_hold(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        for name in ("red kettle", "blue kettle", "green kettle", "tax returns"):
            await done(agent, "add_concept", name=name)
        two = (await done(agent, "semantic_search", query="kettle blue", limit=2, min_score=0.3)).data
        sure = (await done(agent, "semantic_search", query="kettle blue", min_score=0.99)).data
    assert two["matches"][0]["concept"]["name"] == "blue kettle"
    assert two["total"] == 2
    assert [each["concept"]["name"] for each in sure["matches"]] == ["blue kettle"]


# --- entities ---


async def test_the_depth_of_a_look_up_has_an_effect(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        ids = await services(agent, "a", "b", "c", "d")
        found = [(await done(agent, "entity_lookup", entity_ids=["a"], depth=depth)).data for depth in (1, 2, 3)]
    assert [len(each["entities"][0]["relationships"]) for each in found] == [1, 2, 3]
    assert pairs(found[2]["entities"][0]) == {("a", "b"), ("b", "c"), ("c", "d")}
    assert [(each["uuid"], each["distance"]) for each in found[2]["related"]] == list(
        zip(ids[1:], (1, 2, 3), strict=True)
    )
    assert [each["total"] for each in found] == [1, 1, 1]


async def test_a_relation_that_holds_no_more_says_until_when_it_did(memory: Memory) -> None:
    memory.store("Ilse lives in Berlin.", occurred_at="2021-01-01")
    memory.store("Ilse moved to Lyon in May 2024.", occurred_at="2024-05-20")
    async with client(ready(memory), "magma") as agent:
        found = (await done(agent, "entity_lookup", entity_ids=["Ilse"], depth=1)).data["entities"][0]["relationships"]
    assert {each["target"]["name"]: each.get("endedAt", "holds")[:10] for each in found} == {
        "Berlin": "2024-05-01",
        "Lyon": "holds",
    }


async def test_properties_come_on_request_and_ids_that_are_none_are_named(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        await done(agent, "add_entity", name="Redis", entity_type="DB", properties={"port": 6379})
        plain = await done(agent, "entity_lookup", entity_ids=["redis", "ghost"])
        full = await done(agent, "entity_lookup", entity_ids=["redis"], include_properties=True)
        nobody = await done(agent, "entity_lookup", entity_ids=["ghost"])
    assert set(plain.data["entities"][0]["entity"]) == {"uuid", "name"}
    assert plain.data["unresolved"] == ["ghost"]
    assert full.data["entities"][0]["entity"]["properties"] == {"port": 6379}
    assert nobody.json["entities"] == []
    assert (nobody.json["depth"], nobody.json["total"], nobody.json["unresolved"]) == (2, 0, ["ghost"])
    assert {"hint", "instruction"} <= set(nobody.json)


# --- the time line ---


async def test_events_of_any_year_are_found_in_order_unless_a_window_is_given(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        await services(agent, "Bridge")
        for when in ("1999-12-31T23:00Z", "2051-01-01", "2026-06-01T08:00Z"):
            await done(agent, "add_event", description=f"bridge {when}", occurred_at=when, entities=["bridge"])
        found = await done(agent, "temporal_expand", entity_ids=["BRIDGE"])
        window = await done(
            agent, "temporal_expand", entity_ids=["bridge"], **{"from": "2026-06-01T08:00Z", "to": "2026"}
        )
    assert [event["occurred_at"][:4] for event in found.data["events"]] == ["1999", "2026", "2051"]
    assert (found.data["from"], found.data["to"], found.data["total"]) == (None, None, 3)
    assert [event["occurred_at"][:4] for event in window.data["events"]] == ["2026"]
    assert (window.data["from"], window.data["to"]) == ("2026-06-01T08:00:00.000Z", "2027-01-01T00:00:00.000Z")
    assert "instruction" in found.json


async def test_the_depth_of_the_time_line_reaches_related_entities(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        await services(agent, "a-service", "b-service", "c-service")
        for name in ("a-service", "b-service", "c-service"):
            await done(agent, "add_event", description=f"{name} restarted", occurred_at="2026-05-01", entities=[name])
            await done(
                agent, "add_fact", subject=name, predicate="owned by", object=f"team of {name}", valid_from="2026"
            )
        found = [
            (await done(agent, "temporal_expand", entity_ids=["a-service"], depth=depth)).data for depth in (1, 2, 3)
        ]
        nothing = await done(agent, "temporal_expand", entity_ids=["ghost"])
    assert [len(each["events"]) for each in found] == [1, 2, 3]
    assert [len(each["facts"]) for each in found] == [1, 2, 3]
    assert [event.get("distance", 0) for event in found[2]["events"]] == [0, 1, 2]
    assert nothing.data["unresolved"] == ["ghost"]
    assert "hint" in nothing.json


async def test_facts_about_a_name_are_found_also_where_there_is_no_such_entity(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        added = await done(agent, "add_fact", subject="I", predicate="live in", object="Bonn", valid_from="2020")
        found = (await done(agent, "temporal_expand", entity_ids=["i"])).data
    assert [fact["uuid"] for fact in found["facts"]] == [added.data["uuid"]]


# --- causes ---


async def test_direction_and_depth_bound_what_is_followed(memory: Memory) -> None:
    happened = ("the pump stopped", "the boiler cooled", "a pipe froze", "the wall cracked", "our roof fell")
    async with client(ready(memory), "magma") as agent:
        for cause, effect in pairwise(happened):
            await done(agent, "add_causal_link", cause=cause, effect=effect)

        async def causes(**arguments: Any) -> set[int]:
            links = (await done(agent, "causal_expand", entity_ids=["A Pipe Froze"], **arguments)).data["links"]
            return {happened.index(link["cause"]) for link in links}

        assert await causes() == {0, 1, 2, 3}
        assert await causes(direction="upstream") == {0, 1}
        assert await causes(direction="downstream") == {2, 3}
        assert await causes(direction="downstream", depth=1) == {2}


async def test_of_several_links_between_two_causes_the_surest_is_shown_once(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        await done(agent, "remember", content="The dam may have broken because the rain was heavy.", context="radio")
        await done(agent, "remember", content="The dam broke because the rain was heavy.", context="paper")
        links = (await done(agent, "causal_expand", entity_ids=["the rain was heavy"])).data["links"]
    broke = [link for link in links if link["effect"] == "The dam broke"]
    assert len(broke) == 1
    assert broke[0]["evidence"] == "The dam broke because the rain was heavy."


async def test_a_chain_crosses_to_what_means_the_same_and_is_the_less_certain_for_it(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        await done(agent, "add_causal_link", cause="Rain", effect="the old stone dam near the mill broke")
        await done(agent, "add_causal_link", cause="the old stone dam near the mill broke up", effect="Flood")
        found = (await done(agent, "causal_expand", entity_ids=["flood"])).data
    (same,) = found["same"]
    (chain,) = found["chains"]
    assert chain["root_cause"] == "Rain"
    assert 0.8 <= same["score"] < 1
    assert chain["confidence"] == pytest.approx(same["score"], abs=1e-4)
    assert [hop.get("sameAs") is not None for hop in chain["hops"]] == [True, False]


async def test_increased_and_decreased_are_not_the_same(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        await done(agent, "add_causal_link", cause="x", effect="the water level of the lake increased slowly")
        await done(agent, "add_causal_link", cause="the water level of the lake decreased slowly", effect="y")
        found = (await done(agent, "causal_expand", entity_ids=["y"])).data
    assert "same" not in found
    assert [chain["root_cause"] for chain in found["chains"]] == ["the water level of the lake decreased slowly"]


async def test_a_circle_of_causes_is_shown_as_one(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        for cause, effect in (("load", "timeouts"), ("timeouts", "retries"), ("retries", "load")):
            await done(agent, "add_causal_link", cause=cause, effect=effect)
        found = await done(agent, "causal_expand", entity_ids=["retries"])
        nothing = await done(agent, "causal_expand", entity_ids=["ghost"])
    assert len(found.data["links"]) == 3
    assert found.data["chains"][0]["cyclic"] is True
    assert nothing.data["unresolved"] == ["ghost"]
    assert "hint" in nothing.json


# --- merging ---


def view(source: str, *scores: float | None) -> dict[str, Any]:
    nodes = [{"uuid": "n", "data": {"name": source}} | ({} if score is None else {"score": score}) for score in scores]
    return {"source": source, "nodes": nodes}


@pytest.mark.parametrize(
    ("views", "boost", "score"),
    [
        ([view("entity", 0.9), view("causal", 0.7)], 2, 1.6),
        ([view("semantic", 0.5), view("entity", 0.6), view("temporal", 0.7)], 1.5, 1.35),
        ([view("entity", None)], 1.5, 1.0),
        ([view("entity", 0.5), view("entity", 0.7)], 1.5, 0.6),
    ],
)
async def test_a_node_of_several_views_scores_its_mean_times_the_boost(
    memory: Memory, views: list[dict[str, Any]], boost: float, score: float
) -> None:
    async with client(ready(memory), "magma") as agent:
        merged = await done(agent, "subgraph_merge", views=views, multi_view_boost=boost)
    (node,) = merged.data["merged"]["nodes"]
    assert node["finalScore"] == score
    assert node["viewCount"] == len({each["source"] for each in views})
    assert node["data"] == {"name": views[0]["source"]}
    assert merged.json == merged.data["merged"]
    assert merged.data["nodeCount"] == 1


async def test_views_without_nodes_merge_to_nothing(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        merged = (await done(agent, "subgraph_merge", views=[{"source": "entity", "nodes": []}])).data
    assert merged["merged"]["nodes"] == []
    assert merged["viewContributions"] == {"semantic": 0, "entity": 0, "temporal": 0, "causal": 0}


async def test_a_view_brings_its_fifty_best_nodes(memory: Memory) -> None:
    nodes = [{"uuid": str(number), "data": {}, "score": number / 100} for number in range(60)]
    async with client(ready(memory), "magma") as agent:
        merged = (await done(agent, "subgraph_merge", views=[{"source": "causal", "nodes": nodes}])).data
        few = (await done(agent, "subgraph_merge", views=[{"source": "causal", "nodes": nodes}], min_score=0.585)).data
    assert merged["viewContributions"]["causal"] == 50
    assert {node["uuid"] for node in merged["merged"]["nodes"]} == {str(number) for number in range(10, 60)}
    assert [node["uuid"] for node in few["merged"]["nodes"]] == ["59"]


@pytest.mark.parametrize("boost", [0.5, 10.5])
async def test_a_boost_out_of_range_is_refused_in_words(memory: Memory, boost: float) -> None:
    async with client(ready(memory), "magma") as agent:
        said = await refused(agent, "subgraph_merge", views=[view("entity", 1.0)], multi_view_boost=boost)
    assert f"multi_view_boost: must be a number from 1 to 10, got {boost}" in said


@pytest.mark.parametrize(
    ("views", "path"),
    [
        ([{"nodes": []}], "views.0.source"),
        ([{"source": "sideways", "nodes": []}], "views.0.source"),
        ([{"source": "entity"}], "views.0.nodes"),
        ([{"source": "entity", "nodes": [{"uuid": "a"}, {"data": {}}]}], "views.0.nodes.1.uuid"),
        ([{"source": "entity", "nodes": [{"uuid": "a", "score": "high"}]}], "views.0.nodes.0.score"),
        ([{"source": "entity", "nodes": [], "edges": [{"source": "a"}]}], "views.0.edges.0.target"),
        ([{"source": "causal", "links": [{"cause": "a"}]}], "views.0.links"),
        ([view("entity", 1.0)] * 17, "views"),
    ],
)
async def test_what_is_wrong_with_a_view_is_said_with_its_place(memory: Memory, views: Any, path: str) -> None:
    async with client(ready(memory), "magma") as agent:
        said = await refused(agent, "subgraph_merge", views=views)
    assert f"\n  - {path}: " in said


async def expanded(agent: Client) -> list[dict[str, Any]]:
    """Tell the story, and return what each graph answers about the auth-service as a view."""
    for sentence in STORY:
        await done(agent, "remember", content=sentence)
    seeds = ["auth-service"]
    answers = [
        ("entity", await done(agent, "entity_lookup", entity_ids=seeds)),
        ("temporal", await done(agent, "temporal_expand", entity_ids=seeds)),
        ("causal", await done(agent, "causal_expand", entity_ids=seeds)),
    ]
    return [{"source": source, **answer.json} for source, answer in answers]


async def test_answers_of_the_expand_tools_merge_as_they_are_and_a_node_of_three_views_counts_for_more(
    memory: Memory,
) -> None:
    async with client(ready(memory), "magma") as agent:
        views = await expanded(agent)
        merged = (await done(agent, "subgraph_merge", views=views)).data["merged"]
    nodes = {node["data"].get("name") or node["data"]["description"]: node for node in merged["nodes"]}
    service = nodes["auth-service"]
    assert service["views"] == ["entity", "temporal", "causal"]
    assert service["finalScore"] == pytest.approx(1.0 * 2.25)
    crash = nodes["a crash of the auth-service on 9 June 2026"]
    assert crash["viewCount"] == 3
    assert crash["finalScore"] == pytest.approx(crash["data"]["confidence"] * 2.25)
    kinds = {edge["type"] for edge in merged["edges"]}
    assert {"C_CAUSES", "X_AFFECTS", "X_INVOLVES"} <= kinds
    known = {node["uuid"] for node in merged["nodes"]}
    assert all({edge["source"], edge["target"]} <= known for edge in merged["edges"])


async def test_answers_of_the_expand_tools_turned_into_nodes_by_the_client_count_the_same(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        _, temporal, causal = await expanded(agent)
        id = (await done(agent, "semantic_search", query="auth-service")).data["allEntityIds"][0]
        views = [
            {"source": "entity", "nodes": [{"uuid": id, "data": {"name": "auth-service"}, "score": 0.8}]},
            {"source": "temporal", "nodes": [{"uuid": each["uuid"], "data": each} for each in temporal["events"]]},
            {
                "source": "causal",
                "nodes": [{"uuid": each["effectId"], "data": {}, "score": 0.5} for each in causal["links"]],
            },
        ]
        nodes = (await done(agent, "subgraph_merge", views=views)).data["merged"]["nodes"]
    (service,) = [node for node in nodes if node["uuid"] == id]
    assert service["finalScore"] == pytest.approx(0.8 * 2.25)


# --- linearising ---


async def test_the_context_of_why_puts_causes_before_effects(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        merged = (await done(agent, "subgraph_merge", views=await expanded(agent))).json
        why = await done(agent, "linearize_context", subgraph=merged, intent="WHY")
    causal = why.text.index("Dana removed JWT_SECRET"), why.text.index("The deploy missed the secret")
    assert causal[0] < causal[1]
    assert why.text.startswith("## Causes before effects")
    assert why.data["text"] == why.text
    assert why.data["strategy"] == "causal_chain"
    assert why.data["nodeCount"] == len(merged["nodes"])
    assert why.data["estimatedTokens"] == -(-len(why.text) // 4)


async def test_a_chain_given_back_without_edges_is_still_in_order(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        for cause, effect in (("z first", "y second"), ("y second", "a third")):
            await done(agent, "add_causal_link", cause=cause, effect=effect)
        view = {"source": "causal", **(await done(agent, "causal_expand", entity_ids=["a third"])).data}
        answer = (await done(agent, "subgraph_merge", views=[view])).data
        del answer["merged"]["edges"]
        answer["merged"]["nodes"].reverse()
        why = (await done(agent, "linearize_context", subgraph=answer, intent="WHY")).text
    assert why.index("z first") < why.index("y second") < why.index("a third")


async def test_the_context_of_when_goes_by_time_and_keeps_to_its_budget(memory: Memory) -> None:
    nodes = [
        {
            "uuid": str(day),
            "data": {"description": f"event of day {day:02}", "occurred_at": f"2026-05-{day:02}T00:00:00Z"},
            "views": ["temporal"],
            "viewCount": 1,
            "finalScore": day / 10,
        }
        for day in range(1, 29)
    ]
    async with client(ready(memory), "magma") as agent:
        when = await done(agent, "linearize_context", subgraph={"nodes": nodes}, intent="WHEN", max_tokens=200)
        everything = await done(agent, "linearize_context", subgraph={"nodes": nodes}, intent="WHEN")
    assert when.data["strategy"] == "temporal"
    assert when.data["estimatedTokens"] <= 200
    assert 0 < when.data["nodeCount"] < 28
    assert "cut here" in when.text
    shown = [line[10:-10] for line in everything.text.splitlines() if "event of day" in line]
    assert shown == sorted(shown)
    assert everything.data["nodeCount"] == 28
    assert "28 in all" in everything.text


async def test_a_subgraph_that_is_none_is_refused_with_the_place(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        for subgraph, path in (
            ("nodes", "subgraph"),
            ({}, "subgraph.nodes"),
            ({"nodes": [{"uuid": "a", "views": ["nowhere"]}]}, "subgraph.nodes.0.views"),
            ({"nodes": [{"uuid": "a", "finalScore": "x"}]}, "subgraph.nodes.0.finalScore"),
        ):
            said = await refused(agent, "linearize_context", subgraph=subgraph, intent="WHAT")
            assert f"\n  - {path}: " in said


# --- statistics and clearing ---


async def test_statistics_count_each_graph_and_all_four_cross_links(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        await expanded(agent)
        counted = await done(agent, "get_statistics")
    assert json.loads(counted.text) == counted.data
    assert set(counted.data) == {
        "semantic_nodes",
        "temporal_nodes",
        "causal_nodes",
        "entity_nodes",
        "total_relationships",
        "cross_links",
    }
    assert set(counted.data["cross_links"]) == {"X_REPRESENTS", "X_INVOLVES", "X_REFERS_TO", "X_AFFECTS"}
    assert all(count > 0 for count in counted.data["cross_links"].values())


async def test_clearing_a_graph_leaves_no_link_to_what_is_gone_and_no_memory_untold(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        await expanded(agent)
        await done(agent, "add_entity", name="Billing", entity_type="SERVICE")
        told = memory.status().counts[Kind.ENGRAM]
        cleared = await done(agent, "clear_graph", graph="entity")
        left = (await done(agent, "get_statistics")).data
        assert cleared.text == "entity graph cleared successfully"
        assert left["entity_nodes"] == 0
        assert [left["cross_links"][name] for name in ("X_REPRESENTS", "X_INVOLVES", "X_AFFECTS")] == [0, 0, 0]
        assert left["cross_links"]["X_REFERS_TO"] > 0
        counts = [left[f"{graph}_nodes"] for graph in ("semantic", "temporal", "causal", "entity")]
        assert cleared.data["remainingNodes"] == sum(counts)
        assert (await done(agent, "semantic_search", query="billing")).data["matches"] == []
        everything = await done(agent, "clear_graph", graph="all")
        assert everything.text == "All graphs cleared successfully"
        left = (await done(agent, "get_statistics")).data
    assert [left[f"{graph}_nodes"] for graph in ("temporal", "causal", "entity")] == [0, 0, 0]
    assert memory.status().counts[Kind.ENGRAM] == told
    assert memory.recall("Who removed JWT_SECRET?").results
    assert memory.graphs.statistics().causal == 0


async def test_clearing_concepts_takes_the_stated_ones_and_leaves_those_of_memories(memory: Memory) -> None:
    async with client(ready(memory), "magma", "engram") as agent:
        await done(agent, "remember", content="The circuit breaker tripped in Grafana.")
        before = (await done(agent, "get_statistics")).data["semantic_nodes"]
        await done(agent, "add_concept", name="Backpressure")
        await done(agent, "add_concept", name="circuit breaker", description="a switch")
        cleared = await done(agent, "clear_graph", graph="semantic")
        left = (await done(agent, "get_statistics")).data["semantic_nodes"]
        found = (await done(agent, "smriti_recall", query="circuit breaker")).json
    assert cleared.text == "semantic graph cleared successfully"
    assert left == before
    assert [result["content"] for result in found] == ["The circuit breaker tripped in Grafana."]


async def test_clearing_the_time_line_takes_back_what_undo_would_bring_back(memory: Memory) -> None:
    async with client(ready(memory), "magma", "engram") as agent:
        for place, year in (("Bonn", "2019"), ("Rome", "2022")):
            await done(agent, "add_fact", subject="Alice", predicate="lives in", object=place, valid_from=year)
        await done(agent, "clear_graph", graph="temporal")
        assert (await done(agent, "temporal_expand", entity_ids=["alice"])).data["facts"] == []
        assert (await done(agent, "smriti_manage", action="status")).data["changes"] == []
