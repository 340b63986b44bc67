// SPDX-License-Identifier: Apache-2.0
// The sections of the page: those that the study has something for.

const SECTIONS = [
  ["overview", "Overview", overview, true],
  ["charts", "Charts", (section) => new Chart(section),
   dimensions.length > 0 && numericNames.length > 0],
  ["breakdown", "Where the time goes", (section) => new Breakdown(section),
   numericNames.includes("compute_s")],
  ["winners", "Which scheme wins", (section) => new Winners(section),
   Boolean(schemeDimension) && dimensions.length > 1 && numericNames.includes("tokens_per_s")],
  ["timelines", `Timeline of a ${ofSites ? "round" : "step"}`, timelines,
   raw.timelines.length > 0],
  ["points", "Points", (section) => new PointTable(section), true],
  ["sources", "Sources", provenance, raw.sources.length > 0],
  ["reproduce", "Reproduce", reproduce, true],
];

function timelines(section) {
  for (const one of raw.timelines.filter((each) => each.problem)) {
    section.append(element("p", {class: "warning"},
      `Point ${one.number} could not be simulated again: ${one.problem}`));
  }
  if (raw.timelines.some((one) => !one.problem)) return new Timelines(section, raw.timelines);
  return null;
}

for (const [id, title, draw, wanted] of SECTIONS) {
  const section = document.getElementById(id);
  if (!wanted) {
    section.remove();
    continue;
  }
  if (id !== "overview") section.append(element("h2", {}, title));
  draw(section);
  document.getElementById("sections").append(element("a", {href: `#${id}`}, title));
}

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
