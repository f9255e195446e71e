# SPDX-License-Identifier: Apache-2.0
"""Why did it happen? Incident reports told to one memory, each asked about by its title.

    python benchmarks/reports.py --data DIR [--hops N] [--seed N] [--json FILE]

``DIR`` holds ``postmortems``. Each report is stored as one memory, without its front matter (so without
its title and its summary) and without headings. Its title, dates and all, is made a question by one rule:
with a verb in the present tense, "Why did …" and the verb's base ("Why did Trinity installer delete
boot.ini?"), otherwise "Why did the … happen?". Reports without a title are stored and not asked about;
of reports with the same title either is right.

Counted over the questions: whether the first source of the answer is the right report; whether the answer
carries a chain of two hops or more that ends at the incident, each hop with words of that report as its
evidence; and how many were declined. A chain ends at the incident if its last effect was told in the right
report and either stands in its first two sentences, where reports say what happened, or names what the title
names: shares a word with it that is no number, month or name of the company or product, or two words of
any kind but numbers. Evidence is checked piece by piece, "…" being what was left out. ``--hops`` prints
that many hops, drawn at random from the chains (``--seed`` draws others), for a reader to judge.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from becausal import Memory
from becausal.domain.causal.lexicon import MONTHS
from becausal.domain.causal.verbs import NOUN_LIKE, PRESENT, VERB_FORMS
from becausal.domain.text import sentences, terms
from becausal.engine.results import Answer

SEED = 20
HOPS = 2


@dataclass(frozen=True)
class Report:
    """One report: what is told of it, and what its front matter or first heading says."""

    file: str
    text: str
    title: str
    names: str

    @property
    def question(self) -> str:
        return question(self.title)


def read(file: Path) -> Report:
    text = file.read_text(encoding="utf-8")
    front = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    said = front[1] if front else ""
    told = text[front.end() :] if front else text
    heading = re.search(r"^# +(.+)$", told, re.MULTILINE) if front is None else None
    lines = [line for line in told.split("\n") if not re.match(r"#{1,6}\s", line)]
    return Report(
        file=file.name,
        text="\n".join(lines).strip(),
        title=heading[1].strip() if heading else value(said, "title"),
        names=f"{value(said, 'company')} {value(said, 'product')}",
    )


def value(front: str, name: str) -> str:
    """A one-line value of the front matter, without quotation marks."""
    found = re.search(rf"^{name}:[ \t]*(.+)$", front, re.MULTILINE)
    return found[1].strip().strip("\"'") if found else ""


def question(title: str) -> str:
    words = re.sub(r"^How ", "", title).rstrip(".?!").split()
    for at, word in enumerate(words):
        base, form = VERB_FORMS.get(word.lower(), ("", ""))
        if at and form == PRESENT and (word.lower() not in NOUN_LIKE or base == "cause"):
            return f"Why did {' '.join([*words[:at], base, *words[at + 1 :]])}?"
    return f"Why did the {' '.join(words)} happen?"


def opens_with(text: str, effect: str) -> bool:
    """Whether an effect stands in the first two sentences of a report."""
    return any(effect in text[start:end] for start, end in sentences(text)[:2])


def names_the_incident(effect: str, report: Report) -> bool:
    dull = set(terms(report.names)) | set(terms(" ".join(MONTHS)))
    shared = {word for word in set(terms(effect)) & set(terms(report.title)) if not word.isdigit()}
    return bool(shared - dull) or len(shared) > 1


def is_quoted(evidence: str, text: str) -> bool:
    pieces = [" ".join(piece.split()) for piece in evidence.split("…")]
    return all(piece in " ".join(text.split()) for piece in pieces if piece)


def judge(report: Report, right: Mapping[str, Report], answer: Answer) -> dict[str, Any]:
    """What is counted of one answer. ``right`` are the reports with this title, by the memory's id."""
    chain = answer.chain
    said_by = {source.number: source.engram for source in answer.sources}
    told = [right.get(said_by.get(step.source or 0, "")) for step in chain]
    quoted = [
        each is not None and bool(step.evidence) and is_quoted(step.evidence or "", each.text)
        for step, each in zip(chain, told, strict=True)
    ]
    last = told[-1] if told else None
    ends = last is not None and (
        names_the_incident(chain[-1].effect, report) or opens_with(last.text, chain[-1].effect)
    )
    return {
        "file": report.file,
        "question": answer.question,
        "answer": answer.answer,
        "confidence": answer.confidence,
        "abstained": answer.abstained,
        "right first": bool(answer.sources) and answer.sources[0].engram in right,
        "hops": len(chain),
        "told in the report": all(each is not None for each in told),
        "quoted": all(quoted),
        "ends at the incident": ends,
        "good": len(chain) >= HOPS and all(quoted) and ends,
        "chain": [
            {"cause": step.cause, "effect": step.effect, "confidence": step.confidence, "evidence": step.evidence}
            for step in chain
        ],
    }


def run(reports: Sequence[Report]) -> tuple[list[dict[str, Any]], float]:
    rows = []
    with tempfile.TemporaryDirectory() as folder, Memory.open(folder, user="bench") as memory:
        began = time.perf_counter()
        stored = {memory.store(each.text, source="reports").engram.id: each for each in reports}
        memory.settle()
        seconds = time.perf_counter() - began
        for report in reports:
            if report.title:
                right = {id: each for id, each in stored.items() if each.title == report.title}
                rows.append(judge(report, right, memory.ask(report.question)))
    return rows, seconds


def figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    def part(*names: str) -> float:
        return sum(all(row[name] for name in names) for row in rows) / len(rows)

    hops = [row["hops"] for row in rows]
    return {
        "questions": len(rows),
        "right report is the first source": part("right first"),
        "chain of two hops or more": sum(count >= HOPS for count in hops) / len(rows),
        "the same, ending at the incident, every hop quoted": part("good"),
        "declined": sum(row["abstained"] for row in rows),
        "hops": sum(hops),
        "chains with a hop told elsewhere": sum(not row["told in the report"] for row in rows),
        "chains with a hop not quoted": sum(not row["quoted"] for row in rows),
    }


def show_hops(rows: Sequence[Mapping[str, Any]], count: int, seed: int) -> None:
    hops = [(row, hop) for row in rows for hop in row["chain"]]
    chosen = random.Random(seed).sample(range(len(hops)), min(count, len(hops)))
    for number, at in enumerate(sorted(chosen), 1):
        row, hop = hops[at]
        print(f"\n{number}. {row['question']}\n   {hop['cause']}\n   → {hop['effect']}\n   told: {hop['evidence']}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--hops", type=int, default=0)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    files = sorted((options.data / "postmortems").glob("*/*.md"))
    if not files:
        print(f"skipped: no reports under {options.data / 'postmortems'}", file=sys.stderr)
        return 0
    rows, seconds = run([read(file) for file in files])
    results = figures(rows)
    print(f"{len(files)} reports stored and indexed in {seconds:.0f} s\n\n| | |\n|---|---|")
    for name, figure in results.items():
        print(f"| {name} | {figure:.2f} |" if isinstance(figure, float) else f"| {name} | {figure} |")
    for row in rows:
        if not (row["good"] and row["right first"]):
            faults = [] if row["right first"] else ["another report first"]
            faults += ["declined"] if row["abstained"] else []
            faults += [] if row["good"] else [f"{row['hops']} hops"]
            faults += ["does not end at the incident"] if row["hops"] and not row["ends at the incident"] else []
            print(f"{row['file'][:12]}  {row['question']}  ({', '.join(faults)})")
    show_hops(rows, options.hops, options.seed)
    if options.json:
        options.json.write_text(json.dumps({"figures": results, "questions": rows}, indent=2), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
