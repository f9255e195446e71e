# SPDX-License-Identifier: Apache-2.0
"""The page of benchmark results, made from the file of results alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

Figures: TypeAlias = Mapping[str, Any]

HEAD = """# Benchmarks

This page is made from [benchmarks.json](benchmarks.json), which the commands named here fill; nothing on it is typed by
hand. `python benchmarks/run.py --data DIR` runs everything, `--only NAME,…` some of it, `--page` only writes this page.

Every figure is taken through the package's own front door, with its default settings, and beside plain rankings that
are computed in the same run on the same texts: **BM25** (k1 1.5, b .75), **dense** (the embedder's cosine similarity),
**rank fusion** of the two (k = 60) and **score fusion** (half and half, each stretched to 0 … 1). Differences come with
a 95 % bootstrap interval over the questions, in points of a hundred. Times are of the machine they were taken on, and
good for ratios only.
"""


SAID = {"without": "what {} adds to recall", "with": "what {} would add (off by default)"}


def page(results: Figures) -> str:
    """Return the page, in Markdown."""
    parts = [HEAD]
    for name, result in results.items():
        heading, text, body = SECTIONS[name.split()[0]]
        taken = f"Python {result['python']}, {result['processors']} processors."
        parts.append(f"## {heading.format(*name.split()[1:])}\n\n{text.strip()} {taken}\n")
        parts.append("\n\n".join(body(result["figures"])) + "\n")
    return "\n".join(parts)


def table(head: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(shown, row)) + " |" for row in rows])


def shown(value: object) -> str:
    """Return a value as it stands in a table."""
    match value:
        case float():
            return f"{value:.3f}" if abs(value) < 10 else f"{value:,.1f}"
        case int():
            return f"{value:,}"
        case [middle, low, high]:
            return f"{100 * middle:+.1f} [{100 * low:+.1f}, {100 * high:+.1f}]"
    return str(value)


def conversations(figures: Figures) -> Iterator[str]:
    for part in ("reporting", "tuning", "all"):
        ranking = figures[part]["ranking"]
        of = f" ({', '.join(figures[part]['conversations'])})" if "conversations" in figures[part] else ""
        yield f"### {part.capitalize()}{of}"
        categories = list(ranking["recall"])
        head = ("R@5 / R@10 / R@20", *(f"{name} ({ranking['recall'][name]['questions']})" for name in categories))
        yield table(head, [(ranker, *(three(by[name]) for name in categories)) for ranker, by in ranking.items()])
        over = figures[part]["over score fusion"]
        lines: list[tuple[object, ...]] = [("recall over score fusion", *over.values())]
        lines += [(SAID[name.split()[0]].format(name.split()[1]), *by.values()) for name, by in parts(figures[part])]
        yield table(("", *over), lines)
        if (sure := figures[part].get("confidence")) is not None:
            yield (
                f"`confidence` is {sure['answerable']:.2f} in the mean where the answer was told and "
                f"{sure['unanswerable']:.2f} where it was not: AUROC {sure['AUROC']:.3f}."
            )


def clusters(figures: Figures) -> Iterator[str]:
    rows = [(f"{part}, {name}", *by.values()) for part in figures for name, by in parts(figures[part])]
    yield table(("over recall as it is", *next(iter(parts(figures["all"])))[1]), rows)


def parts(figures: Figures) -> list[tuple[str, Any]]:
    return list(figures.get("parts", {}).items())


def three(row: Figures) -> str:
    return " / ".join(f"{row[name]:.3f}".removeprefix("0") for name in ("R@5", "R@10", "R@20"))


def passages(figures: Figures) -> Iterator[str]:
    ranking = figures["ranking"]
    columns = tuple(ranking["recall"]["all"])
    rows = [(f"{name}, {part}", *by.values()) for name, parts in ranking.items() for part, by in parts.items()]
    yield table((f"{figures['passages']:,} passages", *columns), rows)


def reports_cut(figures: Figures) -> Iterator[str]:
    columns = tuple(figures["ranking"]["recall"])
    rows = [(name, *by.values()) for name, by in figures["ranking"].items()]
    yield table((f"{figures['messages']:,} messages", *columns), rows)
    yield f"Recall over score fusion, R@5: {shown(figures['over score fusion, R@5'])}."


def pairs(figures: Figures) -> Iterator[str]:
    rows = {name: each for name, each in figures["pairs"].items() if "pair F1" in each}
    yield table(("", *next(iter(rows.values()))), [(name, *each.values()) for name, each in rows.items()])


def rows(figures: Figures) -> Iterator[str]:
    parts = [each for each in figures.values() if isinstance(each, Mapping)]
    if len(parts) == len(figures) and all(parts[0].keys() == each.keys() for each in parts):
        yield table(("", *parts[0]), [(name, *each.values()) for name, each in figures.items()])
    else:
        yield table(("", ""), list(flat(figures)))


def columns(figures: Figures) -> Iterator[str]:
    """Yield one table with a column for each part."""
    names = next(iter(figures.values()))
    yield table(("", *figures), [(name, *(each[name] for each in figures.values())) for name in names])


def flat(figures: Figures, prefix: str = "") -> Iterator[tuple[object, ...]]:
    """Yield every figure with its name, what stands within another under both names."""
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}, ")
        else:
            yield f"{prefix}{name}", value


SECTIONS: Mapping[str, tuple[str, str, Callable[[Figures], Iterator[str]]]] = {
    "locomo": (
        "Conversations: LoCoMo",
        """
Each turn is told as a memory of its own, with its speaker, its session as source, and its time; the figure is the share
of a question's evidence turns among the first 5, 10 and 20 results. Weights are chosen on the tuning part alone.
`locomo.py --ablate`.""",
        conversations,
    ),
    "clusters": (
        "With and without clusters: LoCoMo",
        """
What following associations from the best candidates would add: as it is ("with graph"), and after a consolidation, when
a hop into another cluster counts half ("with clusters"). Neither is on by default.
`locomo.py --try graph,clusters`.""",
        clusters,
    ),
    "multihop": (
        "Questions that join facts: 2WikiMultihopQA",
        """
All passages of all questions are told to one memory. The names recall follows were tuned on the first half.
`multihop.py`.""",
        passages,
    ),
    "messages": (
        "Long messages: incident reports cut into 300 words",
        """
Sixty questions written for this benchmark; it counts whether a message of the right report is among the first.
`messages.py`.""",
        reports_cut,
    ),
    "postmortems": ("Whole incident reports", "Ten questions, the report being one memory. `postmortems.py`.", rows),
    "causal": ("Causes read from text", "Marked pairs of three corpora, found by rules. `causal.py`.", pairs),
    "reports": ("Why an incident happened", "`ask` about every incident report. `reports.py`.", rows),
    "declining": (
        "Declining to answer: `ask`",
        "Each question once with its passages told and once without them. `declining.py`.",
        rows,
    ),
    "scale": ("{} memories", "Times in milliseconds unless it says otherwise. `scale.py`.", rows),
    "bulk": (
        "An import of {} memories",
        """
From files, a tenth at a time, until they are indexed; before each the model alone embeds the same texts in batches.
`scale.py --bulk`.""",
        rows,
    ),
    "databases": (
        "Databases side by side",
        """
10,000 memories in each database, every note and question to each in turn, the servers on the same machine. Times in
milliseconds unless it says otherwise. `scale.py --backend`.""",
        columns,
    ),
    "lifetime": (
        "A year in the life of a memory",
        """
5,000 made-up notes of all importances, some in use, and a consolidation every day of a year on a clock that is turned.
It fails if anything important was archived, anything faded was not or does not come back, or recall finds less than at
the start. Where all memories are of the same importance and age, as in a conversation, vitality cannot change anything;
here it brings more important ones among the first ten. `lifetime.py`.""",
        rows,
    ),
    "beside": (
        "Beside a consolidation",
        """
10,000 made-up notes, a consolidation that has everything to do, and somebody who stores and recalls meanwhile, in the
same process and in another one. Of what the clock shows the median of several runs counts, of processor times the
longest; it fails if anything was held up for more than 50 ms beyond the longest it took alone. `beside.py`.""",
        rows,
    ),
    "session": (
        "Sessions",
        "The silo under eight threads, promises between two processes, and a graph of 2,000 nodes. `session.py`.",
        rows,
    ),
    "startup": ("The first answer of the server", "`startup.py`.", rows),
    "views": (
        "The views of the page",
        """
What each view waits for, asked as the page asks it, the quickest of nine times, and how many times as long that takes
in the larger memory. Where a small memory has less to show than fits, it is also more that is shown. `views.py`.""",
        rows,
    ),
    "service": (
        "The service under load",
        """
64 MCP clients with a token each store and recall over HTTP for a minute, then recall for 20 seconds, with the hashing
embedder and with the clients on the same processors: times are of both sides. It fails on any error, on any
acknowledged memory that is missing, and on any that another user has. `load_before` is how many processes wanted a
processor already: where that is more than there are processors, times say little, and the rest still holds.
`service.py`.""",
        rows,
    ),
}
