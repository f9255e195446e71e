# SPDX-License-Identifier: Apache-2.0
"""Which causes and effects are read out of texts that tell a whole story: what points back, and where it ends."""

from __future__ import annotations

import pytest

from becausal.domain.causal.text import find_causes, read_causes

Pairs = list[tuple[str | None, str]]


def pairs(text: str) -> Pairs:
    return [(link.cause.text if link.cause else None, link.effect.text) for link in find_causes(text)]


def patterns(text: str) -> list[str]:
    return [link.pattern for link in find_causes(text)]


def same(text: str) -> list[tuple[str, str]]:
    return [(told.text, taken_up.text) for told, taken_up in read_causes(text).same]


POINTING: list[tuple[str, Pairs]] = [
    (
        "A truck hit the gatepost. This unexpectedly hard impact led to a bent hinge.",
        [("A truck hit the gatepost", "a bent hinge")],
    ),
    (
        "The miller forgot the brake. This oversight, combined with a strong wind, caused the sails to spin.",
        [("The miller forgot the brake", "the sails to spin")],
    ),
    (
        "Ticks were counted twice. This repetition of single entries caused a surplus on paper.",
        [("Ticks were counted twice", "a surplus on paper")],
    ),
    (
        "The fire was caused by a loose wire in the attic. This wire led to the loss of two houses.",
        [("a loose wire in the attic", "The fire"), ("a loose wire in the attic", "the loss of two houses")],
    ),
    (
        "Moths ate the felt. These delays led to a strike.",
        [("Moths ate the felt", "a strike")],
    ),
]


@pytest.mark.parametrize(("text", "links"), POINTING)
def test_this_with_a_noun_stands_for_what_was_told_whatever_else_is_said_of_it(text: str, links: Pairs) -> None:
    assert pairs(text) == links


def test_this_thing_with_nothing_before_it_stays_as_it_is() -> None:
    assert pairs("The meeting was moved due to this delay in the delivery.") == [
        ("this delay in the delivery", "The meeting was moved")
    ]


def test_a_subject_that_goes_on_about_what_was_told_makes_both_the_same() -> None:
    text = (
        "A landslide suddenly blocked access to the mine. This blockage lasted until spring, leading to layoffs. "
        "The old tractor stood idle."
    )
    assert ("blocked access to the mine", "This blockage lasted until spring") in same(text)


def test_what_came_of_something_is_read_without_a_connective_if_it_takes_it_up() -> None:
    text = "The split led to a single lorry carrying all loads. This overloaded lorry crushed the kerb."
    assert pairs(text) == [
        ("The split", "a single lorry carrying all loads"),
        ("a single lorry carrying all loads", "This overloaded lorry crushed the kerb"),
    ]


def test_what_people_do_about_something_is_no_consequence_read_that_way() -> None:
    text = "The split led to a long delay. The engineers analysed this delay at once."
    assert pairs(text) == [("The split", "a long delay")]


FRAMES: list[tuple[str, Pairs]] = [
    (
        "The lift was stuck for an hour. The core issue was a worn pulley.",
        [("a worn pulley", "The lift was stuck for an hour")],
    ),
    (
        "The lift was stuck for an hour. A contributing factor was the summer heat.",
        [("the summer heat", "The lift was stuck for an hour")],
    ),
    (
        "The lift was stuck for an hour. Contributing factors included heat and dust.",
        [("heat and dust", "The lift was stuck for an hour")],
    ),
    (
        "The lift was stuck for an hour. The core issue was fixed at noon.",
        [],
    ),
    (
        "The bridge was closed. The root cause was identified as an unusual event: a swan had nested in the gears.",
        [("a swan had nested in the gears", "The bridge was closed")],
    ),
    (
        "Mechanics finally identified the root cause: a cracked spring caused the knocking.",
        [("a cracked spring", "the knocking")],
    ),
]


@pytest.mark.parametrize(("text", "links"), FRAMES)
def test_what_is_called_an_issue_or_a_factor_is_a_cause_if_the_sentence_says_what_it_was(
    text: str, links: Pairs
) -> None:
    assert pairs(text) == links


def test_causes_that_a_sentence_announces_are_read_from_those_that_follow() -> None:
    text = (
        "The harvest failed. Two root causes were identified. First, a late frost killed the blossom. "
        "Second, hail caused the fruit to rot."
    )
    assert pairs(text) == [
        ("a late frost killed the blossom", "The harvest failed"),
        ("hail", "the fruit to rot"),
        ("the fruit to rot", "The harvest failed"),
    ]


def test_a_cause_that_says_nothing_is_none() -> None:
    assert pairs("The harvest failed due to a combination of factors.") == []
    assert pairs("The harvest failed due to a tax problem.") == [("a tax problem", "The harvest failed")]


VERBS: list[tuple[str, Pairs]] = [
    (
        "The site was down. The outage began at about 14:43 UTC with a switch failure.",
        [("a switch failure", "The site was down")],
    ),
    ("The outage began at 15:09 when monitoring detected it.", []),
    (
        "The crash, triggered during a routine inspection, cost a week.",
        [("a routine inspection", "The crash")],
    ),
    (
        "A bug introduced during the upgrade doubled every invoice.",
        [("the upgrade", "A bug")],
    ),
    (
        "The noise led the guards to search the roof.",
        [("The noise", "the guards to search the roof")],
    ),
    (
        "The wave of calls saturated the exchange.",
        [("The wave of calls", "saturated the exchange")],
    ),
    ("The engineers disabled the alarm.", []),
    (
        "Latency doubled after a bad deploy exhausted the pool.",
        [("a bad deploy exhausted the pool", "Latency doubled")],
    ),
    (
        "The flood caused a large number of shops, that had no pumps, to close.",
        [("The flood", "a large number of shops, that had no pumps, to close")],
    ),
    (
        "The repair was made possible by a donation.",
        [("a donation", "The repair")],
    ),
    (
        "We suffered an outage that was caused by a squirrel.",
        [("a squirrel", "We suffered an outage")],
    ),
    (
        "The valve, due to rust, led to a leak.",
        [("rust", "a leak"), ("The valve", "a leak")],
    ),
    (
        "The valve stuck, which, due to a blind spot, led to a leak.",
        [("a blind spot", "a leak"), ("The valve stuck", "a leak")],
    ),
]


@pytest.mark.parametrize(("text", "links"), VERBS)
def test_wordings_of_reports_are_read(text: str, links: Pairs) -> None:
    assert pairs(text) == links


def test_what_an_incident_began_with_describes_it_if_nothing_else_does() -> None:
    text = "The incident began at 9:00 with increased error rates. The root cause was a worn disk."
    assert pairs(text) == [("a worn disk", "increased error rates")]


def test_a_phrase_that_names_the_whole_incident_is_the_incident() -> None:
    text = (
        "The payment site experienced an outage on Friday. A cable was cut. "
        "This led to the widespread disruption across three counties."
    )
    assert pairs(text) == [("A cable was cut", "The payment site experienced an outage on Friday")]


@pytest.mark.parametrize(
    "effect", ["an outage of the queue", "a further outage", "some confusion", "similar incidents"]
)
def test_a_part_of_it_or_another_one_is_not_the_incident(effect: str) -> None:
    text = f"The payment site experienced an outage on Friday. A cut cable led to {effect}."
    assert pairs(text) == [("A cut cable", effect)]


def test_what_was_restored_brought_no_outage_about() -> None:
    text = "The site was down. Service was restored at noon, resulting in two hours of downtime."
    assert pairs(text) == []


def test_the_last_trouble_that_a_told_cause_led_to_is_joined_to_the_incident() -> None:
    text = (
        "The tram line experienced an outage for two hours. The outage was caused by a fallen branch. "
        "This branch caused a short circuit, which led to an overload."
    )
    links = {(link.cause.text, link.effect.text): link for link in find_causes(text) if link.cause}
    incident = "The tram line experienced an outage for two hours"
    assert links["a fallen branch", incident].pattern == "caused by"
    joined = links["an overload", incident]
    assert (joined.pattern, joined.cross_sentence) == ("in between", True)
    assert joined.confidence < links["a fallen branch", incident].confidence
    assert [text[start:end] for start, end in joined.quoted] == [
        f"{incident}.",
        "This branch caused a short circuit, which led to an overload.",
    ]


def test_without_trouble_on_the_way_the_last_step_is_joined_unless_it_was_for_the_better() -> None:
    report = "The tram line experienced an outage. The outage was caused by a fallen branch. This branch led to {}."
    joined = [link.cause.text for link in find_causes(report.format("a detour by bus")) if link.pattern == "in between"]
    assert joined == ["a detour by bus"]
    assert "in between" not in patterns(report.format("an improvement of the timetable"))


def test_a_list_of_what_these_were_goes_on_about_them() -> None:
    text = "Several shops were hit due to damp. These included the bakery and the mill, leading to a bread shortage."
    assert same(text) == [("Several shops were hit", "These included the bakery and the mill")]


def test_what_the_incident_led_to_is_not_joined_to_it_as_a_cause() -> None:
    text = "The mill experienced an outage. The outage was caused by a flood. The outage led to a bread shortage."
    assert "in between" not in patterns(text)


def test_a_chain_for_the_better_does_not_end_in_the_incident() -> None:
    text = (
        "The mill experienced an outage. It was dark. It was cold. The crew was calm. Nobody was hurt. "
        "A good plan led to fast repairs. These repairs resulted in recovery from the failure."
    )
    assert "in between" not in patterns(text)


def test_links_across_sentences_do_not_close_a_circle() -> None:
    text = "A leak caused a short circuit. The short circuit was due to damp. This damp was caused by the leak."
    effects = {(link.cause.text, link.effect.text) for link in find_causes(text) if link.cause}
    assert not any((effect, cause) in effects for cause, effect in effects)


def test_a_root_cause_that_only_repeats_the_incident_is_none() -> None:
    text = "The library suffered a heating failure in March. The root cause was a failure of the library heating."
    assert pairs(text) == []


def test_a_sentence_is_quoted_from_which_only_the_beginning_is_a_side() -> None:
    text = (
        "The pump was old. The gate fell on the mill wheel, which had been mended with wire and string only a week "
        "before by two apprentices from the next village. This led to a flood."
    )
    (link,) = (each for each in find_causes(text) if each.effect.text == "a flood")
    assert link.cause is not None
    assert link.cause.text.startswith("The gate fell on the mill wheel")
    first, last = (text[start:end] for start, end in link.quoted)
    assert first.startswith("The gate fell")
    assert last == "This led to a flood."


def test_a_link_quotes_every_sentence_it_rests_on() -> None:
    (link,) = find_causes("The market was shut for a day. It was cold. The incident was due to ice.")
    assert len(link.quoted) == 2
    (inside,) = find_causes("The market was shut due to ice.")
    assert inside.quoted == (inside.sentence,)


def test_a_pronoun_keeps_its_place_beside_what_it_stands_for() -> None:
    text = "The pump failed, which caused a flood."
    (link,) = find_causes(text)
    assert link.cause is not None
    assert link.cause.text == "The pump failed"
    assert link.cause_pronoun is not None
    assert text[slice(*link.cause_pronoun)] == "which"
    assert link.effect_pronoun is None


def test_what_somebody_did_but_failed_to_finish_is_one_thing() -> None:
    text = "The clerk wrote the letter but failed to post it. This oversight led to a fine."
    assert pairs(text) == [("The clerk wrote the letter but failed to post it", "a fine")]


def test_reading_stays_fast_on_long_texts_of_causes() -> None:
    text = "The outage was caused by a fault. This led to a delay. The delay caused an error. " * 400
    assert len(find_causes(text)) > 400


FINDINGS: list[tuple[str, Pairs]] = [
    (
        "The fountain stopped at noon due to a fault. Further inspection showed that a frog sat in the pipe.",
        [("a fault", "The fountain stopped at noon"), ("a frog sat in the pipe", "The fountain stopped at noon")],
    ),
    (
        "The fountain failed at noon. Upon closer inspection, the pump was jammed because a frog sat in it.",
        [("a frog sat in it", "the pump was jammed"), ("the pump was jammed", "The fountain failed at noon")],
    ),
    (
        "The fountain failed at noon. It turned out that a frog sat in the pipe.",
        [("a frog sat in the pipe", "The fountain failed at noon")],
    ),
    ("The fountain failed at noon. Further inspection showed no damage to the pipe.", []),
    ("The fountain failed at noon. Upon closer inspection, the gardener repaired the pump.", []),
    ("Further inspection showed that a frog sat in the pipe.", []),
]


@pytest.mark.parametrize(("text", "links"), FINDINGS)
def test_what_an_inspection_found_is_behind_the_trouble_told_before(text: str, links: Pairs) -> None:
    assert pairs(text) == links


LISTS: list[str] = [
    "The mill was down. Contributing factors: the belt was worn; nobody had oiled the axle; and a lack of spare parts.",
    "The mill was down.\n\n## Contributing factors\n\n- The belt was worn\n- nobody had oiled the axle\n\n"
    "- a lack of spare parts\n\n## Lessons\n\n- More oil is needed",
    "The mill was down.\n\nContributing factors:\n\n- the belt was worn\n- nobody had oiled the axle\n"
    "- a lack of spare parts",
    "The mill was down. Several factors led to it:\n\n- the belt was worn\n\n- nobody had oiled the axle\n\n"
    "- a lack of spare parts\n\nThe miller was away.",
]


@pytest.mark.parametrize("text", LISTS)
def test_causes_are_read_from_a_list_however_it_is_announced(text: str) -> None:
    told = [(cause or "").lower() for cause, effect in pairs(text) if effect == "The mill was down"]
    assert told[-3:] == ["the belt was worn", "nobody had oiled the axle", "a lack of spare parts"]


def test_the_section_about_the_root_cause_opens_with_it() -> None:
    text = "The mill was down.\n\n## Root cause\n\nA rat bit through the rope. It was dark.\n\n## Weather\n\nRain."
    assert pairs(text) == [("A rat bit through the rope", "The mill was down")]


def test_what_made_the_effects_worse_is_no_list_of_causes() -> None:
    assert pairs("The mill was down. Some factors enhanced its effects:\n\n- a wet summer\n\n- a strike") == []


def test_what_is_considered_a_factor_is_a_cause() -> None:
    text = "The mill was down. We consider the missing oil the biggest factor in this incident."
    assert pairs(text) == [("the missing oil", "The mill was down")]
    assert pairs("Dry wood was an important factor in the spread of the fire.") == [
        ("Dry wood", "the spread of the fire")
    ]


def test_what_says_the_same_in_more_detail_is_no_consequence() -> None:
    assert pairs("The mud blocked the road, specifically blocking the left lane.") == [
        ("The mud", "blocked the road, specifically blocking the left lane")
    ]


def test_this_outage_at_the_beginning_of_a_paragraph_is_what_the_one_before_ended_in() -> None:
    text = (
        "The ferry was hit by a wave. Water ran in, causing the loss of the ferry.\n\nThis incident led to a new law."
    )
    assert pairs(text)[-1] == ("the loss of the ferry", "a new law")


def test_a_way_that_nobody_called_a_cause_leads_only_to_an_incident_that_was_suffered() -> None:
    story = (
        "{} It was May. It was noon. The guard slept. The sun shone. Bees swarmed. "
        "Damp caused a short circuit, which led to a failure of the lamps."
    )
    suffered = "The museum experienced a blackout for an hour."
    assert ("a failure of the lamps", suffered.rstrip(".")) in pairs(story.format(suffered))
    done = "A thief deleted the only list. We consider haste the main factor in this incident."
    assert "in between" not in patterns(story.format(done))


def test_the_same_told_twice_in_other_words_does_not_lead_to_itself() -> None:
    text = (
        "A wrong stamp deleted all twelve pages of the town register. The incident was due to haste. "
        "A wrong stamp deleted the twelve pages of the old town register, resulting in complaints."
    )
    assert "in between" not in patterns(text)


AGAIN: list[tuple[str, Pairs]] = [
    (
        "The crew restarted the old pump. The restart led to a leak.",
        [("The crew restarted the old pump", "a leak")],
    ),
    (
        "The alarm was triggered. The trigger was a result of dust.",
        [("dust", "The alarm was triggered")],
    ),
    (
        "The mill gate closed suddenly due to rust. The miller was asleep. It was May. "
        "This sudden closing of the gate caused a jam.",
        [("rust", "The mill gate closed suddenly"), ("The mill gate closed suddenly", "a jam")],
    ),
    (
        "The hull was strangely asymmetrical. This asymmetry was caused by two different rulers.",
        [("two different rulers", "The hull was strangely asymmetrical")],
    ),
]


@pytest.mark.parametrize(("text", "links"), AGAIN)
def test_what_happened_may_be_named_again_by_a_noun_for_it(text: str, links: Pairs) -> None:
    assert pairs(text) == links


def test_what_is_said_of_a_part_of_the_root_cause_goes_on_about_it() -> None:
    text = (
        "The lamps failed at night. The root cause of the failure was a worn switch of the pump. "
        "The pump ran without a pause, emptying the tank, which caused a short circuit."
    )
    assert ("a worn switch of the pump", "The pump ran without a pause, emptying the tank") in same(text)
    assert ("a short circuit", "The lamps failed at night") in pairs(text)


def test_a_relative_clause_that_a_reason_interrupts_goes_on_behind_it() -> None:
    assert pairs("The pump has a valve which due to old rust could not close.") == [
        ("old rust", "a valve could not close")
    ]


def test_reasons_that_something_is_said_of_are_no_apposition() -> None:
    text = "Although the ship was unstable, the reasons for this instability remained a subject of debate."
    assert pairs(text) == []


def test_what_is_done_in_anticipation_has_its_reason_in_what_is_expected() -> None:
    text = (
        "We doubled the number of ovens in anticipation of the feast. "
        "This would turn out to push the cook to the limit."
    )
    assert pairs(text) == [
        ("the feast", "We doubled the number of ovens"),
        ("We doubled the number of ovens", "push the cook to the limit"),
    ]
