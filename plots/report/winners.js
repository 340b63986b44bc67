// SPDX-License-Identifier: Apache-2.0
// Which scheme is fastest over two inputs, by how much, and whether it wins.

// A cell of the map, of the texts of its column and, where it has several, its row.
function placeOf(x, y) {
  return JSON.stringify([x, y]);
}

class Winners {
  constructor(section) {
    this.free = dimensions.filter((one) => one !== schemeDimension);
    this.x = firstDimension(() => true) || this.free[0];
    this.y = firstDimension((one) => one !== this.x && !determines(this.x, one));
    this.choices = new Choices(() => this.draw());
    this.controls = element("div", {class: "controls"});
    this.keys = element("div", {class: "legend"});
    this.table = element("div", {class: "drawing scroll", tabindex: 0, role: "region",
                                 "aria-label": "Winner map"});
    section.append(this.controls, this.keys, this.table,
      element("p", {class: "note"}, "Each cell has the fastest scheme of those that fit in memory " +
              "and are no baseline, and its speed-up over its baseline: uncompressed training, " +
              "unless the study names another. It has a colour if it wins: the likely range of the " +
              "speed-up is above 1, or the baseline does not fit. Otherwise it is slower, or too " +
              "close to call."));
    this.table.addEventListener("pointerleave", hideTip);
    this.draw();
  }

  draw() {
    const options = (other) => this.free.filter((one) => one !== other)
      .map((one) => [one.name, one.label]);
    const set = (field) => (name) => { this[field] = dimensionNamed(name); this.draw(); };
    const used = [schemeDimension, this.x, this.y].filter(Boolean);
    this.controls.replaceChildren(
      select("across", options(this.y), this.x.name, set("x")),
      ...(this.y ? [select("down", options(this.x), this.y.name, set("y"))] : []),
      ...this.choices.controls(used));
    const places = this.places();
    const rows = !this.y ? [null] : this.y.numeric ? [...this.y.values].reverse() : this.y.values;
    const won = new Set();
    const body = rows.map((row) => element("tr", {},
      element("th", {scope: "row"}, row == null ? "" : textOf(row)),
      ...this.x.values.map((value) => this.cell(
        places.get(placeOf(textOf(value), this.y && textOf(row))) || [], won))));
    const head = element("tr", {}, element("td"), ...this.x.values.map((value) =>
      element("th", {scope: "col"}, textOf(value))));
    this.table.replaceChildren(element("table", {class: "winners"},
      element("caption", {}, `across: ${this.x.label}` + (this.y ? `; down: ${this.y.label}` : "")),
      element("tbody", {}, head, ...body)));
    this.keys.replaceChildren(...schemeNames.filter((name) => won.has(name))
      .map((name) => boxKey(name, styleOfValue(null, name).colour)));
  }

  // The points of each cell.
  places() {
    const places = new Map();
    for (const point of points.filter((one) => this.choices.holds(one))) {
      const place = placeOf(this.x.of(point), this.y && this.y.of(point));
      if (!places.has(place)) places.set(place, []);
      places.get(place).push(point);
    }
    return places;
  }

  // Where several points of a scheme are at one place, the best of them counts.
  cell(here, won) {
    const rate = (point) => point.figures.tokens_per_s;
    const ranking = here.filter((point) => fits(point) && typeof rate(point) === "number")
      .sort((a, b) => rate(b) - rate(a))
      .filter((point, place, all) => all.findIndex((other) =>
        schemeOf(other) === schemeOf(point)) === place);
    if (!ranking.length) {
      return element("td", {class: "empty"}, here.some(hasFigures) ? "too large" : "–");
    }
    const shown = ranking.find((point) => !isBaseline(point)) || ranking[0];
    const cell = element("td", {tabindex: 0, ...this.outcome(shown, won)},
      element("strong", {}, this.cellText(shown, ranking)), element("span", {}, this.label(shown)));
    cell.style.setProperty("--won", styleOfValue(null, schemeOf(shown)).colour);
    // Small gains are pale.
    cell.style.setProperty("--strength", `${Math.round(
      12 + 28 * Math.min(1, Math.max(0, (gainOf(shown) ?? 2) - 1)))}%`);
    const lines = ranking.slice(0, 8).map((point) => [schemeOf(point), this.tipText(point)]);
    const title = titleOf(shown, [schemeDimension]);
    cell.addEventListener("pointermove", (event) => showTip(title, lines, event.clientX,
                                                            event.clientY));
    cell.addEventListener("focus", () => {
      const frame = cell.getBoundingClientRect();
      showTip(title, lines, frame.right, frame.bottom);
    });
    cell.addEventListener("blur", hideTip);
    return cell;
  }

  label(shown) {
    return schemeOf(shown) + (isBaseline(shown) ? "" : VERDICT_TEXTS[verdictOf(shown)] || "");
  }

  // What the cell's style and the tests read.
  outcome(shown, won) {
    const verdict = verdictOf(shown);
    if (verdict !== "win") return {"data-scheme": schemeOf(shown), "data-verdict": verdict};
    won.add(schemeOf(shown));
    return {"data-scheme": schemeOf(shown), "data-verdict": verdict, "data-winner": schemeOf(shown)};
  }

  cellText(shown, ranking) {
    if (ranking.length > 1 && !verdictOf(shown)) return "fastest";
    const gain = gainOf(shown);
    return gain == null || isBaseline(shown) ? "alone" : `${gain.toFixed(2)}×`;
  }

  tipText(point) {
    const rate = figureText("tokens_per_s", point.figures.tokens_per_s);
    const gain = gainOf(point);
    if (gain == null || isBaseline(point)) return rate;
    return `${rate}, ${gain.toFixed(2)}× ${point.over}: ${verdictOf(point)}`;
  }
}
