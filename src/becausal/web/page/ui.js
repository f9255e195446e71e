// SPDX-License-Identifier: Apache-2.0
// Parts that several views are made of.

import { add, fill, h, icon } from "./dom.js";
import { percent } from "./format.js";

export const memoryLink = (id) => `#/memory/${encodeURIComponent(id)}`;
export const graphLink = (of) => `#/graph?of=${encodeURIComponent(of)}`;
export const searchLink = (given) => `#/search?${new URLSearchParams(given)}`;

export function button(label, onclick, { kind = "", name = null, ...more } = {}) {
  return h("button", { type: "button", class: `button ${kind}`, onclick, ...more }, name && icon(name), h("span", {}, label));
}

/** A button for whose sign alone there is room. */
export function sign(name, label, onclick, more = {}) {
  return h("button", { type: "button", class: "sign", "aria-label": label, title: label, onclick, ...more }, icon(name));
}

export function chip(text, { href = null, kind = "" } = {}) {
  return h(href ? "a" : "span", { class: `chip ${kind}`, href, dir: "auto" }, text);
}

/** A share of 1 as a bar with its number. */
export function meter(value, label, kind = "") {
  const bounded = Math.max(0, Math.min(1, value));
  return h("span", { class: `meter ${kind}`, role: "img", "aria-label": `${label}: ${percent(bounded)}` },
    h("span", { class: "meter-bar" }, h("span", { class: "meter-fill", style: { width: `${bounded * 100}%` } })),
    h("span", { class: "meter-number" }, percent(bounded)));
}

export function empty(title, text, ...more) {
  return h("div", { class: "empty" }, h("p", { class: "empty-title" }, title), text && h("p", {}, text), ...more);
}

export function trouble(error) {
  return h("div", { class: "notice bad", role: "alert" }, icon("alert"), h("p", {}, error.message));
}

export function notice(text) {
  return h("div", { class: "notice" }, icon("alert"), h("p", {}, text));
}

export function waiting(label = "Looking") {
  return h("div", { class: "waiting", role: "status" }, h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")), h("span", {}, `${label}…`));
}

/** Why answers may be worse than usual: said wherever there are answers. */
export function degraded(told) {
  return [
    told.degraded && notice(`Worse than usual: ${told.degraded}`),
    told.pending > 0 && notice(`${told.pending === 1 ? "One memory is" : `${told.pending} memories are`} not indexed yet and may be missed by meaning.`),
  ];
}

/** A heading of a view, with what stands beside it. */
export function heading(title, lead, ...beside) {
  return h("header", { class: "view-head" },
    h("div", {}, h("h1", { tabindex: "-1" }, title), lead && h("p", { class: "lead" }, lead)),
    beside.length ? h("div", { class: "beside" }, beside) : null);
}

/** A list that grows page by page: `load(cursor)` returns `{ items: [node], next }`. */
export function paged(load, { label = "Show more", list = h("div", { class: "stack" }), none = null } = {}) {
  const foot = h("div", { class: "paged-foot" });
  const whole = h("div", { class: "paged" }, list, foot);
  const more = async (cursor, first) => {
    fill(foot, waiting());
    try {
      const { items, next } = await load(cursor);
      add(list, items);
      if (first && !items.length && none) fill(list, none);
      fill(foot, next ? button(label, () => more(next, false), { kind: "quiet" }) : null);
      if (!first) items[0]?.querySelector?.("a, button, summary")?.focus({ preventScroll: true });
    } catch (error) {
      if (error.name === "AbortError") return;
      fill(foot, trouble(error), button("Try again", () => more(cursor, first), { kind: "quiet" }));
    }
  };
  whole.ready = more(null, true);
  return whole;
}

// --- what passes by ---

let stage = null;

export function toast(text, { action = null, label = "", bad = false } = {}) {
  stage ??= document.body.appendChild(h("div", { class: "toasts", role: "status", "aria-live": "polite" }));
  stage.querySelectorAll(".offer").forEach((each) => each.remove()); // what comes now may have made it void
  const gone = () => { clearTimeout(timer); note.remove(); };
  const note = h("div", { class: `toast ${bad ? "bad" : ""} ${action ? "offer" : ""}` }, h("span", { dir: "auto" }, text),
    action && button(label, () => { gone(); action(); }, { kind: "plain" }),
    h("button", { type: "button", class: "sign", "aria-label": "Dismiss", onclick: gone }, "×"));
  stage.append(note);
  while (stage.children.length > 3) stage.firstChild.remove();
  const timer = setTimeout(gone, action || bad ? 12_000 : 5_000);
}

/** Ask before something is done; resolves to true or false. */
export function confirm(title, text, yes, kind = "danger") {
  return new Promise((resolve) => {
    const done = (answer) => { dialog.close(); dialog.remove(); resolve(answer); };
    const dialog = h("dialog", { class: "dialog", "aria-labelledby": "dialog-title", oncancel: (event) => { event.preventDefault(); done(false); } },
      h("h2", { id: "dialog-title" }, title), h("p", {}, text),
      h("div", { class: "row end" }, button("Cancel", () => done(false), { kind: "quiet" }), button(yes, () => done(true), { kind })));
    document.body.append(dialog);
    dialog.showModal();
  });
}
