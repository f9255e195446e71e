// SPDX-License-Identifier: Apache-2.0
// Runs before anything is painted, so that a chosen theme does not flash in the other one.
(() => {
  let chosen = null;
  try { chosen = localStorage.getItem("becausal-theme"); } catch { /* storage may be forbidden: the system's theme it is */ }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
