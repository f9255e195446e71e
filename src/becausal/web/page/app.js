// SPDX-License-Identifier: Apache-2.0
// The frame of the page: who is logged in, where to go, and which view is shown.

import { LoggedOut, logOut, session } from "./api.js";
import { add, fill, h, icon, mark } from "./dom.js";
import { button, heading, sign, toast, trouble, waiting } from "./ui.js";

const VIEWS = {
  search: { label: "Search", title: "Search", load: () => import("./search.js") },
  ask: { label: "Ask why", title: "Ask", load: () => import("./ask.js") },
  timeline: { label: "Timeline", title: "Timeline", load: () => import("./timeline.js") },
  graph: { label: "Graph", title: "Graph", load: () => import("./graph.js") },
  status: { label: "Status", title: "Status", load: () => import("./status.js") },
  memory: { title: "Memory", within: "search", load: () => import("./memory.js") },
  edit: { title: "Edit", within: "search", load: () => import("./edit.js") },
  new: { title: "New memory", within: "search", load: () => import("./edit.js") },
};
const THEMES = { auto: ["half", "as the system"], light: ["sun", "light"], dark: ["moon", "dark"] };

const shell = document.getElementById("shell");
const main = h("main", { id: "main", tabindex: "-1" });
const links = {};
let leave = null;

function where() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, id] = path.split("/");
  return { name: name in VIEWS ? name : "search", id: id ? decoded(id) : null, query: new URLSearchParams(query) };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // no such id, then
  }
}

async function show() {
  const at = location.hash;
  const here = where();
  const view = VIEWS[here.name];
  leave?.abort();
  const leaving = (leave = new AbortController());
  for (const [name, link] of Object.entries(links)) {
    if (name === (view.within ?? here.name)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${view.title} · becausal`;
  main.className = `view view-${here.name}`;
  main.setAttribute("aria-busy", "true");
  const slow = setTimeout(() => fill(main, waiting("Opening")), 150);
  leaving.signal.addEventListener("abort", () => clearTimeout(slow));
  try {
    const { render } = await view.load().catch(async (error) => {
      await session(); // perhaps it is the login that is over
      throw error;
    });
    const shown = await render(here, leaving.signal);
    if (leaving.signal.aborted) return;
    clearTimeout(slow);
    fill(main, shown);
    window.scrollTo(0, 0);
    (main.querySelector("[data-focus]") ?? main.querySelector("h1"))?.focus({ preventScroll: true });
  } catch (error) {
    clearTimeout(slow);
    if (!leaving.signal.aborted && !(error instanceof LoggedOut)) fill(main, h("div", {}, heading(view.title), trouble(error), again()));
  }
  if (leaving.signal.aborted) return;
  main.removeAttribute("aria-busy");
  main.dataset.at = at;
}

/** What is left to do when a view cannot be had. Some browsers keep it that a file could not be fetched, until a reload. */
const again = () => h("p", {}, button("Try again", () => location.reload(), { kind: "quiet" }));

function theme() {
  const root = document.documentElement;
  const names = Object.keys(THEMES);
  const knob = sign("half", "", () => {
    const next = names[(names.indexOf(root.dataset.theme ?? "auto") + 1) % names.length];
    if (next === "auto") delete root.dataset.theme;
    else root.dataset.theme = next;
    try { localStorage.setItem("becausal-theme", next); } catch { /* it lasts as long as the page, then */ }
    dress();
    document.dispatchEvent(new Event("themed"));
  });
  const dress = () => {
    const [name, label] = THEMES[root.dataset.theme ?? "auto"];
    fill(knob, icon(name));
    knob.setAttribute("aria-label", `Colours: ${label}`);
    knob.title = `Colours: ${label}`;
  };
  dress();
  return knob;
}

async function leaveForGood() {
  try {
    await logOut();
  } catch (error) {
    toast(error.message, { bad: true });
    return;
  }
  location.assign("/");
}

function frame({ user, csrf }) {
  for (const [name, { label }] of Object.entries(VIEWS)) {
    if (label) links[name] = h("a", { href: `#/${name}`, class: "nav-link" }, icon(name), h("span", {}, label));
  }
  fill(shell,
    h("header", { class: "bar" },
      h("a", { href: "#/search", class: "brand", "aria-label": "becausal, to the search" }, mark(), h("span", {}, "becausal")),
      h("nav", { class: "nav", "aria-label": "Views" }, Object.values(links)),
      h("div", { class: "who" },
        h("span", { class: "user", title: "Whose memory this is" }, user),
        theme(),
        csrf ? sign("out", "Log out", leaveForGood) : null)),
    main);
}

window.addEventListener("hashchange", show);
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
  event.preventDefault();
  const field = main.querySelector("input[type=search]");
  if (field) field.focus();
  else location.hash = "#/search";
});

try {
  frame(await session());
  await show();
} catch (error) {
  if (!(error instanceof LoggedOut)) add(shell, h("main", { class: "view" }, trouble(error), again()));
}
