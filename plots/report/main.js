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

const drawings = [];
for (const [id, title, draw, wanted] of SECTIONS) {
  const section = document.getElementById(id);
  if (!wanted) {
    section.remove();
    continue;
  }
  if (id !== "overview") section.append(element("h2", {}, title));
  drawings.push(draw(section));
  document.getElementById("sections").append(element("a", {href: `#${id}`}, title));
}

whenWidthChanges(() => drawings.forEach((one) => one?.draw?.()));
