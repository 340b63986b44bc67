// SPDX-License-Identifier: Apache-2.0
// Light, dark, and paper.

const theme = document.getElementById("theme");
const dark = matchMedia("(prefers-color-scheme: dark)");

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  theme.textContent = name === "dark" ? "Light" : "Dark";
}

// What was chosen before, if the browser keeps it.
function keptTheme() {
  try {
    return localStorage.getItem("gardenhose theme");
  } catch {
    return null;
  }
}

function keepTheme(name) {
  try {
    localStorage.setItem("gardenhose theme", name);
  } catch { /* a browser that keeps nothing */ }
}

setTheme(keptTheme() || (dark.matches ? "dark" : "light"));
dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
theme.addEventListener("click", () => {
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  keepTheme(document.documentElement.dataset.theme);
});
// Paper is white.
let beforePrint = "";
addEventListener("beforeprint", () => {
  beforePrint = document.documentElement.dataset.theme;
  setTheme("light");
});
addEventListener("afterprint", () => setTheme(beforePrint));
addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
addEventListener("wheel", hideTip, {passive: true});
