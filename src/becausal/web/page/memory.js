// SPDX-License-Identifier: Apache-2.0
// One memory: its text, what was read out of it, what it is linked to, what happened to it, and what can be done.

import { ask } from "./api.js";
import { fill, h, icon } from "./dom.js";
import { ago, count, counted, moment, percent, when } from "./format.js";
import { button, chip, confirm, empty, graphLink, heading, memoryLink, meter, searchLink, toast, trouble, waiting } from "./ui.js";

const FIRST = 20_000;
const CHUNK = 100_000;
const DETAIL = `query ($id: ID!) {
  engram(id: $id) {
    id label summary content(length: ${FIRST}) contentLength memoryType nodeType importance tags origin session pinned
    occurredAt occurredUntil precision createdAt lastAccessedAt accessCount archivedAt indexedAt clusterId metadata
    cues(first: 40) { id name cueType }
    links(kinds: ["ASSOCIATED_WITH", "FOLLOWS"], first: 20) { id kind relation strength asserted sourceId targetId
      source { id ... on Engram { summary createdAt } } target { id ... on Engram { summary createdAt } } } }
  reading(id: $id, total: 60) {
    entities { id name entityType } events { id description occurredAt occurredUntil precision }
    facts { id subject predicate object validFrom validTo supersededBy }
    causes { id cause causeId effect effectId confidence asserted } more } }`;
const HISTORY = "query ($id: ID!) { history(id: $id, limit: 50) { at action note undo until before } }";
const PIECE = `query ($id: ID!, $offset: Int!) { engram(id: $id) { content(offset: $offset, length: ${CHUNK}) } }`;
const PIN = "mutation ($id: ID!, $pinned: Boolean!) { update(id: $id, pinned: $pinned) { id } }";
const FORGET = "mutation ($id: ID!) { forget(id: $id) { undo } }";
const ARCHIVE = "mutation ($id: ID!) { archive(id: $id) { undo } }";
const RESTORE = "mutation ($id: ID!) { restore(id: $id) { ids } }";
const UNDO = "mutation ($id: ID) { undo(id: $id) { action note ids } }";

const TYPES = { episodic: "what happened", semantic: "what is so", procedural: "how it is done" };
const DONE = { store: "Told", update: "Changed", forget: "Forgotten", use: "Used", archive: "Archived", supersede: "Closed", restore: "Brought back" };

const again = () => window.dispatchEvent(new HashChangeEvent("hashchange"));

export async function undo(id) {
  try {
    const { undo: undone } = await ask(UNDO, { id });
    toast(`Undone: ${undone.note}`);
    if (undone.ids.length === 1 && location.hash !== memoryLink(undone.ids[0])) location.hash = memoryLink(undone.ids[0]);
    else again();
  } catch (error) {
    toast(error.message, { bad: true });
  }
}

export async function render({ id }) {
  const data = await ask(DETAIL, { id });
  if (data.engram === null) return gone(id);
  const { engram, reading } = data;
  return h("div", {},
    heading(engram.label ?? "Memory", null, actions(engram)),
    engram.archivedAt ? h("div", { class: "notice" }, icon("archive"), h("p", {}, `In the archive since ${moment(engram.archivedAt)}: no question finds it.`)) : null,
    h("div", { class: "detail" },
      h("div", { class: "stack" }, text(engram), read(reading), linked(engram), history(engram.id)),
      about(engram)));
}

async function gone(id) {
  try {
    const { history: told } = await ask(HISTORY, { id });
    const forgotten = told.findLast((each) => each.undo);
    return h("div", {}, heading("A forgotten memory", forgotten ? `It can be brought back until ${moment(forgotten.until)}.` : null,
      forgotten && button("Bring it back", () => undo(forgotten.undo), { name: "undo" })), happened(told));
  } catch (error) {
    return h("div", {}, heading("No such memory"), empty("Nothing has this id.", error.message), h("p", {}, h("a", { href: "#/search" }, "To the search")));
  }
}

function actions(engram) {
  const act = (query, variables, said, undone) => async () => {
    try {
      const told = await ask(query, { id: engram.id, ...variables });
      const change = undone?.(told);
      toast(said, change ? { action: () => undo(change), label: "Undo" } : {});
      again();
    } catch (error) {
      toast(error.message, { bad: true });
    }
  };
  const forget = async () => {
    if (await confirm("Forget this memory?", "It is gone from every answer at once, with all that only it supported. For some days you can undo that.", "Forget")) {
      await act(FORGET, {}, "Forgotten.", (told) => told.forget.undo)();
    }
  };
  return [
    h("a", { class: "button quiet", href: `#/edit/${encodeURIComponent(engram.id)}` }, icon("edit"), h("span", {}, "Edit")),
    button(engram.pinned ? "Unpin" : "Pin", act(PIN, { pinned: !engram.pinned }, engram.pinned ? "No longer pinned." : "Pinned: it will not fade."), { kind: "quiet", name: "pin", "aria-pressed": String(engram.pinned) }),
    engram.archivedAt
      ? button("Bring back", act(RESTORE, {}, "Brought back from the archive."), { kind: "quiet", name: "archive" })
      : button("Archive", act(ARCHIVE, {}, "Put into the archive.", (told) => told.archive.undo), { kind: "quiet", name: "archive" }),
    button("Forget", forget, { kind: "quiet danger-text", name: "forget" }),
  ];
}

function text(engram) {
  const body = h("div", { class: "told full", dir: "auto" }, engram.content);
  const whole = h("section", { class: "card text", "aria-label": "Text" }, body);
  let at = Array.from(engram.content).length;
  if (at < engram.contentLength) {
    const foot = h("div", { class: "row" });
    const all = async () => {
      fill(foot, waiting("Reading"));
      try {
        while (at < engram.contentLength) {
          const { engram: more } = await ask(PIECE, { id: engram.id, offset: at });
          body.append(h("span", { class: "piece" }, more.content));
          at += Array.from(more.content).length || CHUNK;
        }
        foot.remove();
      } catch (error) {
        fill(foot, trouble(error));
      }
    };
    fill(foot, button(`Show all ${count(engram.contentLength)} characters`, all, { kind: "quiet" }));
    whole.append(foot);
  }
  return whole;
}

function about(engram) {
  const rows = [
    ["When", engram.occurredAt ? when(engram.occurredAt, engram.precision, engram.occurredUntil) : "not said"],
    ["Told", h("time", { datetime: engram.createdAt, title: moment(engram.createdAt) }, ago(engram.createdAt))],
    engram.origin && ["Source", h("a", { href: searchLink({ source: engram.origin }), dir: "auto" }, engram.origin)],
    engram.session && ["Session", h("span", { dir: "auto" }, engram.session)],
    ["Type", TYPES[engram.memoryType]],
    engram.nodeType !== "memory" && ["Node", engram.nodeType],
    ["Importance", meter(engram.importance, "Importance")],
    ["Used", engram.accessCount ? `${counted(engram.accessCount, "time")}, last ${ago(engram.lastAccessedAt)}` : "not yet"],
    ["Index", engram.indexedAt ? "found by meaning" : "not indexed yet"],
    engram.clusterId !== null && ["Cluster", h("a", { href: `#/graph?cluster=${engram.clusterId}` }, "memories like it")],
  ].filter(Boolean);
  const metadata = Object.keys(engram.metadata).length ? JSON.stringify(engram.metadata, null, 2) : null;
  return h("aside", { class: "aside stack", "aria-label": "About it" },
    h("dl", { class: "facts" }, rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    engram.tags.length ? h("div", {}, h("h3", {}, "Tags"), h("div", { class: "tags" }, engram.tags.slice(0, 60).map((tag) => chip(tag, { href: searchLink({ tag }) })))) : null,
    engram.cues.length ? h("div", {}, h("h3", {}, "Cues"), h("div", { class: "tags" }, engram.cues.map((cue) => chip(cue.name, { href: searchLink({ q: cue.name }), kind: "quiet" })))) : null,
    metadata && h("details", {}, h("summary", {}, "Metadata"), h("pre", { dir: "ltr" }, metadata)),
    h("a", { class: "button quiet", href: graphLink(engram.id) }, icon("graph"), "See what surrounds it"));
}

function read({ entities, events, facts, causes, more }) {
  if (!entities.length && !events.length && !facts.length && !causes.length) return null;
  return h("section", { class: "card" }, h("h2", {}, "Read out of it"),
    causes.length ? h("ul", { class: "causes" }, causes.map((each) => h("li", {},
      h("a", { href: graphLink(each.causeId), dir: "auto" }, each.cause),
      h("span", { class: "leads" }, icon("arrow"), h("span", { class: "confidence" }, each.asserted ? "stated" : percent(each.confidence)), h("span", { class: "hidden" }, "led to")),
      h("a", { href: graphLink(each.effectId), dir: "auto" }, each.effect)))) : null,
    facts.length ? h("ul", { class: "plain" }, facts.map((fact) => h("li", { class: fact.validTo ? "ended" : null },
      h("span", { dir: "auto" }, h("b", {}, fact.subject), ` ${fact.predicate} `, h("b", {}, fact.object)),
      h("small", {}, ` since ${when(fact.validFrom)}${fact.validTo ? `, until ${when(fact.validTo)}` : ""}`)))) : null,
    events.length ? h("ul", { class: "plain" }, events.map((event) => h("li", {},
      h("small", {}, `${when(event.occurredAt, event.precision, event.occurredUntil)}: `), h("span", { dir: "auto" }, event.description)))) : null,
    entities.length ? h("div", { class: "tags" }, entities.map((entity) => chip(entity.name, { href: graphLink(entity.id), kind: "entity" }))) : null,
    more ? h("p", { class: "muted" }, "There is more than is shown here.") : null);
}

function linked({ id, links }) {
  const rows = links.map((link) => ({ link, other: link.sourceId === id ? link.target : link.source })).filter(({ other }) => other?.summary);
  if (!rows.length) return null;
  const said = (link) => (link.kind === "FOLLOWS" ? (link.sourceId === id ? "told after" : "told before") : (link.relation || "similar to").replaceAll("_", " "));
  return h("section", { class: "card" }, h("h2", {}, "Linked memories"),
    h("ul", { class: "linked" }, rows.map(({ link, other }) => h("li", {},
      h("span", { class: "relation" }, said(link), link.kind === "FOLLOWS" ? null : h("small", {}, ` ${percent(link.strength)}`)),
      h("a", { href: memoryLink(other.id), dir: "auto" }, other.summary)))));
}

function history(id) {
  const body = h("div", {});
  const load = async () => {
    fill(body, waiting());
    try {
      const { history: told } = await ask(HISTORY, { id });
      fill(body, happened(told));
    } catch (error) {
      fill(body, trouble(error));
    }
  };
  load();
  return h("section", { class: "card" }, h("h2", {}, "History"), body);
}

function happened(told) {
  return h("ol", { class: "history" }, told.toReversed().map((each) => h("li", {},
    h("div", { class: "row spread" },
      h("span", {}, h("b", {}, DONE[each.action] ?? each.action), " ", h("time", { class: "muted", datetime: each.at, title: moment(each.at) }, ago(each.at)), each.action === "store" ? null : h("span", { class: "muted", dir: "auto" }, ` · ${each.note}`)),
      each.undo ? button("Undo", () => undo(each.undo), { kind: "small quiet", name: "undo" }) : null),
    each.before !== null ? h("details", {}, h("summary", {}, "What it said before"), h("p", { class: "told", dir: "auto" }, each.before)) : null)));
}
