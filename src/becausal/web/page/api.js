// SPDX-License-Identifier: Apache-2.0
// The one door to the memory: GraphQL at /graphql of the service that this page came from.

export class Refused extends Error {}

/** The login is over. */
export class LoggedOut extends Error {}

let csrf = null;

async function asked(path, options) {
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", redirect: "error", cache: "no-store", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused("The service cannot be reached. Is it still running?");
  }
  if (answer.status === 401) {
    location.reload(); // what is served now is the door
    throw new LoggedOut("You are logged out.");
  }
  return answer;
}

/** Whose memory this is: `{ user, version }`. */
export async function session() {
  const answer = await asked("/session", {});
  if (!answer.ok) throw new Refused(await problem(answer));
  const told = await answer.json();
  csrf = told.csrf;
  return told;
}

async function problem(answer) {
  const text = await answer.text();
  try {
    const told = JSON.parse(text);
    const message = told.errors?.[0]?.message ?? told.error?.message ?? told.message ?? told.error;
    if (typeof message === "string") return message;
  } catch { /* not JSON */ }
  return `The service refused that (${answer.status}).`;
}

/** Run a GraphQL request; return its data. */
export async function ask(query, variables = {}, signal = undefined) {
  const answer = await asked("/graphql", {
    method: "POST",
    signal,
    headers: { "content-type": "application/json", ...(csrf ? { "x-csrf-token": csrf } : {}) },
    body: JSON.stringify({ query, variables }),
  });
  if (!answer.ok) throw new Refused(await problem(answer));
  const told = await answer.json();
  if (told.errors?.length) throw new Refused(told.errors[0].message);
  return told.data;
}

export async function logOut() {
  await asked("/logout", { method: "POST", headers: csrf ? { "x-csrf-token": csrf } : {} });
}
