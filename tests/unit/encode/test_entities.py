# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from becausal.encode.entities import MAX_ENTITIES, MAX_NAME, find_entities
from becausal.encode.reading import read


def named(text: str, label: str | None = None) -> dict[str, str]:
    return {entity.name: entity.entity_type for entity in find_entities(read(text), label)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We asked Priya about it.", {"Priya": "thing"}),
        ("In May the Bank of England met.", {"Bank of England": "organization"}),
        ("Then Dr. Grey and Ms Novak left.", {"Grey": "person", "Novak": "person"}),
        ("My sister Ilse lives in Lisbon.", {"Ilse": "person", "Lisbon": "place"}),
        ("Thanks, Priya! See you.", {"Priya": "person"}),
        ("It was written by J. R. Hill.", {"J. R. Hill": "person"}),
        ("She joined Acme Inc. in spring.", {"Acme Inc": "organization"}),
        ("He hiked in the Rocky Mountains.", {"Rocky Mountains": "place"}),
        ("We saw O'Brien and Jean-Luc.", {"O'Brien": "thing", "Jean-Luc": "thing"}),
        ("I met Melanie's dog.", {"Melanie": "person"}),
        ("He watched Lord of the Rings.", {"Lord of the Rings": "thing"}),
        ("We moved from redis to PostgreSQL.", {"redis": "product", "PostgreSQL": "product"}),
        ("The SRE was paged by KIAM.", {"SRE": "thing", "KIAM": "thing"}),
        ("В четверг мы встретили Ивана.", {"Ивана": "thing"}),
    ],
)
def test_names_are_found_with_what_they_seem_to_name(text: str, expected: dict[str, str]) -> None:
    assert named(text) == expected


@pytest.mark.parametrize(
    ("token", "entity_type"),
    [
        ("JWT_SECRET", "code"),
        ("user_id", "code"),
        ("getUserName", "code"),
        ("std::vector", "code"),
        ("auth-service", "service"),
        ("api-gateway", "service"),
        ("us-east-1", "code"),
        ("v2.3.0", "version"),
        ("10.4.1", "version"),
        ("10.0.0.1", "host"),
        ("db.example.org", "host"),
        ("ada@example.org", "email"),
        ("https://example.org/a?b=c", "url"),
        ("src/app/main.py", "artifact"),
        ("~/notes/todo.txt", "artifact"),
        ("C:\\boot.ini", "artifact"),
        ("config.yaml", "artifact"),
        ("#1234", "reference"),
        ("PR #1234", "reference"),
        ("ticket 4711", "reference"),
        ("OPS-42", "reference"),
        ("CVE-2021-44228", "reference"),
    ],
)
def test_identifiers_are_entities_by_their_form(token: str, entity_type: str) -> None:
    assert named(f"it was about {token}, as they said") == {token: entity_type}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("![pixel](https://tracker.example/pixel.png) was sent to Ilse.", ["Ilse"]),
        ('![A map of Lisbon](https://maps.example/lisbon.png "old") hangs at Ilse\'s.', ["Ilse", "Lisbon"]),
        ("![x](<https://a.example/a b.png>) and ![](images/fan_(old).png), from Ilse.", ["Ilse"]),
        ("![x](data:image/png;base64,iVBORw0KGgo/AAAA+Bb==) from Ilse", ["Ilse"]),
        ("<img src='https://tracker.example/x.png' alt='x'> from Ilse", ["Ilse"]),
        ("[![build](https://ci.example/badge.svg)](https://ci.example/run) is red", ["https://ci.example/run"]),
        ("Ilse sent ![no image](", ["Ilse"]),
    ],
)
def test_where_an_image_lies_is_no_name(text: str, expected: list[str]) -> None:
    assert sorted(named(text)) == expected


def test_a_handle_is_a_person_without_its_sign() -> None:
    assert named("ask @bob about it") == {"bob": "person"}


@pytest.mark.parametrize(
    "text",
    [
        "On Monday, in January, I'm off. OK?",
        "Painting is fun. Users complain. Unfortunately it rained.",
        "Turtles are slow.",
        "Hmm, well. Aww! Thanks!",
        "The long-term, well-known and server-side fix works.",
        "He speaks French, and and/or he/she is English.",
        "See the Summary below.",
        "it took 24h at 10:30 on 2024-01-02, or 3.5 percent",
        "THE SERVER IS DOWN AND NOBODY KNOWS WHY",
        "I will DO IT now.",
        "# Contributing Factors",
    ],
)
def test_capitals_that_name_nobody_are_passed_over(text: str) -> None:
    assert named(text) == {}


def test_a_common_word_counts_as_a_name_where_mid_sentence_capitals_show_it() -> None:
    assert "Sentry" in named("Sentry was silent, since our Sentry quota was used up.")
    assert named("Blind Shaft is a film.") == {"Blind Shaft": "thing"}


def test_who_speaks_before_a_colon_is_a_person_and_a_role_is_not() -> None:
    assert named("Zofia: hello there") == {"Zofia": "person"}
    assert named("Ada Bell: hello there") == {"Ada Bell": "person"}
    assert named("Note: hello there\nUser: hi\nRoot cause: it broke") == {}


def test_quoted_titles_are_works() -> None:
    assert named('I read "The Left Hand of Clay" and “Emma”, but not "as they say".') == {
        "The Left Hand of Clay": "work",
        "Emma": "work",
    }
    assert named("他读了《红楼梦》。") == {"红楼梦": "work"}


def test_code_in_backticks_is_an_entity_unless_it_is_an_ordinary_word() -> None:
    assert named("call `retry_all()` or `frobnicate`, not `run`") == {"retry_all": "code", "frobnicate": "thing"}


def test_the_label_is_a_work_if_it_is_short() -> None:
    assert named("it works", "Release notes") == {"Release notes": "work"}
    assert named("it works", "one two three four five six seven eight nine") == {}


def test_the_label_comes_before_what_is_named_most_often() -> None:
    assert next(iter(named("Oslo, Oslo, we love Oslo.", "Travel"))) == "Travel"


def test_a_name_never_holds_what_cannot_be_stored() -> None:
    assert named("it works", "\ud800 plan\x00\nB") == {"\ufffd plan\ufffd B": "work"}


def test_one_name_in_several_spellings_is_one_entity_with_the_first() -> None:
    found = find_entities(read("We call auth-service. The auth_service is old."))
    assert [(entity.name, entity.key) for entity in found] == [("auth-service", "auth service")]


def test_the_first_certain_type_of_a_name_stays() -> None:
    assert named("We know Zofia. Thanks, Zofia! My friend Zofia left.") == {"Zofia": "person"}


def test_a_part_of_a_persons_name_is_a_person() -> None:
    assert named("It is by Ursula Kreb. We like what Kreb does.") == {"Ursula Kreb": "person", "Kreb": "person"}


def test_what_is_named_most_often_comes_first() -> None:
    assert next(iter(named("We like Prague, but Oslo is calm. We love Oslo."))) == "Oslo"


def test_keys_of_front_matter_are_no_entities() -> None:
    assert named("---\nstart_time: 5\nowner: Priya\n---\nIt broke.") == {"Priya": "thing"}


def test_there_are_never_more_entities_or_longer_names_than_allowed() -> None:
    found = find_entities(read(" and ".join(f"id_{i}" for i in range(500))))
    assert len(found) == MAX_ENTITIES
    assert named("see https://example.org/" + "x" * MAX_NAME) == {}
