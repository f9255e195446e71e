// SPDX-License-Identifier: Apache-2.0
// Telling something new, and changing what was told.

import { ask } from "./api.js";
import { direction, fill, h } from "./dom.js";
import { heading, memoryLink, toast, trouble } from "./ui.js";

const CHUNK = 100_000;
const READ = `query ($id: ID!, $offset: Int!) { engram(id: $id) {
  id content(offset: $offset, length: ${CHUNK}) contentLength importance tags origin label memoryType } }`;
const UPDATE = `mutation ($id: ID!, $content: String, $importance: Float, $tags: [String!], $source: String, $label: String,
    $type: String, $occurredAt: String) {
  update(id: $id, content: $content, importance: $importance, tags: $tags, source: $source, label: $label,
    memoryType: $type, occurredAt: $occurredAt) { id superseded } }`;
const STORE = `mutation ($content: String!, $importance: Float!, $tags: [String!], $source: String, $label: String, $occurredAt: String) {
  store(content: $content, importance: $importance, tags: $tags, source: $source, label: $label, occurredAt: $occurredAt) { id created superseded } }`;
const TYPES = { episodic: "what happened", semantic: "what is so", procedural: "how it is done" };

export async function render({ name, id }) {
  const known = name === "edit" ? await whole(id) : null;
  if (name === "edit" && known === null) return h("div", {}, heading("No such memory"));
  const note = h("div", {});
  const area = h("textarea", { name: "content", required: true, rows: 10, dir: direction(known?.content ?? ""), oninput: (event) => { event.target.dir = direction(event.target.value); }, "data-focus": true, value: known?.content ?? "", "aria-label": "Text" });
  const number = h("output", {}, String(known?.importance ?? 0.5));
  const form = h("form", { class: "card edit", onsubmit: (event) => save(event, known, note) },
    h("label", { class: "field" }, h("span", {}, "Text"), area),
    h("div", { class: "filter-grid" },
      h("label", { class: "field" }, h("span", {}, "Label"), h("input", { name: "label", maxlength: 512, value: known?.label ?? "", dir: "auto" })),
      h("label", { class: "field" }, h("span", {}, "Source"), h("input", { name: "source", maxlength: 512, value: known?.origin ?? "", dir: "auto" })),
      h("label", { class: "field" }, h("span", {}, "Tags, with commas between"), h("input", { name: "tags", value: listed(known?.tags ?? []), dir: "auto" })),
      h("label", { class: "field" }, h("span", {}, known ? "When it happened (empty: as it is)" : "When it happened"), h("input", { name: "occurredAt", placeholder: "2026-03-12, yesterday…" })),
      h("label", { class: "field" }, h("span", {}, "Importance ", number), h("input", { type: "range", name: "importance", min: 0, max: 1, step: 0.05, value: known?.importance ?? 0.5, oninput: (event) => fill(number, event.target.value) })),
      known ? h("label", { class: "field" }, h("span", {}, "Type"), h("select", { name: "type" }, Object.entries(TYPES).map(([value, text]) => h("option", { value, selected: value === known.memoryType }, text)))) : null),
    note,
    h("div", { class: "row end" },
      h("a", { class: "button quiet", href: known ? memoryLink(known.id) : "#/search" }, "Cancel"),
      h("button", { class: "button", type: "submit" }, known ? "Save" : "Remember")));
  return h("div", {}, heading(known ? "Edit" : "New memory", known ? "It is read anew; the old state can be brought back." : "It is kept as you write it, and read for names, times and causes."), form);
}

async function whole(id) {
  let known = null;
  let at = 0;
  do {
    const { engram } = await ask(READ, { id, offset: at });
    if (engram === null) return null;
    at += Array.from(engram.content).length;
    known = known === null ? engram : { ...known, content: known.content + engram.content };
    if (engram.content === "") break;
  } while (at < known.contentLength);
  return known;
}

async function save(event, known, note) {
  event.preventDefault();
  const given = Object.fromEntries([...new FormData(event.target)].map(([name, value]) => [name, String(value)]));
  const content = given.content.replaceAll("\r\n", "\n");
  const told = {
    content,
    importance: Number(given.importance),
    tags: given.tags.split(",").map((tag) => tag.trim()).filter(Boolean),
    source: given.source,
    label: given.label,
    occurredAt: given.occurredAt.trim() || null,
  };
  const send = event.target.querySelector("[type=submit]");
  send.disabled = true;
  try {
    if (known === null) {
      const { store } = await ask(STORE, told);
      done(store.id, store.created ? "Remembered." : "This was known; it is stronger now.", store.superseded);
    } else {
      // Only what was changed here: somebody else may have changed the rest meanwhile.
      const { update } = await ask(UPDATE, { id: known.id, ...changed({ ...told, type: given.type }, given, known) });
      done(update.id, "Saved.", update.superseded);
    }
  } catch (error) {
    send.disabled = false;
    fill(note, trouble(error));
  }
}

function changed(told, given, known) {
  const before = { content: known.content.replaceAll("\r\n", "\n"), importance: known.importance, source: known.origin ?? "",
    label: known.label ?? "", type: known.memoryType };
  const kept = Object.entries(told).map(([name, value]) => [name, name in before && before[name] === value ? null : value]);
  return { ...Object.fromEntries(kept), tags: given.tags === listed(known.tags) ? null : told.tags };
}

/** Tags as the form shows them. One with a comma in it is kept as long as the field is left as it is. */
const listed = (tags) => tags.join(", ");

function done(id, said, superseded) {
  toast(superseded.length ? `${said} It closed: ${superseded.join("; ")}` : said);
  location.hash = memoryLink(id);
}
