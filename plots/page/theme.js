// SPDX-License-Identifier: Apache-2.0
// Light, dark, and paper.

const theme = document.getElementById("theme");
const dark = matchMedia("(prefers-color-scheme: dark)");

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  theme.textContent = name === "dark" ? "Light" : "Dark";
}

setTheme(dark.matches ? "dark" : "light");
dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
theme.addEventListener("click", () =>
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
// Paper is white.
let beforePrint = "";
addEventListener("beforeprint", () => {
  beforePrint = document.documentElement.dataset.theme;
  setTheme("light");
});
addEventListener("afterprint", () => setTheme(beforePrint));
addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
addEventListener("wheel", hideTip, {passive: true});
