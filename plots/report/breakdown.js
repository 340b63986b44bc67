// SPDX-License-Identifier: Apache-2.0
// The parts of a step or round, stacked: one bar for each scheme.

const TIME = ofSites ? "round_time_s" : "step_time_s", SHARE = "share of the time";
raw.units[SHARE] = "%";

class Breakdown {
  constructor(section) {
    this.section = section;
    this.by = schemeDimension || dimensions[0];
    this.shares = false;
    this.choices = new Choices(() => this.draw());
    this.controls = element("div", {class: "controls"});
    this.drawing = element("div");
    this.note = element("p", {class: "note"});
    section.append(this.controls, stepKeys(points.map((point) => point.figures)), this.drawing, this.note);
    this.draw();
  }

  selects() {
    if (!this.by) return [];
    const options = dimensions.map((one) => [one.name, one.label]);
    return [select("bars", options, this.by.name, (name) => {
      this.by = dimensionNamed(name);
      this.draw();
    }), ...this.choices.controls([this.by])];
  }

  draw() {
    this.controls.replaceChildren(...this.selects(),
      toggle("shares", this.shares, (on) => { this.shares = on; this.draw(); }));
    const shown = points.filter((point) => hasFigures(point) && this.choices.holds(point));
    const rows = shown.map((point) => this.row(point));
    this.drawing.replaceChildren(rows.length
      ? stacks(this.section, this.shares ? SHARE : TIME, rows) : "");
    this.note.textContent = rows.length ? this.explanation(rows) : "No point has results for these choices.";
  }

  explanation(rows) {
    return (ofSites ? "Time of a round at the site that finishes last; compute is its inner steps. "
      : "Time of the rank that finishes last. Exposed communication is not hidden by compute. ") +
      (rows.some((row) => row.range) ? "Lines with ends are likely ranges, eight cases of ten."
        : this.shares ? "Shares have no likely range." : "These points were run without likely ranges.");
  }

  row(point) {
    const {figures} = point;
    const sum = Object.keys(raw.looks.parts).reduce((all, part) => all + (figures[part] || 0), 0);
    return {name: this.by ? this.by.of(point) : schemeOf(point), told: figureText(TIME, sum),
            parts: stepParts(figures).map((part) =>
              ({...part, value: part.value / (this.shares ? sum : 1)})),
            range: this.shares ? null : rangeOf(figures, TIME)};
  }
}
