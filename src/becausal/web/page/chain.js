// SPDX-License-Identifier: Apache-2.0
// A chain of causes, from its beginning on the left to what was asked about on the right; from top to bottom where
// there is not the room for that.

import { h } from "./dom.js";
import { cut, percent } from "./format.js";
import { jump } from "./ask.js";
import { graphLink } from "./ui.js";

export function chain({ chain: steps, chainConfidence }) {
  const places = [];
  steps.forEach((step, at) => {
    const before = steps[at - 1];
    if (!before) places.push(event(step.cause, step.causeId, "Where it began"));
    else if (before.effectId !== step.causeId && before.effect !== step.cause) places[places.length - 1].append(otherWords(step));
    places.push(led(step, at), event(step.effect, step.effectId, at === steps.length - 1 ? "What came of it" : null));
  });
  const list = h("ol", { class: "chain" }, places);
  const room = h("div", { class: "chain-room", role: "group", "aria-label": "Chain, from cause to effect" }, list);
  let width = 0;
  new ResizeObserver(() => {
    if (room.clientWidth === width) return;
    width = room.clientWidth;
    list.classList.remove("upright");
    list.classList.toggle("upright", room.scrollWidth > width);
  }).observe(room);
  return h("section", { class: "chain-box card", "aria-label": "Chain of causes" },
    h("div", { class: "row spread" }, h("h2", {}, "What led to it"), chainConfidence === null ? null : h("p", { class: "muted small" }, `all of it: ${percent(chainConfidence)} sure`)),
    room);
}

function event(text, id, role) {
  return h("li", { class: `event ${role ? "end" : ""}` },
    role && h("span", { class: "kicker" }, role),
    h("a", { href: graphLink(id), class: "told", dir: "auto", title: text.length > 240 ? text : null }, cut(text, 240)));
}

function otherWords(step) {
  return h("p", { class: "other-words" }, h("span", {}, "in other words: "), h("a", { href: graphLink(step.causeId), class: "told", dir: "auto" }, cut(step.cause, 200)));
}

function led(step, at) {
  const label = step.stated ? `stated, ${percent(step.confidence)} sure` : `${percent(step.confidence)} sure`;
  return h("li", { class: "led" },
    h("span", { class: "led-sure" }, percent(step.confidence)),
    h("span", { class: "led-line", style: { "--sure": String(step.confidence) }, "aria-hidden": "true" }),
    h("span", { class: "hidden" }, `led to (${label}, ${percent(step.cumulative)} so far)`),
    h("span", { class: "led-note" },
      step.stated ? "stated " : null,
      step.source !== null ? h("a", { class: "cite", href: `#source-${step.source}`, onclick: jump, "aria-label": `Step ${at + 1} rests on source ${step.source}` }, step.source) : null));
}
