// SPDX-License-Identifier: Apache-2.0
// Making elements. Whatever comes from the memory goes in as text: nothing here, or anywhere else, parses markup.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element: `h("p", { class: "told", dir: "auto" }, "text", other)`. `on…` are listeners; null children are left out. */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "open") node[name] = value;
    else if (name === "style") for (const [key, set] of Object.entries(value)) node.style.setProperty(key, set);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  return add(node, ...children);
}

export function add(node, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

export function fill(node, ...children) {
  node.replaceChildren();
  return add(node, ...children);
}

const ICONS = {
  search: ["M10.5 17a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13Z", "m15.5 15.5 4.5 4.5"],
  ask: ["M6.5 8.5 12 18l5.5-9.5", "M6.5 8.5m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0", "M17.5 8.5m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0", "M12 18m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0"],
  timeline: ["M6 4v16", "M6 7h12", "M6 12h8", "M6 17h10"],
  graph: ["M12 12m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0", "M5 6m-1.8 0a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0-3.6 0", "M19 7m-1.8 0a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0-3.6 0", "M17 19m-1.8 0a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0-3.6 0", "m6.3 7.3 3.8 3", "m17.5 8.1-3.3 2.5", "m13.4 14.1 2.6 3.4"],
  status: ["M4 13h3.5l2-6 4 11 2.5-7 1 2H20"],
  pin: ["M9 4h6l-1 5 3 3v2H7v-2l3-3-1-5Z", "M12 14v6"],
  edit: ["m5 19 1-4L16 5l3 3L9 18l-4 1Z"],
  forget: ["M5 7h14", "M9 7V5h6v2", "M7 7l1 12h8l1-12"],
  undo: ["M8 5 4 9l4 4", "M4 9h9a6 6 0 0 1 0 12h-3"],
  plus: ["M12 5v14", "M5 12h14"],
  minus: ["M5 12h14"],
  fit: ["M4 9V4h5", "M20 9V4h-5", "M4 15v5h5", "M20 15v5h-5"],
  sun: ["M12 12m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0", "M12 3v2", "M12 19v2", "M3 12h2", "M19 12h2", "m5.6 5.6 1.4 1.4", "m17 17 1.4 1.4", "m5.6 18.4 1.4-1.4", "m17 7 1.4-1.4"],
  moon: ["M19 14.5A7.5 7.5 0 0 1 9.5 5 7.5 7.5 0 1 0 19 14.5Z"],
  half: ["M12 12m-8 0a8 8 0 1 0 16 0a8 8 0 1 0-16 0", "M12 4v16", "M15 5.2v13.6", "M18 7.5v9"],
  out: ["M14 5H6v14h8", "M11 12h9", "m17 9 3 3-3 3"],
  arrow: ["M5 12h14", "m13 6 6 6-6 6"],
  back: ["M19 12H5", "m11 6-6 6 6 6"],
  archive: ["M4 5h16v4H4Z", "M6 9v10h12V9", "M10 13h4"],
  check: ["m5 13 4.5 4.5L19 7"],
  alert: ["M12 4 2.8 20h18.4L12 4Z", "M12 10v4.5", "M12 17.2v.3"],
};

/** An icon, for the eye only: what it stands for must be said in text beside it or in an `aria-label`. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" })) svg.setAttribute(key, value);
  for (const line of ICONS[name]) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", line);
    svg.append(path);
  }
  return svg;
}

/** The sign of the house: three dots, "because". */
export function mark() {
  return h("img", { src: "/assets/mark.svg", alt: "", width: 28, height: 28, class: "mark" });
}

const COMMON = new Set("the and was were why did does what who whom when where how which that this for from with has had have are not".split(" "));

/** Text with the words of a question marked. */
export function marked(text, words) {
  const known = [...new Set(words.map((word) => word.toLocaleLowerCase()))].filter((word) => word.length > 2 && !COMMON.has(word));
  if (!known.length || text.length > 20000) return [text];
  const found = new RegExp(`(?<![\\p{L}\\p{N}])(${known.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "giu");
  return text.split(found).map((part, at) => (at % 2 ? h("mark", {}, part) : part));
}

export function wordsOf(question) {
  return question.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Which way a text runs, by its first letter: `dir="auto"` on a field takes minutes for a text of a megabyte. */
export function direction(text) {
  const letter = text.slice(0, 2000).match(/\p{L}/u)?.[0] ?? "a";
  return /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u.test(letter) ? "rtl" : "ltr";
}
