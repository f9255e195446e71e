# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from becausal.domain.records import CueType
from becausal.domain.text import normalize_name
from becausal.encode.cues import MAX_CUES, MAX_QUERY_CUES
from becausal.encode.extract import extract, query_cues


def cues(text: str, *, tags: tuple[str, ...] = (), source: str | None = None) -> list[tuple[str, str]]:
    return [(cue.name, cue.cue_type.value) for cue in extract(text, tags=tags, source=source).cues]


def test_cues_are_entities_then_phrases_then_keywords_then_context() -> None:
    text = "The nightly backup job of Auth-Service wrote a corrupted archive to the storage bucket."
    assert cues(text, tags=("Ops", "prod_db"), source="Slack") == [
        ("auth service", "entity"),
        ("nightly backup job", "concept"),
        ("storage bucket", "concept"),
        ("archive", "keyword"),
        ("bucket", "keyword"),
        ("backup", "keyword"),
        ("job", "keyword"),
        ("ops", "context"),
        ("prod db", "context"),
        ("slack", "context"),
    ]


def test_a_phrase_that_recurs_comes_before_one_that_does_not() -> None:
    text = "A cold harbour town. The worker queue grew. Nobody saw the worker queue. The worker queue was full."
    assert next(name for name, kind in cues(text) if kind == "concept") == "worker queue"


def test_keywords_are_whole_words_in_the_singular() -> None:
    assert {"certificate", "cookie", "battery"} <= {name for name, _ in cues("certificates, cookies and batteries")}


def test_stop_words_light_verbs_and_vague_words_are_no_cues() -> None:
    assert cues("We really need to get something done this week, don't you think?") == []


def test_verbs_serve_where_there_is_nothing_better() -> None:
    assert cues("It crashed.") == [("crashed", "keyword")]


def test_a_long_text_has_no_more_cues_than_allowed_and_no_name_twice() -> None:
    text = "Priya, Tomasz, Ilse, Oslo, Lisbon, Kyoto and Quito discussed " + ", ".join(f"subject{i}" for i in range(50))
    found = cues(text, tags=("one", "two", "three", "four", "ilse"), source="chat")
    assert len(found) == MAX_CUES
    assert len({name for name, _ in found}) == MAX_CUES
    assert [kind for _, kind in found].count("context") == 3


def test_a_tag_that_an_entity_names_already_is_no_second_cue() -> None:
    assert cues("We asked Priya.", tags=("priya",)) == [("priya", "entity")]


def test_han_text_gives_the_pieces_between_function_characters() -> None:
    assert cues("数据库的密钥丢失了") == [("密钥丢失", "keyword"), ("数据库", "keyword")]


def test_japanese_text_gives_runs_of_han_and_katakana() -> None:
    assert cues("サーバーが落ちて再起動した") == [("サーバー", "keyword"), ("再起動", "keyword")]


def test_the_same_text_has_the_same_cues() -> None:
    text = "The auth-service timed out while Redis was restarting; the on-call engineer rolled back v2.3.0."
    assert extract(text) == extract(text)


def test_every_cue_name_is_normalised() -> None:
    for cue in extract("Zoë's JWT_SECRET, the Über-Queue and two ＡＢＣ tests", tags=(" Prod_DB ",)).cues:
        assert cue.name == normalize_name(cue.name)
        assert isinstance(cue.cue_type, CueType)


# --- a question's cues --------------------------------------------------------------------------


def test_a_question_names_its_entities_first_then_phrases_and_words() -> None:
    found = query_cues("Why did the nightly backup of auth-service fail after PR #1234?")
    assert found[:4] == ("auth service", "pr #1234", "nightly backup", "nightly")
    assert "fail" in found


def test_a_question_reaches_every_cue_of_a_memory_that_uses_its_words() -> None:
    memory = {cue.name for cue in extract("Storage buckets hold the archives of the Bank of England.").cues}
    assert memory <= set(query_cues("Which storage bucket holds the archives of the Bank of England?"))


def test_names_of_several_words_may_hold_stop_words_inside_but_not_at_the_ends() -> None:
    found = query_cues("who wrote the lord of flies")
    assert "lord of flies" in found
    assert not any(name.split()[0] in ("who", "the", "of") or name.split()[-1] in ("the", "of") for name in found)


def test_a_plural_is_asked_for_in_the_singular_too() -> None:
    assert {"paintings", "painting"} <= set(query_cues("what paintings"))


def test_a_question_in_han_names_its_pieces_and_their_parts() -> None:
    assert {"登录失败", "登录", "失败"} <= set(query_cues("登录失败的原因"))


def test_a_question_never_has_more_cues_than_allowed() -> None:
    assert len(query_cues(" ".join(f"subject{i}" for i in range(1000)))) == MAX_QUERY_CUES
    assert len(query_cues("数" * 5000)) <= MAX_QUERY_CUES
    assert query_cues("") == query_cues("what is it?") == ()
