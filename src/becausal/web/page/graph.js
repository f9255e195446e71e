// SPDX-License-Identifier: Apache-2.0
// The graph: what surrounds a record, how memories cluster, what led to what. Drawn by Cytoscape.js; listed as well.

import { Refused, ask } from "./api.js";
import { canvas } from "./canvas.js";
import { fill, h, icon } from "./dom.js";
import { count, counted, percent, when } from "./format.js";
import { button, chip, empty, graphLink, heading, memoryLink, trouble } from "./ui.js";

const AROUND = `query ($of: String!, $depth: Int!) { neighbourhood(of: $of, depth: $depth, limit: 80) {
  nodes { id kind label sort distance } edges { sourceId targetId kind relation weight asserted ended } truncated } }`;
const CLUSTER = `query ($id: Int!) { cluster(id: $id, limit: 1) { cluster { name size cues } }
  clusterGraph(id: $id, limit: 80) { nodes { id kind label sort distance } edges { sourceId targetId kind relation weight asserted ended } truncated } }`;
const WHY = `query ($of: String!) { causality(of: $of, depth: 4, limit: 60) { starts truncated same { sourceId targetId }
  links { id cause causeId effect effectId confidence asserted } } }`;
const BEGIN = `{ clusters(limit: 40) { id name size cues } entities(first: 40) { nodes { id name entityType } } }`;
const FIND = "query ($words: String!) { findEntities(words: $words, limit: 12) { id name entityType } }";

export const KINDS = { entity: "People and things", event: "Events", fact: "Facts", cause: "Causes", engram: "Memories", cue: "Cues", cluster: "Clusters" };
const RELATIONS = {
  X_INVOLVES: "involves", X_AFFECTS: "affects", X_REFERS_TO: "set off", X_RECORDS: "tells of", C_CAUSES: "led to",
  SAME_AS: "same as", ASSOCIATED_WITH: "resembles", FOLLOWS: "follows",
};

export async function render({ query }, signal) {
  const of = query.get("of")?.trim();
  const why = query.get("why")?.trim();
  const cluster = query.get("cluster");
  const depth = Math.min(2, Math.max(1, Number(query.get("depth")) || 1));
  try {
    if (of) return await around(of, depth, signal);
    if (why) return await causality(why, signal);
    if (cluster !== null) return await oneCluster(Number(cluster), signal);
    return await beginning(signal);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return h("div", {}, heading("Graph"), form(of ?? why ?? ""), trouble(error));
  }
}

function form(value) {
  const submit = (event) => {
    event.preventDefault();
    const given = new FormData(event.target);
    const text = given.get("of").trim();
    if (text) location.hash = `#/graph?${new URLSearchParams({ [event.submitter?.value === "why" ? "why" : "of"]: text })}`;
  };
  return h("form", { class: "search", role: "search", onsubmit: submit }, h("div", { class: "search-row two" }, icon("graph"),
    h("input", { type: "search", name: "of", value, placeholder: "A name, or what happened", "aria-label": "A name, or what happened", "data-focus": true, autocomplete: "off", maxlength: 500, dir: "auto" }),
    h("button", { class: "button", type: "submit", value: "of" }, "Surroundings"),
    h("button", { class: "button quiet", type: "submit", value: "why" }, "Causes")));
}


async function beginning(signal) {
  const { clusters, entities } = await ask(BEGIN, {}, signal);
  if (!clusters.length && !entities.nodes.length) return h("div", {}, heading("Graph"), form(""), empty("There is nothing to draw yet.", "Names, facts and causes are read from what is told."));
  const nodes = clusters.map((each) => ({ id: `cluster-${each.id}`, kind: "cluster", label: each.name, sort: counted(each.size, "memory", "memories"), distance: 0, size: each.size, href: `#/graph?cluster=${each.id}` }));
  const edges = [];
  clusters.forEach((one, at) => clusters.slice(at + 1).forEach((other) => {
    const shared = one.cues.filter((cue) => other.cues.includes(cue));
    if (shared.length) edges.push({ sourceId: `cluster-${one.id}`, targetId: `cluster-${other.id}`, kind: "SHARED", relation: shared.join(", "), weight: Math.min(1, shared.length / 3), asserted: false });
  }));
  return h("div", {}, heading("Graph", "What hangs together. Choose a cluster or a name."), form(""),
    clusters.length ? drawn({ nodes, edges, truncated: false }, { layout: "cose", signal, label: "Clusters of memories" }) : null,
    entities.nodes.length ? h("section", {}, h("h2", {}, "Names told last"), h("div", { class: "tags" }, entities.nodes.map((entity) => chip(entity.name, { href: graphLink(entity.id), kind: "entity" })))) : null);
}

async function around(of, depth, signal) {
  let told;
  try {
    told = (await ask(AROUND, { of, depth }, signal)).neighbourhood;
  } catch (error) {
    if (!error.message.endsWith("not found")) throw error;
    return unknown(of, signal);
  }
  const start = told.nodes[0];
  const steps = h("div", { class: "toggles", role: "group", "aria-label": "How far" }, [1, 2].map((far) => h("a", { class: "toggle", href: `#/graph?${new URLSearchParams({ of, depth: far })}`, "aria-current": far === depth ? "true" : null }, counted(far, "step"))));
  return h("div", {}, heading("Surroundings", null, start.kind === "cause" ? h("a", { class: "button quiet", href: `#/graph?why=${encodeURIComponent(start.id)}` }, icon("ask"), h("span", {}, "Causes and effects")) : null),
    form(/^[0-9a-f-]{36}$/.test(of) ? start.label.slice(0, 200) : of), drawn(told, { layout: "around", start: start.id, signal, label: `What surrounds ${start.label}`, beside: steps }));
}

async function unknown(of, signal) {
  const { findEntities: found } = await ask(FIND, { words: of }, signal);
  return h("div", {}, heading("Graph"), form(of),
    found.length
      ? h("section", {}, h("p", {}, "Nothing has exactly this name. Did you mean:"), h("div", { class: "tags" }, found.map((entity) => chip(entity.name, { href: graphLink(entity.id), kind: "entity" }))))
      : empty("Nothing has this name.", "Names are taken from what was told. For something that happened, try Causes."));
}

async function causality(of, signal) {
  const { causality: told } = await ask(WHY, { of }, signal);
  // What means the same is one node, in the fullest words it was told in.
  const same = new Map();
  const one = (id) => { let at = id; while (same.has(at)) at = same.get(at); return at; };
  for (const { sourceId, targetId } of told.same) if (one(sourceId) !== one(targetId)) same.set(one(sourceId), one(targetId));
  const starts = new Set(told.starts.map(one));
  const nodes = new Map();
  const put = (id, label) => {
    const known = nodes.get(one(id));
    if (known) { if (label !== known.label) known.words = [...new Set([...known.words, known.label, label])]; if (label.length > known.label.length) known.label = label; }
    else nodes.set(one(id), { id: one(id), kind: "cause", label, words: [], sort: starts.has(one(id)) ? "asked about" : "", distance: starts.has(one(id)) ? 0 : 1 });
  };
  const edges = new Map();
  for (const link of told.links) {
    put(link.causeId, link.cause);
    put(link.effectId, link.effect);
    const edge = { sourceId: one(link.causeId), targetId: one(link.effectId), kind: "C_CAUSES", relation: "", weight: link.confidence, asserted: link.asserted };
    const key = `${edge.sourceId} ${edge.targetId}`;
    if (edge.sourceId !== edge.targetId && !(edges.get(key)?.weight >= edge.weight)) edges.set(key, edge);
  }
  const start = one(told.starts[0]);
  return h("div", {}, heading("Causes and effects", "What led to it comes first, what came of it last."), form((nodes.get(start)?.label ?? of).slice(0, 200)),
    nodes.size ? drawn({ nodes: [...nodes.values()], edges: [...edges.values()], truncated: told.truncated }, { layout: "causes", start, signal, label: "Causes and effects" }) : empty("Nothing is told to have led to it or come of it.", null));
}

async function oneCluster(id, signal) {
  const { cluster, clusterGraph } = await ask(CLUSTER, { id }, signal);
  const { name, size, cues } = cluster.cluster;
  return h("div", {}, heading(name, `${counted(size, "memory", "memories")} that hang together`, h("a", { class: "button quiet", href: "#/graph" }, icon("back"), h("span", {}, "All clusters"))),
    cues.length ? h("div", { class: "tags" }, cues.map((cue) => chip(cue, { kind: "quiet" }))) : null,
    drawn(clusterGraph, { layout: "cose", signal, label: `The cluster ${name}` }));
}

/** A graph with what it takes to use it: filters, the canvas, what is chosen, and the same as a list. */
function drawn(graph, { layout, start = null, signal, label, beside = null }) {
  const kinds = [...new Set(graph.nodes.map((node) => node.kind))];
  const shown = new Set(kinds);
  const side = h("aside", { class: "chosen", "aria-live": "polite", "aria-label": "What is chosen" });
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const choose = (id) => { if (byId.has(id)) fill(side, chosen(byId.get(id), graph, byId, choose, start)); else fill(side, hint()); };
  const picture = canvas(graph, { layout, start, signal, label, onchoose: choose });
  choose(start);
  const toggles = kinds.length > 1 ? h("div", { class: "toggles", role: "group", "aria-label": "Show" }, kinds.map((kind) => h("label", { class: `toggle kind-${kind}` },
    h("input", { type: "checkbox", checked: true, onchange: (event) => { if (event.target.checked) shown.add(kind); else shown.delete(kind); picture.show(shown); } }),
    h("span", { class: `dot dot-${kind}`, "aria-hidden": "true" }), `${KINDS[kind]} (${count(graph.nodes.filter((node) => node.kind === kind).length)})`))) : null;
  return h("div", { class: "graph" },
    h("div", { class: "row spread graph-tools" }, toggles ?? h("span", {}), beside),
    h("div", { class: "graph-body" }, picture.element, side),
    graph.truncated ? h("p", { class: "muted small" }, "There is more around than is drawn here.") : null,
    h("details", { class: "as-list" }, h("summary", {}, "The same as a list"), h("ul", { class: "plain" }, graph.nodes.map((node) => h("li", {},
      h("span", { class: `dot dot-${node.kind}`, "aria-hidden": "true" }), h("a", { href: href(node), dir: "auto" }, node.label), h("small", {}, ` ${KINDS[node.kind].toLowerCase()}${node.sort ? `, ${node.sort}` : ""}`))))));
}

const href = (node) => node.href ?? (node.kind === "engram" ? memoryLink(node.id) : graphLink(node.id));
const hint = () => h("p", { class: "muted" }, "Choose a node to read it. Drag to move, scroll or pinch to zoom; with the keyboard: arrows, + and −, 0 for all.");

function chosen(node, graph, byId, choose, start) {
  const ties = graph.edges.filter((edge) => edge.sourceId === node.id || edge.targetId === node.id).slice(0, 14);
  const said = (edge) => edge.relation || RELATIONS[edge.kind] || edge.kind.toLowerCase();
  return [
    h("p", { class: "kicker" }, h("span", { class: `dot dot-${node.kind}`, "aria-hidden": "true" }), [KINDS[node.kind], node.sort].filter(Boolean).join(" · ")),
    h("p", { class: "told", dir: "auto" }, node.label),
    node.words?.length ? h("p", { class: "muted small", dir: "auto" }, "Also told as: ", node.words.filter((words) => words !== node.label).join(" · ")) : null,
    h("div", { class: "row" },
      node.kind === "engram" || node.href ? h("a", { class: "button small", href: href(node) }, "Open") : null,
      node.kind === "cause" && !(node.id === start && location.hash.startsWith("#/graph?why=")) ? h("a", { class: "button small", href: `#/graph?why=${encodeURIComponent(node.id)}` }, "Causes and effects") : null,
      node.href || node.id === start ? null : h("a", { class: "button small quiet", href: graphLink(node.id) }, "Put in the middle")),
    ties.length ? h("ul", { class: "ties" }, ties.map((edge) => {
      const out = edge.sourceId === node.id;
      const other = byId.get(out ? edge.targetId : edge.sourceId);
      return h("li", { class: edge.ended ? "ended" : null }, h("small", {}, out ? `${said(edge)} →` : `← ${said(edge)}`, edge.kind === "C_CAUSES" ? ` ${percent(edge.weight)}` : "", edge.ended ? ` · until ${when(edge.ended)}` : other.kind === "fact" && other.sort === "ended" ? " · ended" : ""), button(other.label, () => choose(other.id), { kind: "link" }));
    })) : null,
  ];
}
