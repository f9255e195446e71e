// SPDX-License-Identifier: Apache-2.0
// How the memory is doing: what it holds, what is wrong, copies of it, and what can still be undone.

import { ask } from "./api.js";
import { fill, h } from "./dom.js";
import { ago, count, counted, moment, short } from "./format.js";
import { button, empty, heading, notice, toast, trouble, waiting } from "./ui.js";
import { undo } from "./memory.js";

const STATUS = `{ status { version user backend location embedder embedderState degraded pending counts sendsTextTo notes schema
    oldestUndo consolidatedAt backupTrouble backupAt backupPlace foreign chat unread }
  changes(limit: 20) { id action note createdAt expiresAt } }`;
const BACKUPS = "{ backups(limit: 10) { place last version trouble remembers versions { id at memories } } }";
const BACK_UP = "mutation { backUp { ran changed memories note } }";
const TILES = [["engram", "memories"], ["entity", "names"], ["fact", "facts"], ["event", "events"], ["cause", "causes"], ["C_CAUSES", "causal links"]];

export async function render() {
  const { status, changes } = await ask(STATUS);
  return h("div", {},
    heading("Status", `${status.user}’s memory`),
    h("div", { class: "stack" },
      status.degraded && notice(`Worse than usual: ${status.degraded}`),
      status.backupTrouble && notice(`No copy can be made: ${status.backupTrouble}`),
      status.notes.map((note) => notice(note)), status.foreign.map((note) => notice(note)),
      h("dl", { class: "tiles" }, TILES.map(([kind, name]) => h("div", { class: "tile" }, h("dt", {}, name), h("dd", { title: count(status.counts[kind] ?? 0) }, short(status.counts[kind] ?? 0))))),
      h("div", { class: "columns" }, workings(status), copies(status)),
      undoable(changes)));
}

function workings(status) {
  const rows = [
    ["Kept in", `${status.backend}, version ${status.schema} of its layout`],
    ["At", h("code", {}, status.location)],
    ["Meaning", `${status.embedder} (${status.embedderState})`],
    ["Waiting to be indexed", count(status.pending)],
    ["Last looked after itself", status.consolidatedAt ? h("time", { datetime: status.consolidatedAt, title: moment(status.consolidatedAt) }, ago(status.consolidatedAt)) : "not yet"],
    ["Text is sent to", status.sendsTextTo.length ? status.sendsTextTo.join(", ") : "nobody: it stays on this machine"],
    status.chat && ["Chat model", `${status.chat.model}${status.chat.unavailable ? `: ${status.chat.unavailable}` : ""}${status.unread ? `, ${counted(status.unread, "memory", "memories")} still to be read` : ""}`],
    ["becausal", status.version],
  ].filter(Boolean);
  return h("section", { class: "card" }, h("h2", {}, "Workings"), h("dl", { class: "facts" }, rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])));
}

function copies(status) {
  const body = h("div", { class: "stack" });
  const load = async () => {
    fill(body, waiting());
    try {
      const { backups } = await ask(BACKUPS);
      fill(body, backups === null
        ? h("p", { class: "muted" }, "No place for copies is set. BACKUP_TYPE names one: a Git repository or an S3 bucket.")
        : [
          h("p", {}, backups.place, backups.last ? `: last copied ${ago(backups.last)}.` : ": no copy was made yet."),
          backups.trouble && notice(backups.trouble),
          backups.versions.length ? h("ul", { class: "plain" }, backups.versions.map((version) => h("li", {}, h("time", { datetime: version.at }, moment(version.at)), h("small", {}, ` ${counted(version.memories, "memory", "memories")} · `, h("code", {}, version.id.slice(0, 12)))))) : null,
          h("p", { class: "muted small" }, backups.remembers),
          button("Copy it now", copy, { kind: "quiet" }),
        ]);
    } catch (error) {
      fill(body, trouble(error), button("Try again", load, { kind: "quiet" }));
    }
  };
  const copy = async (event) => {
    event.currentTarget.disabled = true;
    try {
      const { backUp } = await ask(BACK_UP);
      toast(!backUp.ran ? backUp.note : backUp.changed ? `A copy of ${counted(backUp.memories, "memory", "memories")} was made.` : "Nothing has changed since the last copy.");
    } catch (error) {
      toast(error.message, { bad: true });
    }
    load();
  };
  if (status.backupPlace === null) fill(body, h("p", { class: "muted" }, "No place for copies is set. BACKUP_TYPE names one: a Git repository or an S3 bucket."));
  else load();
  return h("section", { class: "card" }, h("h2", {}, "Copies"), body);
}

function undoable(changes) {
  return h("section", { class: "card" }, h("h2", {}, "Can still be undone"),
    changes.length
      ? h("ol", { class: "history" }, changes.map((change) => h("li", {}, h("div", { class: "row spread" },
        h("span", {}, h("span", { dir: "auto" }, change.note), h("small", { class: "muted" }, ` · ${ago(change.createdAt)} · until ${moment(change.expiresAt)}`)),
        button("Undo", () => undo(change.id), { kind: "small quiet", name: "undo" })))))
      : empty("Nothing was changed lately.", null));
}
