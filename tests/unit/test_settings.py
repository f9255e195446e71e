# SPDX-License-Identifier: Apache-2.0
"""A setting takes effect or is refused by name; nothing is ignored."""

from __future__ import annotations

import getpass
import os
from pathlib import Path
from zoneinfo import ZoneInfo

import platformdirs
import pytest

from becausal import settings_table
from becausal.errors import NotSupported, SettingsError
from becausal.settings import Settings
from becausal.settings_table import BY_FIELD, BY_VARIABLE, ROWS

SMRITI_VARIABLES = """
    ACCESSING_USER STORAGE_LOCATION DB_TYPE LLM_BASE_URL LLM_API_KEY LLM_MODEL EMBEDDING_BASE_URL EMBEDDING_API_KEY
    EMBEDDING_MODEL EMBEDDING_DIMS BACKUP_TYPE BACKUP_SYNC_INTERVAL GIT_BASE_URL S3_ENDPOINT S3_REGION S3_ACCESS_KEY
    S3_SECRET_KEY NEO4J_URI NEO4J_USERNAME NEO4J_PASSWORD NEO4J_DATABASE NEO4J_ISOLATION FALKOR_ADDR FALKOR_PASSWORD
    FALKOR_GRAPH FALKOR_ISOLATION CONSOLIDATION_INTERVAL
"""
POLYG_VARIABLES = """
    OPENAI_API_KEY EMBEDDING_MODEL LLM_MODEL CLASSIFIER_MAX_TOKENS SYNTHESIZER_MAX_TOKENS FALKORDB_HOST FALKORDB_PORT
    FALKORDB_QUERY_TIMEOUT PORT POLYG_PORT POLYG_LOG_LEVEL POLYG_PARALLEL_TIMEOUT POLYG_MAX_RETRIES FALKORDB_PASSWORD
    FALKORDB_GRAPH MAGMA_SEMANTIC_TOP_K MAGMA_MIN_SEMANTIC_SCORE MAGMA_ENTITY_DEPTH MAGMA_TEMPORAL_DEPTH
    MAGMA_CAUSAL_DEPTH MAGMA_MIN_NODES_PER_VIEW MAGMA_MAX_NODES_PER_VIEW MAGMA_MULTI_VIEW_BOOST
    MAGMA_MAX_QUERY_LENGTH MAGMA_MAX_CONTEXT_LENGTH
"""
OWN_VARIABLES = """
    PRUNE_DECAY_THRESHOLD PRUNE_IMPORTANCE_THRESHOLD
    NEO4J_QUERY_TIMEOUT S3_BUCKET S3_PREFIX BACKUP_KEEP BACKUP_KEY REDACT
    BECAUSAL_TOOLS BECAUSAL_EMBEDDER BECAUSAL_MODEL_PATH BECAUSAL_MODEL_THREADS SCORING UNDO_DAYS BECAUSAL_TIMEZONE
    BECAUSAL_TOOL_PREFIX BECAUSAL_SESSION_SCOPE BECAUSAL_SESSION_MAX BECAUSAL_SESSION_SLOT_TTL
    BECAUSAL_SESSION_CLAIM_TTL BECAUSAL_SESSION_RESULT_TTL BECAUSAL_SESSION_PROMOTE_AFTER BECAUSAL_SESSION_RELEVANCE
    BECAUSAL_SESSION_LINK_THRESHOLD BECAUSAL_SESSION_LINK_CAP BECAUSAL_SESSION_PRUNE_THRESHOLD BECAUSAL_SESSION_DECAY
    BECAUSAL_SESSION_HOP_PENALTY BECAUSAL_ENRICH BECAUSAL_LLM_TIMEOUT BECAUSAL_ASK_TIMEOUT BECAUSAL_LLM_CALLS_PER_HOUR
    BECAUSAL_LLM_TOKENS_PER_HOUR BECAUSAL_LLM_TOKENS_PER_MEMORY
    BECAUSAL_HOST BECAUSAL_HTTP_HOSTS BECAUSAL_HTTP_ORIGINS BECAUSAL_HTTP_BODY BECAUSAL_HTTP_RATE
    BECAUSAL_HTTP_SESSIONS BECAUSAL_HTTP_IDLE BECAUSAL_HTTP_MEMORIES BECAUSAL_HTTP_CONNECTIONS BECAUSAL_HTTP_FAILURES
"""

WAITING = [row.variable for row in ROWS if row.waits_for is not None]
SETTINGS_DOCUMENT = Path(__file__).parents[2] / "docs" / "settings.md"


@pytest.fixture(autouse=True)
def _own_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each test have a ``.env`` of its own."""
    monkeypatch.chdir(tmp_path)


def refusal(**overrides: object) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        Settings.load(**overrides)
    return caught.value


# --- where a value comes from -------------------------------------------------------------------


def test_without_any_setting_the_defaults_hold() -> None:
    settings = Settings.load()

    assert settings.user == getpass.getuser()
    assert settings.storage_location == platformdirs.user_data_path("becausal", appauthor=False)
    assert (settings.db_type, settings.tools, settings.embedder) == ("sqlite", ("engram",), "minilm")
    assert (settings.scoring, settings.undo_days, settings.log_level) == ("default", 7, "warning")
    assert settings.view_timeout == 30_000
    assert (settings.model_path, settings.model_threads, settings.timezone, settings.pmll_graph_db) == (None,) * 4
    assert settings.notes == ()


def test_a_keyword_wins_over_the_environment_which_wins_over_the_env_file(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_text("UNDO_DAYS=1\n", encoding="utf-8")
    assert Settings.load().undo_days == 1
    monkeypatch.setenv("UNDO_DAYS", "2")
    assert Settings.load().undo_days == 2
    assert Settings.load(undo_days=3).undo_days == 3
    assert Settings.load(UNDO_DAYS="4").undo_days == 4


@pytest.mark.parametrize("blank", ["", "   "])
def test_a_blank_value_counts_as_not_set(monkeypatch: pytest.MonkeyPatch, blank: str) -> None:
    monkeypatch.setenv("UNDO_DAYS", blank)
    monkeypatch.setenv("LLM_API_KEY", blank)
    monkeypatch.setenv("ACCESSING_USER", blank)

    settings = Settings.load(embedder=blank, timezone=None)

    assert (settings.undo_days, settings.user, settings.embedder) == (7, getpass.getuser(), "minilm")


def test_a_blank_keyword_leaves_the_environments_value_standing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACCESSING_USER", "alice")

    assert Settings.load(user="").user == "alice"
    assert Settings.load(user=None).user == "alice"


def test_an_env_file_may_hold_other_programs_variables_and_begin_with_a_byte_order_mark() -> None:
    Path(".env").write_text("\ufeffACCESSING_USER=zoë\nDATABASE_URL=postgres://db\n", encoding="utf-8")

    assert Settings.load().user == "zoë"


def test_an_env_file_that_is_not_utf_8_is_refused() -> None:
    Path(".env").write_bytes(b"ACCESSING_USER=zo\xeb\n")

    assert str(refusal()).startswith(".env: it cannot be read: ")


def test_a_name_in_the_env_file_is_checked_like_one_in_the_environment() -> None:
    Path(".env").write_text("BECAUSAL_EMBEDER=hashing\nMAGMA_CAUSAL_DEPTH=3\n", encoding="utf-8")

    assert str(refusal()).splitlines() == [
        "BECAUSAL_EMBEDER: there is no such setting; did you mean BECAUSAL_EMBEDDER?",
        "MAGMA_CAUSAL_DEPTH: changing the constants of MAGMA is not part of this version; unset it",
    ]


# --- what a value becomes -----------------------------------------------------------------------


def test_a_tilde_in_a_path_is_the_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))

    settings = Settings.load(storage_location="~/memory", model_path="~/m.onnx", pmll_graph_db="~/g.db")

    assert settings.storage_location == tmp_path / "home" / "memory"
    assert (settings.model_path, settings.pmll_graph_db) == (tmp_path / "home" / "m.onnx", tmp_path / "home" / "g.db")


def test_a_relative_path_starts_at_the_working_directory(tmp_path: Path) -> None:
    assert Settings.load(storage_location="a/../b").storage_location == tmp_path / "b"
    assert Settings.load(storage_location=Path("c")).storage_location == tmp_path / "c"


def test_a_time_zone_is_looked_up() -> None:
    assert Settings.load(timezone="Europe/Berlin").timezone == ZoneInfo("Europe/Berlin")
    assert Settings.load(timezone=ZoneInfo("Asia/Tokyo")).timezone == ZoneInfo("Asia/Tokyo")


def test_choices_are_read_without_regard_to_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DB_TYPE", "SQLite")
    monkeypatch.setenv("POLYG_LOG_LEVEL", "INFO")

    settings = Settings.load(scoring="Smriti", tools="Engram, engram")

    assert (settings.db_type, settings.log_level, settings.scoring) == ("sqlite", "info", "smriti")
    assert settings.tools == ("engram",)


@pytest.mark.parametrize(("embedder", "dimensions"), [("minilm", "384"), ("hashing", "128")])
def test_the_embedders_own_dimensions_may_be_stated(embedder: str, dimensions: str) -> None:
    assert Settings.load(embedder=embedder, embedding_dims=dimensions).embedding_dims == int(dimensions)


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("UNDO_DAYS", "-1", "UNDO_DAYS: '-1' is not allowed; use a whole number from 0 to 3650"),
        ("UNDO_DAYS", "3651", "UNDO_DAYS: '3651' is not allowed; use a whole number from 0 to 3650"),
        ("UNDO_DAYS", "soon", "UNDO_DAYS: 'soon' is not allowed; use a whole number from 0 to 3650"),
        ("PRUNE_DECAY_THRESHOLD", "1.1", "PRUNE_DECAY_THRESHOLD: '1.1' is not allowed; use a number from 0 to 1"),
        (
            "PRUNE_IMPORTANCE_THRESHOLD",
            "-0.1",
            "PRUNE_IMPORTANCE_THRESHOLD: '-0.1' is not allowed; use a number from 0 to 1",
        ),
        ("PRUNE_DECAY_THRESHOLD", "nan", "PRUNE_DECAY_THRESHOLD: 'nan' is not allowed; use a number from 0 to 1"),
        ("BECAUSAL_MODEL_THREADS", "0", "BECAUSAL_MODEL_THREADS: '0' is not allowed; use a whole number from 1 to 64"),
        (
            "POLYG_PARALLEL_TIMEOUT",
            "5",
            "POLYG_PARALLEL_TIMEOUT: '5' is not allowed; use a whole number from 100 to 60000",
        ),
        ("BECAUSAL_EMBEDDER", "bert", "BECAUSAL_EMBEDDER: 'bert' is not allowed; use minilm, hashing or remote"),
        ("SCORING", "best", "SCORING: 'best' is not allowed; use default or smriti"),
        (
            "POLYG_LOG_LEVEL",
            "loud",
            "POLYG_LOG_LEVEL: 'loud' is not allowed; use debug, info, warn, warning or error",
        ),
        (
            "DB_TYPE",
            "mysql",
            "DB_TYPE: 'mysql' is not allowed; use sqlite, ladybug, falkordb or neo4j",
        ),
        (
            "BACKUP_TYPE",
            "ftp",
            "BACKUP_TYPE: 'ftp' is not allowed; use none, git, github or s3",
        ),
        (
            "BECAUSAL_TIMEZONE",
            "Mars/Olympus",
            "BECAUSAL_TIMEZONE: 'Mars/Olympus' is not allowed; use an IANA time zone such as Europe/Berlin or UTC",
        ),
        (
            "BECAUSAL_TIMEZONE",
            "../../etc/passwd",
            "BECAUSAL_TIMEZONE: '../../etc/passwd' is not allowed; use an IANA time zone such as Europe/Berlin or UTC",
        ),
        ("ACCESSING_USER", "a\nb", r"ACCESSING_USER: 'a\nb' is not allowed; use 1 to 128 printable characters"),
        (
            "STORAGE_LOCATION",
            "~no-such-user/memory",
            "STORAGE_LOCATION: the home folder in '~no-such-user/memory' cannot be determined; write the path in full",
        ),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_with_what_is_allowed(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, message: str
) -> None:
    monkeypatch.setenv(variable, value)

    error = refusal()

    assert (type(error), error.name, str(error)) == (SettingsError, variable, message)


@pytest.mark.parametrize("value", [object(), 3, b"\0"])
def test_a_keyword_of_another_type_is_refused_like_a_wrong_value(value: object) -> None:
    assert str(refusal(storage_location=value)).endswith("is not allowed; use a path")
    assert str(refusal(tools=object())).endswith("is not allowed; use engram, magma, session, aliases or all")


def test_a_user_name_longer_than_128_characters_is_refused_and_not_shown_in_full() -> None:
    assert Settings.load(user="x" * 128).user == "x" * 128
    assert str(refusal(user="x" * 129)) == f"user: '{'x' * 58}… is not allowed; use 1 to 128 printable characters"


@pytest.mark.parametrize("variable", WAITING)
def test_a_variable_whose_feature_is_missing_is_refused_by_name_without_showing_its_value(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    row = BY_VARIABLE[variable]
    monkeypatch.setenv(variable, "hunter2")

    error = refusal()

    assert (type(error), error.name) == (NotSupported, variable)
    assert str(error).startswith(f"{variable}: {row.waits_for} ")
    assert "not part of this version; unset it" in str(error)
    assert "hunter2" not in str(error)


def test_the_refusal_says_what_is_missing_in_plain_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAGMA_CAUSAL_DEPTH", "3")
    assert str(refusal()) == "MAGMA_CAUSAL_DEPTH: changing the constants of MAGMA is not part of this version; unset it"


def test_several_toolsets_are_named_together_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BECAUSAL_TOOLS", "session, aliases,session")
    assert Settings.load().tools == ("session", "aliases")


@pytest.mark.parametrize("prefix", ["1_", "_", "a b", "ä", "x" * 33])
def test_a_prefix_that_cannot_begin_a_name_is_refused(prefix: str) -> None:
    assert str(refusal(tool_prefix=prefix)).endswith("use a letter, then up to 31 letters, digits, `_` or `-`")
    assert Settings.load(tool_prefix="pmll_").tool_prefix == "pmll_"


def test_dimensions_that_are_not_the_embedders_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDDING_DIMS", "1536")

    error = refusal()

    assert str(error) == (
        "EMBEDDING_DIMS: '1536' is not the length of minilm's vectors; unset it, set it to 384, or name the service "
        "that makes other ones with EMBEDDING_BASE_URL"
    )


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("BECAUSAL_TOLS", "BECAUSAL_TOOLS"),
        ("becausal_tools", "BECAUSAL_TOOLS"),
        ("BECAUSAL_UNDO_DAYS", "UNDO_DAYS"),
        ("BECAUSAL_USER", "ACCESSING_USER"),
        ("BECAUSAL_LOG_LEVEL", "POLYG_LOG_LEVEL"),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="Windows reads every variable's name in upper case")
def test_an_unknown_variable_of_ours_is_taken_for_a_typing_error(
    monkeypatch: pytest.MonkeyPatch, name: str, meant: str
) -> None:
    monkeypatch.setenv(name, "x")

    assert str(refusal()) == f"{name}: there is no such setting; did you mean {meant}?"


def test_an_unknown_keyword_is_refused_with_the_nearest_one() -> None:
    assert str(refusal(undo_day=3)) == "undo_day: there is no such setting; did you mean undo_days?"
    assert str(refusal(zzzzzz=3)) == "zzzzzz: there is no such setting"


def test_other_programs_variables_are_none_of_our_business(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("user", "mallory")
    monkeypatch.setenv("EMBEDDER", "bert")

    settings = Settings.load()

    assert (settings.user, settings.embedder) == (getpass.getuser(), "minilm")


def test_a_problem_is_named_as_it_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORING", "best")

    assert refusal().name == "SCORING"
    assert refusal(scoring="good").name == "scoring"
    assert refusal(scoring="default", magma_causal_depth=3).name == "magma_causal_depth"


def test_all_problems_are_reported_together_one_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAGMA_CAUSAL_DEPTH", "3")
    monkeypatch.setenv("UNDO_DAYS", "soon")
    monkeypatch.setenv("BECAUSAL_TOLS", "engram")

    error = refusal(embedder="bert", nonsense=1)

    assert type(error) is SettingsError
    assert sorted(str(error).splitlines()) == [
        "BECAUSAL_TOLS: there is no such setting; did you mean BECAUSAL_TOOLS?",
        "MAGMA_CAUSAL_DEPTH: changing the constants of MAGMA is not part of this version; unset it",
        "UNDO_DAYS: 'soon' is not allowed; use a whole number from 0 to 3650",
        "embedder: 'bert' is not allowed; use minilm, hashing or remote",
        "nonsense: there is no such setting",
    ]


def test_problems_that_all_ask_for_missing_features_are_reported_as_not_supported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MAGMA_CAUSAL_DEPTH", "3")
    monkeypatch.setenv("MAGMA_ENTITY_DEPTH", "2")

    error = refusal()

    assert isinstance(error, NotSupported)
    assert len(str(error).splitlines()) == 2


def test_a_user_without_a_name_on_this_machine_is_asked_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def nameless() -> str:
        raise OSError("No username set in the environment")

    monkeypatch.setattr(getpass, "getuser", nameless)

    assert str(refusal()) == "ACCESSING_USER: set it: the operating system has no name for the current user"
    assert Settings.load(user="alice").user == "alice"


# --- what is said about the settings ------------------------------------------------------------


def test_an_openai_key_alone_turns_nothing_on_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hunter2")

    settings = Settings.load()

    assert (settings.chat, settings.embedding, settings.embedder) == (None, None, "minilm")
    assert settings.notes == (
        "OPENAI_API_KEY is set, but neither LLM_MODEL nor LLM_BASE_URL: no model service is called and nothing is sent "
        "anywhere.",
    )


def test_model_settings_without_a_model_are_said_to_be_unused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BECAUSAL_MODEL_THREADS", "2")

    assert Settings.load().notes == ()
    assert Settings.load(embedder="hashing").notes == (
        "BECAUSAL_MODEL_THREADS is set and not used: the hashing embedder has no model.",
    )


def test_a_secret_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hunter2")

    settings = Settings.load()

    assert "hunter2" not in f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"


# --- model services -----------------------------------------------------------------------------


def services(**given: object) -> tuple[tuple[str, str | None, str] | None, ...]:
    """Return address, key and model of the chat and the embedding service that settings ask for."""
    loaded = Settings.load(**given)
    return tuple(
        each and (each.base_url, each.key.get_secret_value() if each.key else None, each.model)
        for each in (loaded.chat, loaded.embedding)
    )


OPENAI = "https://api.openai.com/v1"


def test_smritis_keys_alone_mean_openais_services_and_its_default_models() -> None:
    expected = ((OPENAI, "sk-1", "gpt-4o-mini"), (OPENAI, "sk-2", "text-embedding-3-small"))

    assert services(llm_api_key="sk-1", embedding_api_key="sk-2") == expected


def test_polygs_variables_mean_openais_services_with_its_key() -> None:
    given = {"openai_api_key": "sk-1", "llm_model": "gpt-x", "embedding_model": "e-x"}

    assert services(**given) == ((OPENAI, "sk-1", "gpt-x"), (OPENAI, "sk-1", "e-x"))


def test_the_embedding_key_falls_back_to_the_chat_key_at_the_same_host_alone() -> None:
    here = {
        "llm_base_url": "http://localhost:11434/v1/",
        "llm_api_key": "sk-1",
        "llm_model": "m",
        "embedding_model": "e",
    }

    assert services(**here, embedding_base_url="http://localhost:11434/v1")[1] == (
        "http://localhost:11434/v1",
        "sk-1",
        "e",
    )
    assert services(**here, embedding_base_url="https://example.org/v1")[1] == ("https://example.org/v1", None, "e")
    assert "EMBEDDING_API_KEY: is needed" in str(refusal(**here))


def test_an_openai_key_is_never_sent_to_another_host() -> None:
    given = {"openai_api_key": "sk-1", "llm_base_url": "https://example.org/v1"}

    assert services(**given) == (("https://example.org/v1", None, "gpt-4o-mini"), None)


def test_a_chat_model_without_a_key_for_openai_is_not_used_and_that_is_said() -> None:
    assert services(llm_model="gpt-x") == (None, None)
    assert "no key for OpenAI's service" in Settings.load(llm_model="gpt-x").notes[0]


def test_an_embedder_that_is_named_wins_over_an_embedding_service_and_that_is_said() -> None:
    settings = Settings.load(embedder="hashing", embedding_model="e")

    assert settings.embedding is None
    assert settings.notes == ("EMBEDDING_MODEL is set and not used: BECAUSAL_EMBEDDER is hashing.",)


def test_dimensions_alone_leave_the_embedder_alone() -> None:
    assert Settings.load(embedding_dims=384).embedder == "minilm"
    assert Settings.load(embedding_dims=1536, embedding_api_key="sk-1").embedding_dims == 1536
    assert "from 1 to 65536" in str(refusal(embedding_dims=0, embedding_api_key="sk-1"))


@pytest.mark.parametrize(
    "address",
    [
        "ftp://x/v1",
        "localhost:11434",
        "http://",
        "http://u:hunter2@x/v1",
        "http://x/v1?key=hunter2",
        "http://x:99999/",
        "http://[x/",
    ],
)
def test_an_address_that_is_none_or_holds_a_secret_is_refused_without_showing_it(address: str) -> None:
    error = refusal(LLM_BASE_URL=address)

    assert str(error) == "LLM_BASE_URL: it must be an http or https address without user name, query or fragment"


def test_keys_are_never_shown() -> None:
    settings = Settings.load(llm_api_key="sk-hunter2", embedding_api_key="sk-hunter2")
    shown = f"{settings!r} {settings} {settings.chat!r} {settings.embedding!r} {settings.model_dump_json()}"

    assert "hunter2" not in shown
    assert "hunter2" not in str(refusal(llm_api_key="sk-hunter2\u00e4"))


# --- the table ----------------------------------------------------------------------------------


def test_every_variable_of_the_other_systems_is_in_the_table_under_their_name() -> None:
    def of(origin: str) -> set[str]:
        return {row.variable for row in ROWS if origin in row.origin}

    assert of("smriti") == set(SMRITI_VARIABLES.split())
    assert of("polyg") == set(POLYG_VARIABLES.split())
    assert of("pmll") == {"PMLL_GRAPH_DB"}
    assert of("becausal") == set(OWN_VARIABLES.split())


def test_the_table_has_each_variable_once_and_the_class_has_exactly_its_fields() -> None:
    assert len(ROWS) == len(BY_VARIABLE) == len(BY_FIELD)
    assert set(Settings.model_fields) == set(BY_FIELD)
    assert {name: field.validation_alias for name, field in Settings.model_fields.items()} == {
        row.field: row.variable for row in ROWS
    }


def test_the_tables_choices_and_defaults_are_the_classs() -> None:
    settings = Settings.load()
    for row in ROWS:
        for choice in row.choices:
            Settings.load(openai_api_key="sk-1", neo4j_uri="bolt://db", **{row.field: choice})
        if row.choices:
            value = getattr(settings, row.field)
            assert (value if isinstance(value, str) else ",".join(value)) == row.default
    assert str(settings.undo_days) == BY_FIELD["undo_days"].default


def test_copies_are_kept_where_the_settings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKUP_TYPE", "github")
    monkeypatch.setenv("GIT_BASE_URL", "https://x:hunter2@example.org/team")
    settings = Settings.load()

    assert (settings.backup_type, settings.backup_sync_interval) == ("github", 60)
    assert settings.backup_options == {"GIT_BASE_URL": "https://x:hunter2@example.org/team"}
    assert "hunter2" not in repr(settings)
    assert settings.notes == ()


def test_a_place_for_copies_that_is_not_used_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_BASE_URL", "https://example.org/team")
    assert Settings.load().notes == ("GIT_BASE_URL is set and not used: BACKUP_TYPE is none.",)


@pytest.mark.parametrize("address", ["--upload-pack=touch x", "ext::sh -c touch", "https://example.org/\x07"])
def test_an_address_that_git_would_take_for_something_else_is_refused(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("GIT_BASE_URL", address)
    assert str(refusal()).startswith("GIT_BASE_URL: this is not allowed; use an address that Git knows")


def test_every_row_says_what_is_allowed_or_what_it_waits_for() -> None:
    for row in ROWS:
        assert row.meaning.endswith("."), row.variable
        assert bool(row.waits_for) or bool(row.allowed), row.variable


def test_the_settings_document_is_what_the_table_prints() -> None:
    assert SETTINGS_DOCUMENT.read_text(encoding="utf-8") == settings_table.to_markdown(), (
        "run: python -m becausal.settings_table > docs/settings.md"
    )


def test_every_variable_is_in_the_settings_document() -> None:
    document = SETTINGS_DOCUMENT.read_text(encoding="utf-8")

    assert [row.variable for row in ROWS if f"| `{row.variable}` |" not in document] == []
