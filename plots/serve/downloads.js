// SPDX-License-Identifier: Apache-2.0
// What the page hands out.

function save(name, type, text) {
  const link = element("a", {href: URL.createObjectURL(new Blob([text], {type})), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// With the page's colours, which a file has no styles for.
function svgText(svg) {
  const copy = svg.cloneNode(true);
  const from = [svg, ...svg.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((node, i) => {
    const style = getComputedStyle(node);
    for (const name of ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity",
                        "font-size",
                        "font-family", "text-anchor"]) {
      to[i].style.setProperty(name, style.getPropertyValue(name));
    }
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

function showDownloads() {
  const nameOf = (ending) => `${["model", "topology", "scheme"].map((key) => state.inputs[key] ?? "")
    .join("-").replace(/[^\w.-]+/g, "_")}${ending}`;
  const asked = (as, ending, type) => async () => {
    try {
      save(nameOf(ending), type, (await ask("later", questionOf(as, state.inputs))).text);
    } catch (error) {
      showProblem(error);
    }
  };
  section("downloads", "Take it with you", element("div", {class: "buttons"},
    copyButton("Command line", () => document.querySelector("#answer code")?.textContent ?? ""),
    button("JSON", () => save(nameOf(".json"), "application/json",
                              JSON.stringify(page.reports, null, 1))),
    button("CSV", asked("csv", ".csv", "text/csv")),
    button("Perfetto timeline", asked("perfetto", ".perfetto.json", "application/json")),
    button("Pictures (SVG)", () => document.querySelectorAll("#answers svg.chart").forEach((svg) =>
      save(nameOf(`-${svg.closest("section").id}.svg`), "image/svg+xml", svgText(svg))))));
}
