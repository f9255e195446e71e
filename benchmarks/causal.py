# SPDX-License-Identifier: Apache-2.0
"""Cause and effect read by rules: marked pairs of three corpora, and chains in incident reports.

    python benchmarks/causal.py --data DIR [--json FILE]

``DIR`` holds ``unicausal/*_train.csv`` and ``postmortems``; what is absent is skipped. Each row of the
corpora marks one cause and one effect (or a pair that is none). A marked pair counts as found when one
link covers at least half of the shorter span on both sides, whichever way round; where a pronoun is marked,
as in "this caused …", a link that says what it stands for covers it. Of several such links the most
confident one counts, and it decides the direction. A found pair that is labelled "not causal"
is a false positive. BECAUSE also marks purposes ("to …", as causes of what is done for them) and degrees ("too big
to …"), the others do not: there what was read of those counts too. Every third row was kept apart while the
rules were written.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from becausal.domain.causal.text import CausalLink, Clause, cause_key, find_causes, read_causes

CORPORA = {"semeval2010t8": "SemEval-2010 T8", "altlex": "AltLex", "because": "BECAUSE"}
WITH_INFINITIVES = {"because"}
CUTS = (0.4, 0.6, 0.8, 0.9)
PRONOUNS = {"which", "that", "this", "these", "it", "they", "we", "i", "you", "he", "she", "who", "some"}
CONDITIONS = {"if", "unless", "until", "when", "whenever", "where", "once"}

Span = tuple[int, int]


@dataclass(frozen=True)
class Row:
    """A sentence with its marked spans; ``apart`` says that it was not looked at while tuning."""

    text: str
    cause: tuple[Span, ...]
    effect: tuple[Span, ...]
    is_pair: bool
    is_causal: bool
    apart: bool

    @property
    def kind(self) -> str:
        """How the pair is expressed, as far as what stands at the cause tells."""
        words = " ".join(self.text[start:end] for start, end in self.cause).lower().split()
        before = self.text[: self.cause[0][0]].lower().split()[-1:] if self.cause else []
        if len(words) == 1 and words[0] in PRONOUNS:
            return "cause is a bare pronoun"
        if before == ["to"]:
            return "purpose (to …)"
        if before and before[0] in CONDITIONS:
            return "condition or time (if, until, when …)"
        return "other"


def rows(file: Path) -> Iterator[Row]:
    csv.field_size_limit(10**7)
    with file.open(encoding="utf-8-sig", newline="") as handle:
        for number, record in enumerate(csv.DictReader(handle)):
            text, spans = unmark(record["text_w_pairs"])
            yield Row(
                text=text,
                cause=tuple(spans["0"]),
                effect=tuple(spans["1"]),
                is_pair=record["pair_label"] == "1",
                is_causal=record["seq_label"] == "1",
                apart=number % 3 == 2,
            )


def unmark(marked: str) -> tuple[str, dict[str, list[Span]]]:
    """Take ``<ARG0>`` and ``<ARG1>`` out of a text; the spans they marked, by their digit."""
    text = ""
    spans: dict[str, list[Span]] = {"0": [], "1": []}
    opened: dict[str, list[int]] = {"0": [], "1": []}
    position = 0
    for tag in re.finditer(r"<(/?)ARG([01])>", marked):
        text += marked[position : tag.start()]
        position = tag.end()
        closes, digit = tag.groups()
        if not closes:
            opened[digit].append(len(text))
        elif opened[digit]:
            spans[digit].append((opened[digit].pop(), len(text)))
    return text + marked[position:], spans


def tells(clause: Clause | None, pronoun: Span | None, spans: Sequence[Span]) -> bool:
    """Whether a side of a link is what is marked: its words, or the pronoun that stands for them."""
    return covers(clause, spans) or (pronoun is not None and spans == (pronoun,))


def covers(clause: Clause | None, spans: Sequence[Span]) -> bool:
    if clause is None:
        return False
    shared = sum(max(0, min(clause.end, end) - max(clause.start, start)) for start, end in spans)
    shorter = min(clause.end - clause.start, sum(end - start for start, end in spans))
    return shared > 0 and 2 * shared >= shorter


@dataclass
class Tally:
    found: int = 0
    wrong: int = 0
    pairs: int = 0
    forward: int = 0
    sentences: Counter[tuple[bool, bool]] = field(default_factory=Counter)
    patterns: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    kinds: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))

    def add(self, row: Row, links: Sequence[CausalLink]) -> None:
        self.sentences[row.is_causal, bool(links)] += 1
        best: tuple[float, bool, str] | None = None
        for link in links:
            cause, effect = (link.cause, link.cause_pronoun), (link.effect, link.effect_pronoun)
            forward = tells(*cause, row.cause) and tells(*effect, row.effect)
            backward = tells(*cause, row.effect) and tells(*effect, row.cause)
            if (forward or backward) and (best is None or link.confidence > best[0]):
                best = link.confidence, forward, link.pattern
        if row.is_pair:
            self.pairs += 1
            self.kinds[row.kind][1] += 1
            self.kinds[row.kind][0] += best is not None
        if best is not None:
            self.patterns[best[2]][0 if row.is_pair else 1] += 1
            self.found += row.is_pair
            self.forward += row.is_pair and best[1]
            self.wrong += not row.is_pair

    def figures(self) -> dict[str, float]:
        told = self.sentences[True, True]
        return {
            **scores("pair", self.found, self.found + self.wrong, self.pairs),
            "direction": share(self.forward, self.found),
            **scores("sentence", told, told + self.sentences[False, True], told + self.sentences[True, False]),
        }


def share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def scores(name: str, right: int, given: int, wanted: int) -> dict[str, float]:
    precision, recall = share(right, given), share(right, wanted)
    f1 = share(2 * precision * recall, precision + recall)
    return {f"{name} precision": precision, f"{name} recall": recall, f"{name} F1": f1}


def pairs(folder: Path) -> dict[str, Any]:
    """Print and return the figures on the corpora."""
    results: dict[str, Any] = {}
    by_pattern: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    print("| corpus | part | pairs | P | R | F1 | direction | sentence P | R | F1 |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    cut_lines = []
    for name, title in CORPORA.items():
        read = [(row, links_of(row.text, name in WITH_INFINITIVES)) for row in rows(folder / f"{name}_train.csv")]
        for part in ("tuned on", "kept apart", "all"):
            chosen = [each for each in read if part == "all" or each[0].apart == (part == "kept apart")]
            tally = tallied(chosen, 0.0)
            figures = tally.figures()
            results[f"{name}, {part}"] = figures
            values = " | ".join(f"{value:.3f}" for value in figures.values())
            print(f"| {title} | {part} | {tally.pairs} | {values} |")
        for pattern, (right, wrong) in tally.patterns.items():
            by_pattern[pattern][0] += right
            by_pattern[pattern][1] += wrong
        cuts = {cut: tallied(read, cut).figures() for cut in CUTS}
        results[f"{name}, by confidence"] = {str(cut): figures for cut, figures in cuts.items()}
        cut_lines.append(f"| {title} | " + " | ".join(cell(figures) for figures in cuts.values()) + " |")
        if name == "because":
            results["because, by kind"] = dict(tally.kinds)
    print("\nPair precision / recall at a confidence of at least\n")
    print("| corpus | " + " | ".join(map(str, CUTS)) + " |\n|---|" + "---|" * len(CUTS))
    print("\n".join(cut_lines))
    print("\nBECAUSE, recall by how a pair is expressed\n\n| kind | found | pairs |\n|---|---|---|")
    for kind, (found, count) in sorted(results["because, by kind"].items()):
        print(f"| {kind} | {found} | {count} |")
    print("\n| pattern | marked pairs | of those causal |\n|---|---|---|")
    for pattern, (right, wrong) in sorted(by_pattern.items(), key=lambda item: -sum(item[1])):
        print(f"| {pattern} | {right + wrong} | {share(right, right + wrong):.2f} |")
    results["patterns"] = dict(by_pattern)
    return results


def links_of(text: str, with_infinitives: bool) -> tuple[CausalLink, ...]:
    reading = read_causes(text)
    return (*reading.links, *reading.infinitives) if with_infinitives else reading.links


def cell(figures: Mapping[str, float]) -> str:
    return f"{figures['pair precision']:.2f} / {figures['pair recall']:.2f}"


def tallied(read: Iterable[tuple[Row, Sequence[CausalLink]]], cut: float) -> Tally:
    tally = Tally()
    for row, links in read:
        tally.add(row, [link for link in links if link.confidence >= cut])
    return tally


def reports(folder: Path) -> dict[str, Any]:
    """Print and return how many reports have a link and a chain, and the speed."""
    texts = [body(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*/*.md"))]
    began = time.perf_counter()
    found = [find_causes(text) for text in texts]
    seconds = time.perf_counter() - began
    hops = [longest_chain(links) for links in found]
    count, links = len(texts), [link for each in found for link in each]
    results = {
        "reports": count,
        "links per report": share(len(links), count),
        "with a link": share(sum(map(bool, found)), count),
        "with two hops or more": share(sum(hop >= 2 for hop in hops), count),
        "with three hops or more": share(sum(hop >= 3 for hop in hops), count),
        "links across sentences": share(sum(link.cross_sentence for link in links), len(links)),
        "characters a second": sum(map(len, texts)) / seconds,
    }
    print("\nIncident reports (chains joined by identity and by reference)\n\n| | |\n|---|---|")
    for name, value in results.items():
        print(f"| {name} | {value:,.2f} |" if value < 1000 else f"| {name} | {value:,.0f} |")
    return results


def body(text: str) -> str:
    """A report without its front matter (but with its summary) and without headings."""
    front = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    summary = ""
    if front:
        text = text[front.end() :]
        given = re.search(r"^summary:\s*(.*?)(?=^\w+:|\Z)", front[1], re.DOTALL | re.MULTILINE)
        summary = " ".join(given[1].split()).strip("\"'|>- ") if given else ""
    lines = [line for line in text.split("\n") if not line.startswith("#")]
    return f"{summary}\n\n{chr(10).join(lines)}".strip()


def longest_chain(links: Sequence[CausalLink]) -> int:
    """The most hops of any path that visits no node twice (at most six are looked for)."""
    following: dict[str, set[str]] = defaultdict(set)
    for link in links:
        if link.cause is not None:
            following[cause_key(link.cause.text)].add(cause_key(link.effect.text))

    def walk(node: str, seen: frozenset[str]) -> int:
        if len(seen) > 6:
            return 0
        onward = following.get(node, set()) - seen
        return max((1 + walk(each, seen | {each}) for each in onward), default=0)

    return max((walk(node, frozenset({node})) for node in list(following)), default=0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results: dict[str, Any] = {}
    corpora = options.data / "unicausal"
    if all((corpora / f"{name}_train.csv").is_file() for name in CORPORA):
        results["pairs"] = pairs(corpora)
    else:
        print(f"skipped: the corpora are not under {corpora}", file=sys.stderr)
    if any((options.data / "postmortems").glob("*/*.md")):
        results["reports"] = reports(options.data / "postmortems")
    else:
        print(f"skipped: no reports under {options.data / 'postmortems'}", file=sys.stderr)
    if options.json and results:
        options.json.write_text(json.dumps(results, indent=2), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
