// SPDX-License-Identifier: Apache-2.0
// The parts of a step, stacked: one bar for each scheme.

const PARTS = [["compute_s", "var(--s0)"], ["exposed_comm_s", "var(--s1)"],
               ["codec_s", "var(--s2)"], ["optimizer_s", "var(--s3)"], ["other_s", "var(--other)"],
               ["host_s", "var(--s5)"], ["bubble_s", "var(--idle)"]];
const BAR = 26, GAP = 12, NAMES = 190, TOTALS = 90;

class Breakdown {
  constructor(section) {
    this.by = schemeDimension || dimensions[0];
    this.shares = false;
    this.choices = new Choices(() => this.draw());
    this.controls = element("div", {class: "controls"});
    this.picture = drawn("svg", {class: "chart bars", role: "img"});
    this.note = element("p", {class: "note"});
    section.append(this.controls, this.keys(), element("div", {class: "drawing"}, this.picture),
                   this.note);
    this.picture.addEventListener("pointerleave", hideTip);
    this.draw();
  }

  keys() {
    return element("div", {class: "legend"},
      ...PARTS.map(([name, colour]) => boxKey(labelOf(name), colour)));
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
    const totals = shown.map((point) => PARTS.reduce((sum, [name]) =>
      sum + (point.figures[name] || 0), 0));
    const longest = Math.max(...totals, 0);
    const height = Math.max(1, shown.length) * (BAR + GAP) + GAP;
    filled(this.picture, {viewBox: `0 0 ${WIDTH} ${height}`}, []);
    this.picture.setAttribute("aria-label", "Parts of the time: " + shown.map((point, place) =>
      `${this.nameOf(point)} ${figureText("step_time_s", totals[place])}`).join(", "));
    this.picture.replaceChildren(...shown.map((point, place) =>
      this.bar(point, totals[place], this.shares ? totals[place] : longest, place)));
    this.note.textContent = shown.length ? this.explanation()
      : "No point has results for these choices.";
  }

  explanation() {
    return ofSites ? "Time of a round at the site that finishes last; compute is its inner steps."
      : "Time of the rank that finishes last. Exposed communication is not hidden by compute.";
  }

  nameOf(point) { return this.by ? this.by.of(point) : schemeOf(point); }

  bar(point, total, whole, place) {
    const y = GAP + place * (BAR + GAP);
    const length = WIDTH - NAMES - TOTALS;
    const group = drawn("g");
    const name = this.nameOf(point);
    group.append(drawn("text", {x: NAMES - 10, y: y + BAR / 2 + 4, "text-anchor": "end"},
                       name.length > 26 ? name.slice(0, 25) + "…" : name));
    let x = NAMES;
    for (const [part, colour] of PARTS) {
      const value = point.figures[part] || 0;
      const width = whole > 0 ? length * value / whole : 0;
      if (width <= 0) continue;
      const box = drawn("rect", {x, y, width, height: BAR, class: "part"});
      box.style.fill = colour;
      box.dataset.part = part;
      box.addEventListener("pointermove", (event) => showTip(`${name}: ${labelOf(part)}`,
        [["time", figureText(part, value)], ["share", `${(100 * value / total).toFixed(1)} %`],
         ["point", point.number]], event.clientX, event.clientY));
      group.append(box);
      x += width;
    }
    group.append(drawn("text", {x: x + 8, y: y + BAR / 2 + 4, class: "total"},
                       figureText("step_time_s", total)));
    return group;
  }
}
