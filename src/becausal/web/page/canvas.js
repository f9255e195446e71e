// SPDX-License-Identifier: Apache-2.0
// A graph on a canvas, drawn by Cytoscape.js: to pan, zoom, filter and choose from, with the mouse, fingers or keys.

import { h } from "./dom.js";
import { cut, percent } from "./format.js";
import { sign } from "./ui.js";

const SHAPES = { entity: "ellipse", event: "round-diamond", fact: "round-rectangle", cause: "round-hexagon", engram: "round-rectangle", cue: "round-tag", cluster: "ellipse" };
const STEP = 60;
const READABLE = 0.72;
const EDGE = 12;
const TOOLS = 48; // what the buttons at the bottom cover
const NARROW = 520;
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Return `{ element, show }`: the canvas, and what shows only some kinds of node. */
export function canvas(graph, { layout, start, signal, label, onchoose }) {
  const stage = h("div", { class: "stage" });
  let drawn = null;
  const zoom = (factor) => drawn?.zoom({ level: drawn.zoom() * factor, renderedPosition: { x: stage.clientWidth / 2, y: stage.clientHeight / 2 } });
  const fit = () => drawn?.animate({ fit: { eles: drawn.elements(":visible"), padding: 30 } }, { duration: still() ? 0 : 200 });
  const keys = (event) => {
    const move = { ArrowLeft: [STEP, 0], ArrowRight: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] }[event.key];
    if (move) drawn?.panBy({ x: move[0], y: move[1] });
    else if (event.key === "+" || event.key === "=") zoom(1.25);
    else if (event.key === "-") zoom(0.8);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  };
  const element = h("div", { class: "canvas", tabindex: "0", role: "application", "aria-label": `${label}. Arrow keys move, plus and minus zoom, 0 shows all; the same is below as a list.`, onkeydown: keys }, stage,
    h("div", { class: "canvas-tools" }, sign("plus", "Nearer", () => zoom(1.25)), sign("minus", "Farther", () => zoom(0.8)), sign("fit", "Show all", fit)));

  import("./vendor/cytoscape.esm.min.js").then(({ default: cytoscape }) => {
    if (signal.aborted) return;
    drawn = cytoscape({ container: stage, elements: elements(graph), style: styles(), minZoom: 0.1, maxZoom: 3, boxSelectionEnabled: false, layout: { name: "preset" } });
    drawn.on("tap", (event) => onchoose(event.target === drawn ? null : event.target.isNode() ? event.target.id() : event.target.source().id()));
    drawn.layout(layouts[layout](start, graph, stage.clientWidth < NARROW)).run();
    if (start) drawn.getElementById(start).select();
    if (drawn.zoom() > 1.1) { drawn.zoom(1.1); drawn.center(); }
    if (layout === "causes" && drawn.zoom() < READABLE) readable(drawn, stage, start);
    element.dataset.drawn = String(drawn.nodes().length);
  });
  const themed = () => drawn?.style(styles());
  document.addEventListener("themed", themed);
  const colours = matchMedia("(prefers-color-scheme: dark)");
  colours.addEventListener("change", themed);
  signal.addEventListener("abort", () => {
    document.removeEventListener("themed", themed);
    colours.removeEventListener("change", themed);
    drawn?.destroy();
  });
  const show = (kinds) => {
    drawn?.batch(() => drawn.nodes().forEach((node) => { node.style("display", kinds.has(node.data("kind")) ? "element" : "none"); }));
    element.dataset.drawn = String(drawn?.nodes(":visible").length ?? 0);
  };
  return { element, show };
}

/** Show so much around a node as can be read, and no empty room where something is left out on the other side. */
function readable(drawn, stage, start) {
  drawn.zoom(READABLE);
  drawn.center(drawn.getElementById(start));
  const box = drawn.elements().renderedBoundingBox();
  const shift = (from, to, room) => (to - from <= room ? (room - from - to) / 2 : from > EDGE ? EDGE - from : to < room - EDGE ? room - EDGE - to : 0);
  drawn.panBy({ x: shift(box.x1, box.x2, stage.clientWidth), y: shift(box.y1, box.y2, stage.clientHeight - TOOLS) });
}

function elements({ nodes, edges }) {
  const largest = Math.max(1, ...nodes.map((node) => node.size ?? 1));
  return [
    ...nodes.map((node) => ({ data: { id: node.id, kind: node.kind, ended: node.kind === "fact" && node.sort === "ended", label: cut(node.label, node.kind === "cause" ? 90 : 46), size: node.size ? 34 + 66 * Math.sqrt(node.size / largest) : node.distance === 0 ? 40 : 26 } })),
    ...edges.map((edge, at) => ({ data: { id: `edge-${at}`, source: edge.sourceId, target: edge.targetId, kind: edge.kind, ended: Boolean(edge.ended), weight: edge.weight, label: edge.kind === "C_CAUSES" ? percent(edge.weight) : edge.kind === "E_RELATES" ? `${cut(edge.relation, 24)}${edge.ended ? ", ended" : ""}` : "" } })),
  ];
}

const layouts = {
  cose: () => ({ name: "cose", animate: false, randomize: true, padding: 30, nodeRepulsion: () => 14_000, idealEdgeLength: () => 90, componentSpacing: 60, nodeDimensionsIncludeLabels: true }),
  around: (start, graph) => (graph.nodes.length > 14 || graph.edges.length >= graph.nodes.length + 4
    ? { ...layouts.cose(), idealEdgeLength: () => 110 }
    : { name: "concentric", concentric: (node) => (node.id() === start ? 2 : 1), levelWidth: () => 1, minNodeSpacing: 70, padding: 40, nodeDimensionsIncludeLabels: true }),
  causes: (start, graph, narrow) => ({ name: "breadthfirst", directed: true, direction: narrow ? "downward" : "rightward", spacingFactor: narrow ? 0.9 : 1, padding: 30, nodeDimensionsIncludeLabels: true }),
};

/** The colours of the page, as the canvas takes them. */
function colour(name) {
  const probe = document.body.appendChild(h("i", { style: { color: `var(--${name})`, display: "none" } }));
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

function styles() {
  const ink = colour("ink");
  const paper = colour("paper");
  return [
    { selector: "node", style: { width: "data(size)", height: "data(size)", label: "data(label)", color: ink, "font-size": 12, "font-family": "system-ui, sans-serif", "text-wrap": "wrap", "text-max-width": 120, "text-valign": "bottom", "text-margin-y": 5, "text-background-color": paper, "text-background-opacity": 0.8, "text-background-padding": 2, "border-width": 1.5, "border-color": paper, "min-zoomed-font-size": 6 } },
    ...Object.entries(SHAPES).map(([kind, shape]) => ({ selector: `node[kind="${kind}"]`, style: { shape, "background-color": colour(`kind-${kind}`) } })),
    { selector: 'node[kind="cause"]', style: { "text-max-width": 150 } },
    { selector: "node:selected", style: { "border-width": 4, "border-color": colour("accent"), "font-weight": 600 } },
    { selector: "edge", style: { width: "mapData(weight, 0, 1, 1, 3)", "line-color": colour("line-strong"), "curve-style": "bezier", "target-arrow-shape": "triangle", "target-arrow-color": colour("line-strong"), "arrow-scale": 0.8, label: "data(label)", "font-size": 10, color: colour("muted"), "text-background-color": paper, "text-background-opacity": 0.9, "text-background-padding": 2, "min-zoomed-font-size": 7 } },
    { selector: 'edge[kind="C_CAUSES"]', style: { "line-color": colour("cause"), "target-arrow-color": colour("cause"), width: "mapData(weight, 0, 1, 1.5, 5)" } },
    { selector: 'edge[kind="ASSOCIATED_WITH"], edge[kind="SAME_AS"], edge[kind="SHARED"]', style: { "target-arrow-shape": "none", "line-style": "dashed" } },
    { selector: "edge[?ended]", style: { "line-style": "dotted", opacity: 0.7 } },
    { selector: "node[?ended]", style: { opacity: 0.55 } },
  ];
}
