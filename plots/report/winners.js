// SPDX-License-Identifier: Apache-2.0
// Which scheme is fastest over two inputs, and by how much.

// A cell of the map, of the texts of its column and, where it has several, its row.
function placeOf(x, y) {
  return JSON.stringify([x, y]);
}

class Winners {
  constructor(section) {
    this.free = dimensions.filter((one) => one !== schemeDimension);
    this.x = firstDimension(() => true) || this.free[0];
    this.y = firstDimension((one) => one !== this.x && !determines(this.x, one));
    this.rival = "second best";
    this.choices = new Choices(() => this.draw());
    this.controls = element("div", {class: "controls"});
    this.keys = element("div", {class: "legend"});
    this.table = element("div", {class: "drawing scroll", tabindex: 0, role: "region",
                                 "aria-label": "Winner map"});
    section.append(this.controls, this.keys, this.table,
      element("p", {class: "note"}, "Among the schemes that fit in memory, the one with the most tokens per " +
              "second wins; the number is its speed-up over the other. Differences of a " +
              "few per cent are within the prediction error."));
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
      select("compared with", ["second best", ...schemeNames].map((name) => [name, name]),
             this.rival, (name) => { this.rival = name; this.draw(); }),
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
    const name = schemeOf(ranking[0]);
    won.add(name);
    const rival = this.rival === "second best" ? ranking[1]
      : ranking.find((point) => schemeOf(point) === this.rival);
    const lead = rival ? rate(ranking[0]) / rate(rival) : NaN;
    const cell = element("td", {tabindex: 0, "data-winner": name},
      element("strong", {}, rival ? `${lead.toFixed(2)}×` : "alone"), element("span", {}, name));
    cell.style.setProperty("--won", styleOfValue(null, name).colour);
    // Ties are pale.
    cell.style.setProperty("--strength", `${Math.round(
      18 + 62 * Math.min(1, Math.max(0, (Number.isNaN(lead) ? 1 : lead) - 1)))}%`);
    const lines = ranking.slice(0, 8).map((point) =>
      [schemeOf(point), figureText("tokens_per_s", rate(point))]);
    const title = titleOf(ranking[0], [schemeDimension]);
    cell.addEventListener("pointermove", (event) => showTip(title, lines, event.clientX,
                                                            event.clientY));
    cell.addEventListener("focus", () => {
      const frame = cell.getBoundingClientRect();
      showTip(title, lines, frame.right, frame.bottom);
    });
    cell.addEventListener("blur", hideTip);
    return cell;
  }
}
