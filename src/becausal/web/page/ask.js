// SPDX-License-Identifier: Apache-2.0
// Ask: an answer, the chain of causes behind it, and the sentences all of that rests on.

import { ask } from "./api.js";
import { chain } from "./chain.js";
import { fill, h, icon } from "./dom.js";
import { cut, when } from "./format.js";
import { button, degraded, graphLink, heading, memoryLink, meter, notice, trouble, waiting } from "./ui.js";

const ASK = `query ($question: String!, $since: String, $until: String) {
  ask(question: $question, since: $since, until: $until) {
    answer intent confidence abstained rootCause chainConfidence remarks degraded pending missing madeBy
    chain { cause causeId effect effectId confidence cumulative evidence source stated }
    sources { number kind engramId recordId text origin at }
    facts { id subject predicate object validFrom validTo } timeline { id description occurredAt occurredUntil precision } } }`;
const INTENTS = { why: "a question of why", when: "a question of when", who: "a question of who", what: "a question of what", how: "a question of how" };

export async function render({ query }, signal) {
  const question = query.get("q")?.trim() ?? "";
  const given = { since: query.get("since")?.trim() || null, until: query.get("until")?.trim() || null };
  const answer = h("div", { class: "answer stack", "aria-live": "polite" });
  if (question) tell(answer, question, given, signal);
  else fill(answer, h("p", { class: "muted lead" }, "An answer names its sources. Where nothing that was told answers the question, it says so."));
  return h("div", {}, heading("Ask why", question ? null : "What led to it, since when, who said so."), form(question, given), answer);
}

function form(question, given) {
  const submit = (event) => {
    event.preventDefault();
    const told = [...new FormData(event.target)].filter(([, value]) => value.trim());
    const next = `#/ask?${new URLSearchParams(told)}`;
    if (location.hash === next) window.dispatchEvent(new HashChangeEvent("hashchange"));
    else location.hash = next;
  };
  return h("form", { class: "search", role: "search", onsubmit: submit },
    h("div", { class: "search-row" }, icon("ask"),
      h("input", { type: "search", name: "q", value: question, placeholder: "Why did card payments fail?", "aria-label": "Your question", maxlength: 8000, "data-focus": true, autocomplete: "off", dir: "auto" }),
      h("button", { class: "button", type: "submit" }, "Ask")),
    h("details", { class: "filters", open: Boolean(given.since || given.until) }, h("summary", {}, "Only of a time"),
      h("div", { class: "filter-grid" },
        h("label", { class: "field" }, h("span", {}, "Since"), h("input", { name: "since", value: given.since ?? "", placeholder: "2026-03" })),
        h("label", { class: "field" }, h("span", {}, "Until"), h("input", { name: "until", value: given.until ?? "", placeholder: "yesterday" })))));
}

async function tell(into, question, given, signal) {
  fill(into, waiting("Tracing"));
  try {
    const { ask: told } = await ask(ASK, { question, ...given }, signal);
    fill(into, told.abstained ? abstained(told) : answered(told), degraded(told),
      Object.entries(told.missing).map(([view, why]) => notice(`The ${view} view is missing from this answer: ${why}`)));
  } catch (error) {
    if (error.name === "AbortError") return;
    fill(into, trouble(error));
  }
}

function abstained(told) {
  return [
    h("section", { class: "card verdict unsure" }, h("p", { class: "kicker" }, "Not told"), h("p", { class: "told", dir: "auto" }, told.answer)),
    told.sources.length ? sources(told.sources, "What comes nearest") : null,
  ];
}

function answered(told) {
  const made = told.madeBy.answer && told.madeBy.answer !== "local" ? `put into words by ${told.madeBy.answer}` : null;
  return [
    h("section", { class: "card verdict" },
      h("div", { class: "row spread" }, h("p", { class: "kicker" }, [INTENTS[told.intent.toLowerCase()] ?? told.intent.toLowerCase(), made].filter(Boolean).join(" · ")), meter(told.confidence, "Confidence of the answer")),
      h("div", { class: "told answer-text", dir: "auto" }, cited(told.answer))),
    told.chain.length ? chain(told) : null,
    told.remarks.length ? h("ul", { class: "remarks" }, told.remarks.map((remark) => h("li", { class: "told", dir: "auto" }, cited(remark)))) : null,
    told.sources.length ? sources(told.sources, "It rests on") : null,
    known(told),
  ];
}

/** Text with its "[1]" leading to the sources. */
function cited(text) {
  return text.split(/(\[\d{1,3}\])/).map((part, at) => (at % 2
    ? h("a", { class: "cite", href: `#source-${part.slice(1, -1)}`, onclick: jump, "aria-label": `Source ${part.slice(1, -1)}` }, part.slice(1, -1))
    : part));
}

export function jump(event) {
  event.preventDefault();
  const place = document.getElementById(event.currentTarget.getAttribute("href").slice(1));
  place?.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  place?.focus({ preventScroll: true });
}

function sources(told, title) {
  return h("section", { class: "sources", "aria-label": title }, h("h2", {}, title),
    h("ol", { class: "source-list" }, told.map((source) => h("li", { id: `source-${source.number}`, tabindex: "-1", class: "source" },
      h("span", { class: "number", "aria-hidden": "true" }, source.number),
      h("div", {},
        long(source.text),
        h("p", { class: "muted small" },
          source.engramId ? h("a", { href: memoryLink(source.engramId) }, "Open the memory") : h("a", { href: graphLink(source.recordId) }, `Stated ${source.kind}`),
          source.origin && [" · ", h("span", { dir: "auto" }, source.origin)], " · ", when(source.at)))))));
}

function long(text) {
  if (text.length <= 900) return h("p", { class: "told", dir: "auto" }, text);
  const body = h("p", { class: "told", dir: "auto" }, cut(text, 700));
  const more = button("Show all", () => { fill(body, text); more.remove(); }, { kind: "small quiet" });
  return h("div", {}, body, more);
}

/** What else is known of it: of a question why, only what its sources tell, since all else is beside it. */
function known({ intent, sources: told, facts, timeline }) {
  if (intent.toLowerCase() === "why") {
    const texts = told.map((source) => source.text);
    timeline = timeline.filter((event) => texts.some((text) => text.includes(event.description)));
    facts = facts.filter((fact) => texts.some((text) => text.includes(fact.subject) && text.includes(fact.object)));
  }
  if (!facts.length && !timeline.length) return null;
  return h("section", { class: "columns" },
    facts.length ? h("div", {}, h("h2", {}, "Facts"), h("ul", { class: "plain" }, facts.slice(0, 12).map((fact) => h("li", { class: fact.validTo ? "ended" : null },
      h("a", { href: graphLink(fact.id), dir: "auto" }, `${fact.subject} ${fact.predicate} ${fact.object}`),
      h("small", {}, ` since ${when(fact.validFrom)}${fact.validTo ? `, until ${when(fact.validTo)}` : ""}`))))) : null,
    timeline.length ? h("div", {}, h("h2", {}, "When"), h("ul", { class: "plain" }, timeline.slice(0, 12).map((event) => h("li", {},
      h("small", {}, `${when(event.occurredAt, event.precision, event.occurredUntil)}: `), h("a", { href: graphLink(event.id), dir: "auto" }, event.description))))) : null);
}
