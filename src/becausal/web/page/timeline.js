// SPDX-License-Identifier: Apache-2.0
// What happened and what held, the latest first, window by window.

import { ask } from "./api.js";
import { fill, h } from "./dom.js";
import { month, when } from "./format.js";
import { empty, graphLink, heading, memoryLink, paged, trouble, waiting } from "./ui.js";

const TIMELINE = `query ($about: String, $since: String, $until: String, $cursor: String) {
  timeline(about: $about, since: $since, until: $until, limit: 40, cursor: $cursor) {
    entries { id kind text at until precision ended } about earlier } }`;
const TOLD = `query ($id: ID!) { links(of: $id, kinds: ["X_RECORDS"], first: 5) { source { id ... on Engram { summary } } } }`;
const KINDS = { event: "Event", fact: "Fact", engram: "Memory" };

export async function render({ query }) {
  const given = Object.fromEntries(["about", "since", "until"].map((name) => [name, query.get(name)?.trim() || null]));
  const hidden = new Set();
  const line = h("div", { class: "line" });
  let last = null;
  const load = async (cursor) => {
    const { timeline } = await ask(TIMELINE, { ...given, cursor });
    const items = [];
    for (const entry of timeline.entries.toReversed()) {
      const name = month(entry.at);
      if (name !== last) items.push(h("h2", { class: "line-month" }, name));
      last = name;
      items.push(shown(entry));
    }
    return { items, next: timeline.earlier };
  };
  const list = paged(load, { label: "Earlier", list: line, none: given.about || given.since || given.until ? empty("Nothing is known of that time.", "Try a wider one, or another name.") : empty("Nothing has a time yet.", "Texts that say when something happened appear here.") });
  await list.ready;
  const toggle = (kind) => h("label", { class: `toggle kind-${kind}` },
    h("input", { type: "checkbox", checked: true, onchange: (event) => { if (event.target.checked) hidden.delete(kind); else hidden.add(kind); line.dataset.hidden = [...hidden].join(" "); } }), `${KINDS[kind]}s`.replace("ys", "ies"));
  return h("div", {}, heading("Timeline", "What happened and what held, the latest first."), form(given),
    h("div", { class: "toggles", role: "group", "aria-label": "Show" }, Object.keys(KINDS).map(toggle)), list);
}

function form(given) {
  const submit = (event) => {
    event.preventDefault();
    location.hash = `#/timeline?${new URLSearchParams([...new FormData(event.target)].filter(([, value]) => value.trim()))}`;
  };
  const field = (name, label, placeholder) => h("label", { class: "field" }, h("span", {}, label), h("input", { name, value: given[name] ?? "", placeholder, autocomplete: "off", dir: "auto", "data-focus": name === "about" }));
  return h("form", { class: "card filter-line", onsubmit: submit }, field("about", "About", "a name, or any words"), field("since", "Since", "2026-01"), field("until", "Until", "last week"), h("button", { class: "button", type: "submit" }, "Show"));
}

function shown(entry) {
  const body = entry.kind === "engram"
    ? h("a", { href: memoryLink(entry.id), class: "told", dir: "auto" }, entry.text)
    : h("details", { ontoggle: (event) => tellWhere(event.target, entry.id) }, h("summary", {}, h("span", { class: "told", dir: "auto" }, entry.text)), h("div", { class: "told-in" }));
  const until = entry.kind === "fact" && entry.until ? ` until ${when(entry.until)}` : "";
  const since = entry.kind === "fact" ? "since " : "";
  return h("article", { class: `entry kind-${entry.kind} ${entry.ended ? "ended" : ""}` },
    h("p", { class: "entry-when" }, h("time", { datetime: entry.at }, `${since}${when(entry.at, entry.precision, entry.until)}${until}`), h("span", { class: "entry-kind" }, KINDS[entry.kind])),
    body);
}

async function tellWhere(details, id) {
  const into = details.querySelector(".told-in");
  if (!details.open || into.childNodes.length) return;
  fill(into, waiting());
  try {
    const { links } = await ask(TOLD, { id });
    const told = links.map((link) => link.source).filter((source) => source?.summary);
    fill(into,
      told.length ? h("ul", { class: "plain" }, told.map((source) => h("li", {}, h("a", { href: memoryLink(source.id), dir: "auto" }, source.summary)))) : h("p", { class: "muted" }, "Stated outright."),
      h("a", { class: "small", href: graphLink(id) }, "See what surrounds it"));
  } catch (error) {
    fill(into, trouble(error));
  }
}
