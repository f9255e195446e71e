# SPDX-License-Identifier: Apache-2.0
"""When two descriptions are the same cause, and when they must not be called similar."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from becausal.domain.causal.identity import may_refer_to, opposed, taken_up
from becausal.domain.causal.text import cause_key, same_event_allowed


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The server crashed.", "server crashed"),
        ("The server crashed", "our server is crashing"),
        ("the server crashes", "The server had crashed!"),
        ("The disk was full", "the disk is full"),
        ("The disk filled up", "the disk is filling up"),
        ("They stopped the pump", "they were stopping the pump"),
        ("The flag wasn't removed", "flag not removed"),
        ("The flag wasn’t removed", "The flag was not removed"),
        ("It couldn't connect", "it can not connect"),
        ("It cannot connect", "It can't connect"),
        ("The user's password leaked", "user password leaked"),
        ("SERVER CRASHED AGAIN", "the server crashed again"),
        ("It ran out of memory", "it is running out of memory"),
        ("Deploys failed", "deploys failed"),
    ],
)
def test_case_articles_possessives_auxiliaries_and_tense_do_not_matter(a: str, b: str) -> None:
    assert cause_key(a) == cause_key(b)
    assert same_event_allowed(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("latency increased", "latency decreased"),
        ("the flag was removed", "the flag was not removed"),
        ("the service is available", "the service is unavailable"),
        ("he turned on the tap", "he turned off the tap"),
        ("the timeout was 30 seconds", "the timeout was 60 seconds"),
        ("v1.2.3 broke login", "v1.2.4 broke login"),
        ("the balance dropped -5 points", "the balance dropped 5 points"),
        ("two nodes failed", "three nodes failed"),
        ("Alice left", "Bob left"),
        ("James left", "Charles left"),
        ("Marks left", "Mark left"),
        ("Will resigned", "Bill resigned"),
        ("Will Smith resigned", "John Smith resigned"),
        ("Alice paid Bob", "Bob paid Alice"),
        ("it failed before the deploy", "it failed after the deploy"),
        ("the index was added", "the index was deleted"),
        ("orders.db was locked", "users.db was locked"),
        ("the test passed", "the test failed"),
        ("nobody noticed", "somebody noticed"),
    ],
)
def test_polarity_numbers_names_and_negation_are_never_conflated(a: str, b: str) -> None:
    assert cause_key(a) != cause_key(b)
    assert not same_event_allowed(a, b)
    assert not same_event_allowed(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("the database ran out of connections", "no, the connection pool was exhausted"),
        ("the site was down", "the site was up"),
        ("traffic rose with the campaign", "traffic changed with the campaign"),
    ],
)
def test_a_word_of_polarity_on_one_side_only_forbids_the_link(a: str, b: str) -> None:
    assert not same_event_allowed(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("a memory leak in the parser", "the parser leaked memory"),
        ("traffic rose sharply", "traffic grew sharply"),
        ("Postgres was overloaded", "the load on Postgres was huge"),
        ("three pumps stopped", "three pumps ceased to run"),
    ],
)
def test_different_words_for_one_event_may_be_linked(a: str, b: str) -> None:
    assert cause_key(a) != cause_key(b)
    assert same_event_allowed(a, b)


def test_note_is_not_read_as_a_negation() -> None:
    assert cause_key("noted the error") != cause_key("not the error")


def test_a_description_of_function_words_only_still_has_a_key() -> None:
    assert cause_key("It is") == "it"
    assert cause_key("the") == "the"


@pytest.mark.parametrize("text", ["", "  ", "!?…"])
def test_nothing_but_punctuation_has_the_empty_key(text: str) -> None:
    assert cause_key(text) == ""


@given(st.text(max_size=120))
def test_a_key_is_its_own_key_in_other_case_and_any_text_is_the_same_event_as_itself(text: str) -> None:
    assert cause_key(text) == cause_key(f"  {text}  ")
    assert same_event_allowed(text, text)


# --- references and opposites ---


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("the missing secret", "the deploy had a missing secret"),
        ("The growth in hosting costs", "Hosting costs grew by 60 % last year"),
        ("the recall of the tarts", "All midnight tarts are being recalled"),
        ("The burst pipe", "The frozen pipe burst around six"),
        ("the passport scans were copied", "81,000 passport scans were copied in March"),
        ("Bob paid Alice", "Bob paid Alice on Monday"),
        ("the shortage of flour", "the bakery was short of flour in May"),
    ],
)
def test_a_part_of_the_words_of_an_event_may_refer_back_to_it(short: str, full: str) -> None:
    assert may_refer_to(short, full)


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("the outage", "the outage of the database"),  # any outage could be meant
        ("Alice paid Bob", "Bob paid Alice back"),
        ("the secret was removed", "the secret was not removed"),
        ("the orders were lost", "the letters were lost"),
        ("costs rose", "hosting costs rose and fell"),
        ("81,000 scans were copied", "scans were copied"),
    ],
)
def test_what_could_mean_another_event_does_not_refer_to_it(short: str, full: str) -> None:
    assert not may_refer_to(short, full)


def test_a_subject_that_says_what_had_happened_to_it_takes_the_event_up() -> None:
    assert taken_up("the storage key leaked to the public", "The leaked storage key gave strangers access")
    assert taken_up("the water pipe froze", "The frozen pipe burst in the morning")
    assert not taken_up("the water pipe froze", "The new pipe burst in the morning")
    assert not taken_up("the water pipe froze", "The frozen peas burst in the pan")
    assert not taken_up("the water pipe froze", "Frozen pipes")


@pytest.mark.parametrize(
    ("one", "other", "contrary"),
    [
        ("Why did latency increase?", "latency decreased", True),
        ("Why did latency increase?", "latency increased and then decreased", False),
        ("Why was the label not changed?", "the label was changed", True),
        ("Why was the label not changed?", "we did not change the label", False),
        ("Why did the pump stop?", "the fuse blew", False),
        ("Why did the pump stall?", "the pump stalled and could not be restarted", False),
        ("Why did the lamps go out?", "all lamps went out, the dimmed and the not dimmed ones", False),
        ("Why were the letters removed?", "we removed both the signed and not signed letters", False),
        ("Why did the bell ring?", "nobody rang the bell", True),
    ],
)
def test_denials_and_opposites_are_contrary(one: str, other: str, contrary: bool) -> None:
    assert opposed(one, other) is contrary
    assert opposed(other, one) is contrary
