# SPDX-License-Identifier: Apache-2.0
"""The graphs from the command line: time lines, trees of relations and of causes, and stating both."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import CommandLine


@pytest.fixture
def becausal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "storage"
    folder.mkdir()
    return CommandLine(folder)


@pytest.fixture
def flood(becausal: CommandLine) -> CommandLine:
    for at, text in (
        ("2025-03-01", "The cellar was flooded because the roof leaked."),
        ("2025-03-02", "The fuse blew because the cellar was flooded."),
        ("2025-03-02", "The freezer thawed because the fuse blew."),
    ):
        becausal.store(text, "--occurred-at", at, "--source", "house")
    return becausal


# --- timeline ---


def test_a_time_line_goes_by_time_and_dates_are_as_exact_as_they_were_told(becausal: CommandLine) -> None:
    becausal.store("The boiler was serviced at 7:45 on 6 March 2025.", "--timezone", "UTC")
    becausal.store("The shop opened in 2019.")
    becausal.store("In May 2024 the roof was mended.")
    ran = becausal("timeline", env={"TZ": "UTC"})
    assert ran.code == 0
    times = [line.split("  ")[0] for line in ran.out.splitlines()]
    assert times == ["2019", "2024-05", "2025-03-06 07:45"]


def test_a_time_line_can_be_bounded_and_says_that_there_is_earlier(becausal: CommandLine) -> None:
    for month in range(1, 6):
        becausal.store(f"Delivery {month} came.", "--occurred-at", f"2025-0{month}-10")
    ran = becausal("timeline", "--limit", "2")
    assert ran.out.splitlines()[0].startswith("… earlier")
    assert [line[:10] for line in ran.out.splitlines()[1:]] == ["2025-04-10", "2025-05-10"]
    document = becausal("timeline", "--since", "2025-02", "--until", "2025-03", "--json").json
    assert [entry["description"] for entry in document["entries"]] == ["Delivery 2 came.", "Delivery 3 came."]
    assert document["truncated"] is False


def test_facts_stand_where_they_began_and_say_until_when_they_held(becausal: CommandLine) -> None:
    with becausal.memory() as memory:
        memory.graphs.add_fact("Alice", "lives in", "Rome", "2024-01-15", "2025-04-15")
    ran = becausal("timeline", env={"TZ": "UTC"})
    assert ran.out == "2024-01-15  fact: Alice lives in Rome (until 2025-04-15)\n"
    (entry,) = becausal("timeline", "--json").json["entries"]
    assert (entry["kind"], entry["valid_to"]) == ("fact", "2025-04-15T00:00:00Z")


def test_a_time_line_about_a_thing_or_a_question_leaves_out_the_rest(becausal: CommandLine) -> None:
    becausal.store("Acme Ltd was founded in 1998.")
    becausal.store("The choir sang in 2001.")
    assert "Acme" in becausal("timeline", "acme", "ltd").out
    assert "choir" not in becausal("timeline", "acme", "ltd").out
    assert becausal("timeline", "when did the choir sing").out.splitlines() == ["2001  The choir sang in 2001."]


def test_an_empty_time_line_says_so_and_is_no_error(becausal: CommandLine) -> None:
    ran = becausal("timeline", "--since", "2025")
    assert (ran.code, ran.out) == (0, "Nothing found.\n")


# --- graph and relate ---


def test_a_relation_that_has_ended_is_drawn_as_past(becausal: CommandLine) -> None:
    becausal.store("Alice works at Acme.", "--occurred-at", "2026-03-01")
    becausal.store("Alice works at Globex.", "--occurred-at", "2026-05-01")
    drawn = becausal("graph", "Alice").out.splitlines()

    assert "├─ works at (until 2026-05-01) → Acme" in drawn
    assert any(line.endswith("works at → Globex") for line in drawn)
    relations = becausal("graph", "Alice", "--json").json["relations"]
    assert [each["until"][:10] if each["until"] else None for each in relations].count("2026-05-01") == 1
    becausal("relate", "Alice", "works_at", "Acme")
    assert "until" not in "".join(line for line in becausal("graph", "Alice").out.splitlines() if "→ Acme" in line)


def test_relations_that_are_stated_are_drawn_as_a_tree_in_both_directions(becausal: CommandLine) -> None:
    assert becausal("relate", "Alice", "works at", "Acme", "--add").code == 0
    becausal("relate", "Acme", "based in", "Berlin", "--add")
    becausal("relate", "Bob", "knows", "Alice", "--add")
    assert becausal("graph", "alice").out.splitlines() == [
        "Alice (thing)",
        "├─ ← knows Bob",
        "└─ works at → Acme",
        "   └─ based in → Berlin",
    ]
    assert "Berlin" not in becausal("graph", "alice", "--depth", "1").out
    document = becausal("graph", "Alice", "--json").json
    assert document["entity"]["name"] == "Alice"
    assert {(each["name"], each["distance"]) for each in document["entities"]} == {
        ("Alice", 0),
        ("Acme", 1),
        ("Bob", 1),
        ("Berlin", 2),
    }
    assert {each["relation"] for each in document["relations"]} == {"works at", "knows", "based in"}


def test_things_that_relate_in_a_circle_are_drawn_once(becausal: CommandLine) -> None:
    for source, target in (("one", "two"), ("two", "three"), ("three", "one")):
        becausal("relate", source, "precedes", target, "--add")
    out = becausal("graph", "one", "--depth", "5").out
    assert out.count("precedes") == 3
    assert len(out.splitlines()) == 4


def test_a_thing_with_many_relations_has_the_others_counted(becausal: CommandLine) -> None:
    with becausal.memory() as memory:
        memory.graphs.add_entity("hub", "thing")
        for number in range(20):
            memory.graphs.add_entity(f"spoke {number}", "thing")
            memory.graphs.link_entities("hub", "holds", f"spoke {number}")
    lines = becausal("graph", "hub").out.splitlines()
    assert lines[-1] == "└─ … 12 more"
    assert len(lines) == 10


def test_what_is_told_of_a_thing_hangs_below_it(flood: CommandLine) -> None:
    with flood.memory() as memory:
        memory.graphs.add_entity("cellar", "place", {"floor": -1}, ["basement"])
        memory.graphs.add_fact("cellar", "belongs to", "the house", "2020-01-01")
    out = flood("graph", "Basement", env={"TZ": "UTC"}).out
    lines = out.splitlines()
    assert lines[:3] == ["cellar (place)", "also: basement", "floor: -1"]
    for shown in ("├─ facts", "2020-01-01 cellar belongs to the house", "└─ causes and effects", "cellar was flooded"):
        assert shown in out


def test_stating_a_relation_twice_makes_it_once(becausal: CommandLine) -> None:
    becausal("relate", "Alice", "works at", "Acme", "--add")
    ran = becausal("relate", "alice", "works at", "ACME")
    assert ran.out.startswith("Known already")
    assert becausal("relate", "Alice", "works at", "Acme", "--json").json["created"] is False


def test_what_is_not_known_is_not_found(becausal: CommandLine) -> None:
    for args in (["graph", "nobody"], ["causes", "nothing", "at", "all"], ["relate", "Alice", "knows", "Bob"]):
        ran = becausal(*args)
        assert (ran.code, ran.out) == (3, "")
        assert "not found" in ran.err


# --- causes ---


def test_what_led_to_an_event_and_what_came_of_it_are_two_trees(flood: CommandLine) -> None:
    out = flood("causes", "the", "fuse", "blew").out
    lines = out.splitlines()
    assert lines[0] == "The fuse blew"
    assert lines[1] == "├─ what led to it"
    assert any("← the cellar was flooded" in line.lower() for line in lines)
    assert any("← the roof leaked" in line for line in lines)
    assert "└─ what came of it" in out
    assert "→ The freezer thawed" in out
    assert "“The freezer thawed because the fuse blew.”" in " ".join(out.split())
    assert "% so far" in out
    assert "2025-03-02 · house · " in out


def test_one_direction_leaves_out_the_other(flood: CommandLine) -> None:
    up = flood("causes", "the fuse blew", "--upstream").out
    down = flood("causes", "the fuse blew", "--downstream").out
    assert "roof" in up
    assert "freezer" not in up
    assert "freezer" in down
    assert "roof" not in down
    document = flood("causes", "the fuse blew", "--downstream", "--json").json
    assert document["direction"] == "downstream"
    assert [event["distance"] for event in document["events"]] == [0, 1]
    assert document["causes"][0]["evidence"] == "The freezer thawed because the fuse blew."


def test_without_an_event_root_causes_are_drawn_with_what_came_of_them(flood: CommandLine) -> None:
    lines = flood("causes").out.splitlines()
    assert lines[0] == "the roof leaked"
    assert [line.index("└─") for line in lines if "└─" in line] == [0, 3, 6]
    assert "to a depth of 2" in flood("causes", "--depth", "2").out


def test_no_causes_at_all_is_said_and_is_no_error(becausal: CommandLine) -> None:
    ran = becausal("causes")
    assert (ran.code, ran.out) == (0, "No causes are told yet.\n")


def test_a_stated_cause_joins_what_was_told_into_one_chain(flood: CommandLine) -> None:
    ran = flood("relate", "--causes", "a tile slipped", "The roof leaked", "--confidence", "0.8", "--evidence", "seen")
    assert ran.out.splitlines()[:3] == ["Stated  80% sure", "a tile slipped", "└─ → the roof leaked"]
    lines = flood("causes").out.splitlines()
    assert lines[:3] == ["a tile slipped", "└─ 80% → the roof leaked", "   “seen”"]
    assert flood("why", "did the freezer thaw", "--json").json["root_cause"] == "a tile slipped"


def test_causes_that_go_round_in_a_circle_are_drawn_once(becausal: CommandLine) -> None:
    becausal("relate", "--causes", "stress", "bad sleep")
    becausal("relate", "--causes", "bad sleep", "stress")
    out = becausal("causes", "stress", "--downstream").out
    assert "stress (see above)" in out
    assert len(out.splitlines()) == 5


def test_a_wide_graph_of_causes_is_cut_and_says_so(becausal: CommandLine) -> None:
    with becausal.memory() as memory:
        for number in range(12):
            memory.graphs.add_causal_link("the storm", f"damage number {number} was found")
    out = becausal("causes", "the storm").out
    assert out.count("→") == 8
    assert "… 4 more" in out


# --- for all ---


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (["timeline", "--limit", "0"], "--limit"),
        (["timeline", "--since", "the day the sun stood still"], "--since"),
        (["timeline", "--since", "2025-05", "--until", "2025-04"], "--until"),
        (["timeline", "--timezone", "Mars/Olympus"], "--timezone"),
        (["timeline", " "], "query"),
        (["graph"], "ENTITY"),
        (["graph", "x", "--depth", "6"], "--depth"),
        (["graph", "x", "--limit", "0"], "--limit"),
        (["causes", "x", "--depth", "0"], "--depth"),
        (["causes", "--limit", "101"], "--limit"),
        (["causes", "x", "--upstream", "--downstream"], "--upstream or --downstream"),
        (["causes", "--upstream"], "--upstream needs an EVENT"),
        (["relate", "one", "two"], "SOURCE RELATION TARGET"),
        (["relate", "--causes", "one"], "CAUSE EFFECT"),
        (["relate", "--causes", "the storm", "The storm"], "effect"),
        (["relate", "--causes", "one", "two", "--confidence", "2"], "--confidence"),
        (["relate", "--causes", "one", "two", "--add"], "--add"),
        (["relate", "a", "b", "c", "--confidence", "1"], "--confidence"),
        (["relate", "a", " ", "c", "--add"], "relationship"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_wrong_usage_is_named(becausal: CommandLine, args: list[str], named: str) -> None:
    ran = becausal(*args)
    assert (ran.code, ran.out) == (2, "")
    assert named in ran.err


def test_hostile_names_and_texts_are_shown_and_not_obeyed(becausal: CommandLine) -> None:
    bad = "pump\x1b[2J\x07\u202e"
    with becausal.memory() as memory:
        memory.graphs.add_entity(bad, "thing\x1b[31m", {"key\x1b": "value\x07"}, [f"alias {bad}"])
        memory.graphs.add_entity("other", "thing")
        memory.graphs.link_entities(bad, f"rel {bad}", "other")
        memory.graphs.add_event(f"event {bad}", "2025-01-01", [bad])
        memory.graphs.add_fact(bad, f"is {bad}", f"object {bad}", "2025-01-01")
        memory.graphs.add_causal_link(f"cause {bad}", f"effect {bad}", evidence=f"line one\n└─ {bad}")
    for args in (["timeline"], ["graph", "other"], ["graph", bad], ["causes"]):
        for extra in ([], ["--json"]):
            ran = becausal(*args, *extra)
            assert ran.code == 0, ran.err
            assert "pump" in ran.out
            assert not [char for char in ran.out if char in "\x1b\x07\u202e"]


@pytest.mark.parametrize("width", [40, 80])
def test_trees_and_time_lines_fit_into_the_window(flood: CommandLine, width: int) -> None:
    for args in (["timeline"], ["causes", "the fuse blew"], ["causes"], ["graph", "cellar"]):
        ran = flood(*args, env={"COLUMNS": str(width)})
        assert max((len(line) for line in ran.out.splitlines()), default=0) <= width


# --- taking back ---


def test_what_was_stated_is_forgotten_by_its_id_and_brought_back(becausal: CommandLine) -> None:
    stated = becausal("relate", "--causes", "a full disk", "the outage", "--json").json
    assert stated["id"] in becausal("relate", "--causes", "a full disk", "the outage").out
    gone = becausal("forget", stated["id"])
    assert gone.code == 0
    assert gone.out.startswith("1 statement forgotten:")
    assert becausal("causes", "the outage").code == 3
    back = becausal("undo", stated["id"])
    assert back.code == 0
    assert "Undone" in back.out
    assert "a full disk" in becausal("causes", "the outage").out
    assert becausal("forget", "00000000-0000-5000-8000-000000000000").code == 3


def test_a_stated_cause_is_cited_as_stated(becausal: CommandLine) -> None:
    stated = becausal("relate", "--causes", "a full disk", "the outage", "--json").json
    shown = becausal("ask", "What", "caused", "the", "outage?").out
    assert "Root cause: “a full disk”. It led to “the outage” [1] (100%)." in " ".join(shown.split())
    assert f"stated cause · {stated['id']}" in shown


def test_what_contradicts_a_chain_is_written_under_its_tree(becausal: CommandLine) -> None:
    becausal("relate", "--causes", "a full disk", "the site went down")
    becausal("relate", "--causes", "a full disk", "the site did not go down", "--confidence", "0.3")
    shown = becausal("why", "did", "the", "site", "go", "down").out
    assert "root cause: a full disk" in shown
    assert "That is contradicted: it was also told that “a full disk” led to “the site did not go down” (30%) [2]." in (
        " ".join(shown.split())
    )
