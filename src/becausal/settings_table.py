# SPDX-License-Identifier: Apache-2.0
"""Every setting, as one table: what it is called, where it comes from, what it may be and what it does.

``Settings`` checks values against these rows, and ``docs/settings.md`` is printed from them::

    python -m becausal.settings_table > docs/settings.md
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from .settings_http import HTTP_ROWS
from .settings_models import MODEL_ROWS
from .settings_rows import Row, one_of, waits, works
from .settings_stores import DATABASES, STORE_ROWS

_MAGMA = "changing the constants of MAGMA"

ROWS: tuple[Row, ...] = (
    # --- what takes effect ---
    works(
        "ACCESSING_USER",
        "user",
        "smriti",
        "Whose memory is opened. Memories of different users never meet.",
        default="the name of the operating system's user",
        allowed="1 to 128 printable characters",
    ),
    works(
        "STORAGE_LOCATION",
        "storage_location",
        "smriti",
        "Folder that holds everybody's memory. `~` is expanded; a relative path starts at the working directory.",
        default="the platform's user data folder (Linux: `~/.local/share/becausal`)",
        allowed="a path",
    ),
    works(
        "DB_TYPE",
        "db_type",
        "smriti",
        "Which database keeps the memory: one file (`sqlite`), the embedded graph database of smriti-mcp (`ladybug`), "
        "or a server that many machines share (`falkordb`, `neo4j`).",
        default="sqlite",
        choices=DATABASES,
    ),
    works(
        "BECAUSAL_TOOLS",
        "tools",
        "becausal",
        "Which toolsets the MCP server offers, separated by commas: `engram` (smriti-mcp's tools and `ask`), `magma` "
        "(polyg-mcp's), `session` (pmll-memory-mcp's), `aliases` (the names that six of those have in its Python "
        "package), or `all` that there are but the aliases.",
        default="engram",
        choices=("engram", "magma", "session", "aliases", "all"),
    ),
    works(
        "BECAUSAL_TOOL_PREFIX",
        "tool_prefix",
        "becausal",
        "Put before the names of the tools of `session` and `aliases`, since `init`, `peek` or `set` may be another "
        "server's too; `pmll_` makes `pmll_peek`.",
        allowed="a letter, then up to 31 letters, digits, `_` or `-`",
    ),
    works(
        "BECAUSAL_EMBEDDER",
        "embedder",
        "becausal",
        "What turns text into vectors: a sentence encoder that runs on this machine, word hashing, which needs no "
        "model and finds less, or an embedding service (`remote`, also where EMBEDDING_BASE_URL, EMBEDDING_API_KEY or "
        "EMBEDDING_MODEL is set and this is not).",
        default="minilm",
        choices=("minilm", "hashing", "remote"),
    ),
    works(
        "BECAUSAL_MODEL_PATH",
        "model_path",
        "becausal",
        "The encoder's ONNX file, where it is not the installed one. `~` is expanded. Its checksum is verified.",
        allowed="a path",
    ),
    works(
        "BECAUSAL_MODEL_THREADS",
        "model_threads",
        "becausal",
        "How many threads the encoder may use: each takes a share of many texts; a single one is read by one thread.",
        default="2, or 1 if there are fewer than four processors",
        allowed="a whole number from 1 to 64",
    ),
    works(
        "EMBEDDING_DIMS",
        "embedding_dims",
        "smriti",
        "Length of the vectors. It is a check: any number but the embedder's own, or that of the memory's vectors, "
        "is refused. What a service gives is known only when it answers: vectors of another length are not taken, "
        "memories are found by their words meanwhile, and `status` says why.",
        default="the embedder's own",
        allowed="384 with minilm, 128 with hashing, a whole number from 1 to 65536 with remote",
    ),
    works(
        "SCORING",
        "scoring",
        "becausal",
        "How recalled memories are ranked: by relevance first, or by smriti-mcp's formula (similarity 40 %, recency, "
        "importance and decay 20 % each).",
        default="default",
        choices=("default", "smriti"),
    ),
    works(
        "REDACT",
        "redact",
        "becausal",
        "Which secrets are taken out of texts before they are kept, separated by commas: `keys` (keys, tokens and "
        "passwords that are recognisable by their form), `cards` (payment card numbers), or `all` of them. What is "
        "kept already, and what an export brings back, stays as it is.",
        default="off",
        choices=("off", "keys", "cards", "all"),
    ),
    works(
        "UNDO_DAYS",
        "undo_days",
        "becausal",
        "For how many days a change can be undone and what was forgotten is kept for that.",
        default="7",
        allowed="a whole number from 0 to 3650",
    ),
    works(
        "CONSOLIDATION_INTERVAL",
        "consolidation_interval",
        "smriti",
        "How many seconds pass from one consolidation to the next, while the memory is open: what has faded is "
        "archived, what is used often is strengthened, clusters are found anew. 0: only when it is asked for.",
        default="3600",
        allowed="a whole number from 0 to 31536000",
    ),
    works(
        "PRUNE_DECAY_THRESHOLD",
        "prune_decay_threshold",
        "becausal",
        "What must be left of a memory, which fades by a hundredth a day without use, for a consolidation not to "
        "archive it: less than 0.05 is left after some 300 days. Pinned memories are never archived.",
        default="0.05",
        allowed="a number from 0 to 1",
    ),
    works(
        "PRUNE_IMPORTANCE_THRESHOLD",
        "prune_importance_threshold",
        "becausal",
        "How important a memory must be for a consolidation not to archive it, however faded. With 0 nothing is "
        "archived unasked. A memory has an importance of 0.5 unless another is given.",
        default="0.3",
        allowed="a number from 0 to 1",
    ),
    works(
        "BACKUP_TYPE",
        "backup_type",
        "smriti",
        "Where copies of the memory are kept: nowhere, in a Git repository (`github` is another name for `git`), or in "
        "a bucket of S3 or of a service like it (with the extra: `pip install 'becausal[s3]'`). An empty memory is "
        "filled from there when it is opened; one that holds anything is left alone.",
        default="none",
        choices=("none", "git", "github", "s3"),
    ),
    works(
        "BACKUP_SYNC_INTERVAL",
        "backup_sync_interval",
        "smriti",
        "How many seconds pass from one copy to the next at least, while the memory is open. 0: only when it is asked "
        "for. Nothing is kept that was kept already.",
        default="60",
        allowed="a whole number from 0 to 31536000",
    ),
    works(
        "GIT_BASE_URL",
        "git_base_url",
        "smriti",
        "Address below which the Git repositories lie: that of a user is `{GIT_BASE_URL}/{user}_smriti.git`, and must "
        "be there. What stands before the host, such as a token, is never shown.",
        allowed="an address that Git knows (https, ssh, a path)",
    ),
    works(
        "S3_ENDPOINT",
        "s3_endpoint",
        "smriti",
        "Address of a service that speaks S3.",
        default="Amazon's, in `S3_REGION`",
        allowed="an http or https address without a path",
    ),
    works(
        "S3_REGION",
        "s3_region",
        "smriti",
        "Region of the bucket. Needed for `BACKUP_TYPE=s3`.",
        allowed="the name of a region such as eu-central-1",
    ),
    works("S3_ACCESS_KEY", "s3_access_key", "smriti", "Access key. Needed for `BACKUP_TYPE=s3`.", allowed="text"),
    works("S3_SECRET_KEY", "s3_secret_key", "smriti", "Secret key. Needed for `BACKUP_TYPE=s3`.", allowed="text"),
    works(
        "S3_BUCKET",
        "s3_bucket",
        "becausal",
        "The bucket, which must be there.",
        default="`{user}-smriti`, in what a bucket may be called",
        allowed="3 to 63 small letters, digits, hyphens and dots",
    ),
    works(
        "S3_PREFIX",
        "s3_prefix",
        "becausal",
        "Folder of the bucket, in which each user has one.",
        default="becausal",
        allowed="names of letters, digits, - and _, with / between them",
    ),
    works(
        "BACKUP_KEEP",
        "backup_keep",
        "becausal",
        "How many copies are kept in a bucket; older ones are deleted. A Git repository keeps all.",
        default="30",
        allowed="a whole number from 1 to 1000",
    ),
    works(
        "BACKUP_KEY",
        "backup_key",
        "becausal",
        "A key with which copies in a bucket are encrypted before they leave this machine. Nobody opens them without "
        "it: keep it elsewhere too.",
        allowed="12 characters or more",
    ),
    works(
        "BECAUSAL_TIMEZONE",
        "timezone",
        "becausal",
        'The time zone in which words such as "yesterday" are read.',
        default="the machine's",
        allowed="an IANA time zone such as Europe/Berlin or UTC",
    ),
    works(
        "POLYG_PARALLEL_TIMEOUT",
        "view_timeout",
        "polyg",
        "How many milliseconds each of the four graphs has to bring what it knows about a question. The answer names "
        "one that is late.",
        default="30000",
        allowed="a whole number from 100 to 60000",
    ),
    works(
        "POLYG_LOG_LEVEL",
        "log_level",
        "polyg",
        "How much is logged. The log goes to standard error and never holds what memories say.",
        default="warning",
        choices=("debug", "info", "warn", "warning", "error"),
    ),
    works(
        "BECAUSAL_SESSION_SCOPE",
        "session_scope",
        "becausal",
        "Whether a search in the graph of a session stays in it or looks into the nodes of all sessions of the user.",
        default="session",
        choices=("session", "all"),
    ),
    works(
        "BECAUSAL_SESSION_MAX",
        "session_max",
        "becausal",
        "How many sessions may have values in the process; beyond that, the one used longest ago loses them.",
        default="1000",
        allowed="a whole number from 1 to 100000",
    ),
    works(
        "BECAUSAL_SESSION_SLOT_TTL",
        "session_slot_ttl",
        "becausal",
        "Seconds after which a value of a session that was not set again is gone; 0: never.",
        default="0",
        allowed="a number from 0 to 10000000",
    ),
    works(
        "BECAUSAL_SESSION_CLAIM_TTL",
        "session_claim_ttl",
        "becausal",
        "Seconds that whoever claims some work has for it, before another may take it over.",
        default="120",
        allowed="a number above 0 and up to 86400",
    ),
    works(
        "BECAUSAL_SESSION_RESULT_TTL",
        "session_result_ttl",
        "becausal",
        "Seconds for which what came of claimed work is kept for other processes.",
        default="600",
        allowed="a number above 0 and up to 86400",
    ),
    works(
        "BECAUSAL_SESSION_PROMOTE_AFTER",
        "session_promote_after",
        "becausal",
        "How often a value must be read to become a node of the long-term graph by itself; 0: it never does.",
        default="3",
        allowed="a whole number from 0 to 1000000",
    ),
    works(
        "BECAUSAL_SESSION_RELEVANCE",
        "session_relevance",
        "becausal",
        "Cosine similarity, by its label or all it says, from which a node may answer for a key that is not its label; "
        "it must also have most of the key's words, or all of its label in the key.",
        default="0.1",
        allowed="a number from 0 to 1",
    ),
    works(
        "BECAUSAL_SESSION_LINK_THRESHOLD",
        "session_link_threshold",
        "becausal",
        "Cosine similarity from which nodes that are told together are related as `similar_to`.",
        default="0.72",
        allowed="a number from -1 to 1",
    ),
    works(
        "BECAUSAL_SESSION_LINK_CAP",
        "session_link_cap",
        "becausal",
        "How many older nodes each new one is compared with for that.",
        default="200",
        allowed="a whole number from 0 to 10000",
    ),
    works(
        "BECAUSAL_SESSION_PRUNE_THRESHOLD",
        "session_prune_threshold",
        "becausal",
        "Weight below which pruning takes a relation away.",
        default="0.15",
        allowed="a number from 0 to 1000",
    ),
    works(
        "BECAUSAL_SESSION_DECAY",
        "session_decay",
        "becausal",
        "How fast the weight of a relation fades: by a factor of e to the minus this a day. With 0.05 half is left "
        "after 14 days.",
        default="0.05",
        allowed="a number from 0 to 10",
    ),
    works(
        "BECAUSAL_SESSION_HOP_PENALTY",
        "session_hop_penalty",
        "becausal",
        "What a traversal takes off with every hop: a score is divided by one plus this times the distance.",
        default="0.3",
        allowed="a number from 0 to 10",
    ),
    works(
        "PMLL_GRAPH_DB",
        "pmll_graph_db",
        "pmll",
        "A program's own file: the names of `becausal.session` then keep their graph apart, in the folder beside it "
        "named like it with `.becausal` at the end. A pmll-memory-mcp graph at this place is left untouched; `status` "
        "says how to bring it in.",
        allowed="a path",
    ),
    *MODEL_ROWS,
    *HTTP_ROWS,
    *STORE_ROWS,
    # --- what waits for a feature ---
    waits("MAGMA_SEMANTIC_TOP_K", "polyg", _MAGMA, "How many concepts start a search."),
    waits("MAGMA_MIN_SEMANTIC_SCORE", "polyg", _MAGMA, "Similarity from which a concept counts."),
    waits("MAGMA_ENTITY_DEPTH", "polyg", _MAGMA, "Hops in the entity view."),
    waits("MAGMA_TEMPORAL_DEPTH", "polyg", _MAGMA, "Hops in the temporal view."),
    waits("MAGMA_CAUSAL_DEPTH", "polyg", _MAGMA, "Hops in the causal view."),
    waits("MAGMA_MIN_NODES_PER_VIEW", "polyg", _MAGMA, "Fewest nodes a view should hold."),
    waits("MAGMA_MAX_NODES_PER_VIEW", "polyg", _MAGMA, "Most nodes taken from a view."),
    waits("MAGMA_MULTI_VIEW_BOOST", "polyg", _MAGMA, "Factor for every further view that holds a node."),
    waits("MAGMA_MAX_QUERY_LENGTH", "polyg", _MAGMA, "Longest question, in characters."),
    waits("MAGMA_MAX_CONTEXT_LENGTH", "polyg", _MAGMA, "Longest context of a question, in characters."),
)

BY_VARIABLE: Mapping[str, Row] = {row.variable: row for row in ROWS}
BY_FIELD: Mapping[str, Row] = {row.field: row for row in ROWS}

_HEAD = """\
<!-- Printed by `python -m becausal.settings_table`; change src/becausal/settings_table.py instead. -->
# Settings

A setting is taken from the first place that has it:

1. a keyword of `Memory.open` or a flag of the command line,
2. the environment,
3. the file `.env` in the working directory,
4. the default.

An empty value counts as not set. Variables marked smriti, polyg or pmll have the name and the meaning they have in
smriti-mcp, polyg-mcp and pmll-memory-mcp; the defaults are becausal's own.

Nothing is ignored in silence. A variable listed here takes effect or is refused by name, with what would be accepted
instead; a variable that begins with `BECAUSAL_` and is not listed is refused too. All problems are reported together,
one a line. The one exception is `OPENAI_API_KEY`, see below.

## In effect
"""

_WAITING = """\

## Known, but not part of this version

Each of these stops the start when it is set, so that nobody believes in something that does not happen.
"""


def to_markdown() -> str:
    """Return ``docs/settings.md``."""
    works = [row for row in ROWS if row.waits_for is None]
    waits = [row for row in ROWS if row.waits_for is not None]
    return "".join(
        (
            _HEAD,
            _table(
                ("Variable", "Keyword", "From", "Default", "Allowed", "Meaning"),
                [
                    (
                        f"`{row.variable}`",
                        f"`{row.field}`",
                        ", ".join(row.origin),
                        f"`{row.default}`" if row.default in row.choices or row.default.isdigit() else row.default,
                        _allowed(row),
                        row.meaning,
                    )
                    for row in works
                ],
            ),
            _WAITING,
            _table(
                ("Variable", "From", "Waits for", "Meaning"),
                [
                    (
                        f"`{row.variable}`",
                        ", ".join(row.origin),
                        row.waits_for or "",
                        row.meaning,
                    )
                    for row in waits
                ],
            ),
        )
    )


def _allowed(row: Row) -> str:
    return one_of([f"`{choice}`" for choice in row.choices]) or row.allowed


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    sys.stdout.write(to_markdown())
