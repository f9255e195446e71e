// SPDX-License-Identifier: Apache-2.0
// Times and numbers, in words for people. Times are shown in the browser's time zone, but for those that are whole days.

const DAY = 86_400_000;
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long", year: "numeric" });
const utcDay = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
const utcMonth = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const number = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });

export const count = (value) => number.format(value);
export const short = (value) => (value < 10_000 ? number.format(value) : compact.format(value));
export const percent = (value) => `${Math.round(value * 100)} %`;
export const counted = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

export function moment(iso) {
  return exact.format(new Date(iso));
}

/** When something happened, as exactly as it is known. */
export function when(iso, precision, until) {
  const at = new Date(iso);
  switch (precision) {
    case "year": return String(at.getUTCFullYear());
    case "decade": return `${at.getUTCFullYear()}s`;
    case "month": return utcMonth.format(at);
    case "quarter": return `quarter ${Math.floor(at.getUTCMonth() / 3) + 1} of ${at.getUTCFullYear()}`;
    case "day": return utcDay.format(at);
    case "week": return `the week of ${utcDay.format(at)}`;
    case "season": case "range": return until ? utcDay.formatRange(at, new Date(new Date(until) - 1)) : `since ${utcDay.format(at)}`;
    case "hour": case "instant": return exact.format(at);
    default: return day.format(at);
  }
}

export function ago(iso) {
  const past = new Date(iso) - Date.now();
  const far = Math.abs(past);
  if (far < 60_000) return "just now";
  if (far < 3_600_000) return relative.format(Math.round(past / 60_000), "minute");
  if (far < DAY) return relative.format(Math.round(past / 3_600_000), "hour");
  if (far < 45 * DAY) return relative.format(Math.round(past / DAY), "day");
  return day.format(new Date(iso));
}

export const month = (iso) => utcMonth.format(new Date(iso));

/** One text, cut after so many characters, at a word where there is one. */
export function cut(text, most) {
  if (text.length <= most) return text;
  const head = text.slice(0, most);
  const space = head.lastIndexOf(" ");
  return `${(space > most * 0.6 ? head.slice(0, space) : head).trimEnd()}…`;
}
