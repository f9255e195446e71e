// SPDX-License-Identifier: Apache-2.0
// Search: the newest memories, or those that fit some words, each with how it was found.

import { ask } from "./api.js";
import { h, icon, marked, wordsOf } from "./dom.js";
import { ago, moment, when } from "./format.js";
import { chip, degraded, empty, heading, memoryLink, meter, paged, searchLink } from "./ui.js";

const CARD = "id label summary memoryType origin tags pinned occurredAt occurredUntil precision createdAt";
const RECALL = `query ($q: String!, $limit: Int!, $cursor: String, $mode: String!, $type: String, $tags: [String!],
    $source: String, $since: String, $until: String) {
  recall(query: $q, limit: $limit, cursor: $cursor, mode: $mode, memoryType: $type, tags: $tags, source: $source,
    since: $since, until: $until) {
    confidence degraded pending next
    results { score text truncated passage matchType path parts engram { ${CARD} } } } }`;
const NEWEST = `query ($after: String, $type: String, $tag: String, $source: String, $since: String, $until: String) {
  engrams(first: 20, after: $after, memoryType: $type, tag: $tag, source: $source, since: $since, until: $until) {
    nodes { ${CARD} content(length: 600) contentLength } pageInfo { endCursor } } }`;

const PARTS = {
  text: "words", vector: "meaning", cue: "cues", time: "time", neighbours: "neighbours", tokens: "close reading",
  names: "names", importance: "importance", recency: "recency",
};
const FOUND = {
  cue: "by a cue", text: "by its words", vector: "by its meaning", time: "by its time", neighbour: "beside another that fits",
  name: "by a name it shares", association: "by an association", hybrid: "by words and meaning", search: "by its meaning", fts: "by its words",
};
const MODES = { recall: "everything together", search: "meaning alone", fts: "words alone", hybrid: "words and meaning" };
const TYPES = { "": "any", episodic: "what happened", semantic: "what is so", procedural: "how it is done" };

export async function render({ query }) {
  const given = Object.fromEntries(["q", "mode", "type", "tag", "source", "since", "until"].map((name) => [name, query.get(name)?.trim() || null]));
  const asked = given.q !== null;
  const above = h("div", { class: "stack", "aria-live": "polite" });
  const list = paged(asked ? (cursor) => recalled(given, cursor, above) : (cursor) => newest(given, cursor), {
    label: asked ? "More results" : "Earlier memories",
    none: asked
      ? empty("Nothing was found.", "Try other words, or fewer filters.")
      : filtered(given)
        ? empty("No memory passes these filters.", null)
        : empty("This memory is empty.", "What your agents and you tell it appears here.", h("p", {}, h("a", { class: "button", href: "#/new" }, icon("plus"), "Tell it something"))),
  });
  await list.ready;
  return h("div", {},
    heading("Search", asked ? null : "The newest first. Ask for anything in your own words.",
      h("a", { class: "button quiet", href: "#/new" }, icon("plus"), h("span", {}, "New memory"))),
    form(given), above, list);
}

const filtered = (given) => ["mode", "type", "tag", "source", "since", "until"].some((name) => given[name]);

function form(given) {
  const field = (name, label, more = {}) => h("label", { class: "field" }, h("span", {}, label), h("input", { name, value: given[name] ?? "", autocomplete: "off", ...more }));
  const choice = (name, label, options) => h("label", { class: "field" }, h("span", {}, label),
    h("select", { name }, Object.entries(options).map(([value, text]) => h("option", { value, selected: (given[name] ?? "") === value }, text))));
  const submit = (event) => {
    event.preventDefault();
    const told = [...new FormData(event.target)].filter(([name, value]) => value.trim() && !(name === "mode" && value === "recall"));
    location.hash = searchLink(told);
  };
  return h("form", { class: "search", role: "search", onsubmit: submit },
    h("div", { class: "search-row" }, icon("search"),
      h("input", { type: "search", name: "q", value: given.q ?? "", placeholder: "What do you want to remember?", "aria-label": "What to search for", maxlength: 8000, "data-focus": true, autocomplete: "off", dir: "auto" }),
      h("button", { class: "button", type: "submit" }, "Search")),
    h("details", { class: "filters", open: Boolean(filtered(given)) }, h("summary", {}, "Filters"),
      h("div", { class: "filter-grid" },
        field("since", "Since", { placeholder: "2026-03, last spring…" }), field("until", "Until", { placeholder: "yesterday" }),
        field("source", "Source", { placeholder: "exactly, such as on-call" }), field("tag", "Tag"),
        choice("type", "Type", TYPES), choice("mode", "Found by", MODES))));
}

async function newest(given, after) {
  const { engrams } = await ask(NEWEST, { after, type: given.type, tag: given.tag, source: given.source, since: given.since, until: given.until });
  const items = engrams.nodes.map((engram) => card(engram, [h("p", { class: "told clamp", dir: "auto" }, engram.content, engram.contentLength > 600 && " …")]));
  return { items, next: engrams.pageInfo.endCursor };
}

async function recalled(given, cursor, above) {
  const { recall } = await ask(RECALL, { q: given.q, limit: 10, cursor, mode: given.mode ?? "recall", type: given.type, tags: given.tag ? [given.tag] : null, source: given.source, since: given.since, until: given.until });
  if (cursor === null) above.replaceChildren(...[sureness(recall), degraded(recall)].flat().filter(Boolean));
  const words = wordsOf(given.q);
  return { items: recall.results.map((result) => card(result.engram, [found(result, words), how(result)])), next: recall.next };
}

function sureness({ confidence, results }) {
  if (confidence === null || !results.length) return null;
  const said = confidence >= 0.7 ? "The memory very likely holds this." : confidence >= 0.4 ? "The memory may hold this." : "The memory probably does not hold this; these come nearest.";
  return h("div", { class: "sureness" }, meter(confidence, "How likely it is that the memory holds this"), h("p", {}, said));
}

function found({ text, passage }, words) {
  const at = passage && passage.length < text.length ? text.indexOf(passage) : -1;
  if (at < 0) return h("p", { class: "told clamp", dir: "auto" }, marked(text, words));
  const before = text.slice(0, at);
  return h("p", { class: "told clamp", dir: "auto" },
    before.length > 160 ? [`… ${before.slice(-120)}`] : before, h("span", { class: "passage" }, marked(passage, words)), text.slice(at + passage.length));
}

function how({ score, matchType, path, parts }) {
  const shares = Object.entries(parts).sort((one, other) => other[1] - one[1]);
  return h("details", { class: "how" },
    h("summary", {}, h("span", {}, `Found ${FOUND[matchType] ?? matchType}`), h("span", { class: "score", title: "Score" }, score.toFixed(2))),
    h("div", { class: "how-body" },
      path.length ? h("p", { class: "path", dir: "auto" }, path.map((step, at) => [at ? h("span", { class: "path-arrow" }, " → ") : null, step])) : null,
      h("dl", { class: "parts" }, shares.map(([name, value]) => [h("dt", {}, PARTS[name] ?? name), h("dd", {}, meter(value, PARTS[name] ?? name))]))));
}

/** A memory in a list. */
export function card(engram, body) {
  const time = engram.occurredAt
    ? h("time", { datetime: engram.occurredAt }, when(engram.occurredAt, engram.precision, engram.occurredUntil))
    : h("time", { datetime: engram.createdAt, title: moment(engram.createdAt) }, `told ${ago(engram.createdAt)}`);
  return h("article", { class: "card" },
    h("div", { class: "card-head" },
      h("a", { class: "card-link", href: memoryLink(engram.id), "aria-label": `Open: ${engram.label ?? engram.summary}` }, engram.label ? h("strong", { dir: "auto" }, engram.label) : time),
      engram.label ? time : null,
      engram.origin && h("span", { class: "origin", dir: "auto" }, engram.origin),
      engram.pinned ? h("span", { class: "pinned" }, icon("pin"), "pinned") : null),
    body,
    engram.tags.length ? h("div", { class: "tags" }, engram.tags.slice(0, 8).map((tag) => chip(tag, { href: searchLink({ tag }) })), engram.tags.length > 8 && chip(`+${engram.tags.length - 8}`)) : null);
}

