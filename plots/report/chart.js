// SPDX-License-Identifier: Apache-2.0
// A figure over an input that varies, with a line for each scheme.

const HEIGHT = 420;

class Chart {
  constructor(section) {
    this.section = section;
    this.x = firstDimension(() => true) || dimensions[0];
    this.by = schemeDimension && schemeDimension !== this.x ? schemeDimension
      : dimensions.find((one) => one !== this.x);
    this.figure = mainNames.includes("speedup") ? "speedup" : mainNames[0] || numericNames[0];
    this.logX = this.spread(this.x) >= 15;
    this.logY = false;
    this.hidden = new Set();
    this.choices = new Choices(() => this.renew());
    this.controls = element("div", {class: "controls"});
    this.picture = drawn("svg", {class: "chart", tabindex: 0, role: "img", "aria-describedby": "chart-keys"});
    this.keys = element("div");
    this.note = element("p", {class: "note"});
    this.buttons = zoomable(this.picture, () => ({x: this.axisX, y: this.axisY}), () => this.inside,
                            () => this.draw());
    this.picture.addEventListener("pointermove", (event) => this.hover(event));
    this.picture.addEventListener("pointerleave", hideTip);
    this.picture.addEventListener("blur", hideTip);
    this.picture.addEventListener("keydown", (event) => this.step(event));
    section.append(this.controls, element("div", {class: "bar"}, this.keys, this.buttons),
                   element("div", {class: "drawing"}, this.picture), this.note,
                   element("p", {class: "hint", id: "chart-keys"},
                           "Drag to zoom, double-click to reset. With the " +
                           "chart focused: + − 0 zoom, h l pan, ← → step through the points."));
    this.renew();
  }

  spread(dimension) {
    if (!dimension || !dimension.numeric) return 0;
    const numbers = dimension.values.map(numberOf);
    return numbers[0] > 0 ? numbers.at(-1) / numbers[0] : 0;
  }

  // After another choice: other points, other axes.
  renew() {
    const used = [this.x, this.by].filter(Boolean);
    this.controls.replaceChildren(...this.selects(), ...this.choices.controls(used),
      toggle("logarithmic x", this.logX, (on) => { this.logX = on; this.renew(); }),
      toggle("logarithmic y", this.logY, (on) => { this.logY = on; this.renew(); }));
    this.shown = points.filter((point) => hasFigures(point) && this.choices.holds(point) &&
                                          typeof point.figures[this.figure] === "number");
    const names = [...new Set(this.shown.map((point) => this.seriesOf(point)))];
    const order = this.by ? this.by.values.map(textOf) : names;
    this.names = names.sort((a, b) => order.indexOf(a) - order.indexOf(b));
    this.keys.replaceChildren(this.names.length > 1 ? legend(this.names, this.hidden,
      (name) => styleOfValue(this.by, name), () => this.draw()) : "");
    this.setAxes();
    this.draw();
  }

  selects() {
    const byName = (list) => list.map((one) => [one.name, one.label]);
    const set = (field) => (name) => { this[field] = dimensionNamed(name); this.renew(); };
    return [
      select("figure", numericNames.map((name) => [name, labelOf(name)]), this.figure,
             (name) => { this.figure = name; this.renew(); }),
      select("over", byName(dimensions), this.x.name, (name) => {
        if (this.by && this.by.name === name) this.by = this.x;
        this.logX = this.spread(dimensionNamed(name)) >= 15;
        set("x")(name);
      }),
      ...(dimensions.length > 1 ? [select("lines", byName(dimensions.filter((one) =>
        one !== this.x)), this.by.name, set("by"))] : []),
    ];
  }

  seriesOf(point) { return this.by ? this.by.of(point) : schemeOf(point); }

  // Where values are no numbers, their places are.
  valueX(point) {
    const value = point.inputs[this.x.name];
    return this.x.numeric ? numberOf(value) : this.x.values.indexOf(value);
  }

  setAxes() {
    const across = this.shown.map((point) => this.valueX(point));
    const up = this.shown.flatMap((point) =>
      [point.figures[this.figure], ...rangeOf(point.figures, this.figure) ?? []]);
    const [factor, unit] = scaleOf(unitOf(this.figure), Math.max(...up.map(Math.abs), 0));
    Object.assign(this, {factor, unit});
    const low = Math.min(...up) / factor, high = Math.max(...up) / factor;
    const logX = this.logX && this.x.numeric;
    const [left, right] = [Math.min(...across), Math.max(...across)];
    const margin = logX ? (right / left) ** 0.04 : (right - left) * 0.04;
    this.axisX = logX && left > 0 ? new Axis(left / margin, right * margin, true)
      : new Axis(left - margin, right + margin, false);
    this.axisY = this.logY && low > 0 ? new Axis(low / 1.15, high * 1.15, true)
      : new Axis(Math.min(0, low), high * 1.08 || 1, false);
  }

  get inside() { return {left: 76, top: 14, right: this.width - 14, bottom: HEIGHT - 54}; }

  placeOf(point) {
    return [this.axisX.place(this.valueX(point), this.inside.left, this.inside.right),
            this.heightOf(point.figures[this.figure])];
  }

  heightOf(value) {
    return this.axisY.place(value / this.factor, this.inside.bottom, this.inside.top);
  }

  isInside([x, y]) {
    const {left, right, top, bottom} = this.inside;
    return x >= left - 1 && x <= right + 1 && y >= top - 1 && y <= bottom + 1;
  }

  draw() {
    this.width = widthOf(this.section);
    const what = nameWithUnit(this.figure, this.unit), {left, right, top, bottom} = this.inside;
    filled(this.picture, {viewBox: `0 0 ${this.width} ${HEIGHT}`}, []);
    this.picture.setAttribute("aria-label", `${what} over ${this.x.label}`);
    const clip = drawn("clipPath", {id: "chart-inside"}, drawn("rect", {
      x: left - 6, y: top - 6, width: right - left + 12, height: bottom - top + 12}));
    const lines = drawn("g", {"clip-path": "url(#chart-inside)"},
      ...this.names.filter((name) => !this.hidden.has(name)).map((name) => this.line(name)));
    this.cursor = drawn("circle", {r: 9, class: "cursor", visibility: "hidden"});
    this.picture.replaceChildren(clip, this.frame(what), lines, this.cursor);
    this.note.textContent = this.shown.length ? this.explanation()
      : "No point has results for these choices.";
  }

  explanation() {
    const ranged = this.shown.some((point) => rangeOf(point.figures, this.figure));
    return (ranged ? "Lines with ends are likely ranges, eight cases of ten."
      : `No likely range of ${labelOf(this.figure)} is predicted here.`) +
      (this.shown.every(fits) ? "" : " Hollow marks: does not fit in GPU memory.");
  }

  frame(what) {
    const {left, right, top, bottom} = this.inside;
    const middle = (left + right) / 2;
    return drawn("g", {class: "frame"},
      ...this.axisY.ticks(7).flatMap((tick) => {
        const y = this.axisY.place(tick, bottom, top);
        return [drawn("line", {x1: left, x2: right, y1: y, y2: y}),
                drawn("text", {x: left - 8, y: y + 4, "text-anchor": "end"}, tickText(tick))];
      }),
      ...this.ticksX().map(([x, text]) => drawn("text", {x, y: bottom + 20,
                                                        "text-anchor": "middle"}, text)),
      drawn("line", {x1: left, x2: right, y1: bottom, y2: bottom, class: "base"}),
      drawn("text", {x: middle, y: bottom + 44, class: "name", "text-anchor": "middle"},
            this.x.label),
      drawn("text", {x: 0, y: 0, class: "name", "text-anchor": "middle",
                     transform: `translate(16,${(top + bottom) / 2}) rotate(-90)`}, what));
  }

  // At the values themselves, as they are written, those that would overlap left out.
  ticksX() {
    const ticks = [], {left, right} = this.inside;
    let free = -Infinity;
    this.x.values.forEach((value, place) => {
      const at = this.x.numeric ? numberOf(value) : place;
      const x = this.axisX.place(at, left, right);
      const text = textOf(value);
      const half = text.length * 3.6;
      if (x < left - 1 || x > right + 1 || x - half < free) return;
      free = x + half + 8;
      ticks.push([Math.min(x, this.width - half - 2), text]);
    });
    return ticks;
  }

  line(name) {
    const style = styleOfValue(this.by, name);
    const own = this.shown.filter((point) => this.seriesOf(point) === name)
      .sort((a, b) => this.valueX(a) - this.valueX(b));
    const group = drawn("g", {class: "series"});
    group.style.color = style.colour;
    // Several points of one place are no line.
    const single = new Set(own.map((point) => this.valueX(point))).size === own.length;
    if (single) {
      const path = own.map((point, place) => (place ? "L" : "M") + this.placeOf(point).join(","));
      group.append(drawn("path", {d: path.join(""), class: "line",
                                  "stroke-dasharray": style.dash}));
    }
    for (const point of own) {
      const [x, y] = this.placeOf(point);
      const range = rangeOf(point.figures, this.figure)?.map((end) => this.heightOf(end));
      if (range) {
        group.append(drawn("path", {class: "spread",
          d: `M${x},${range[0]}V${range[1]}M${x - 4},${range[0]}h8M${x - 4},${range[1]}h8`}));
      }
      const mark = drawn("path", {d: style.marker, transform: `translate(${x},${y})`,
                                  class: fits(point) ? "mark" : "mark hollow"});
      mark.dataset.point = point.number;
      group.append(mark);
    }
    return group;
  }

  visible() {
    return this.shown.filter((point) => !this.hidden.has(this.seriesOf(point)) &&
                                        this.isInside(this.placeOf(point)));
  }

  hover(event) {
    const frame = this.picture.getBoundingClientRect();
    const scale = this.width / frame.width;
    const x = (event.clientX - frame.left) * scale, y = (event.clientY - frame.top) * scale;
    let nearest = null, least = 60;
    for (const point of this.visible()) {
      const [px, py] = this.placeOf(point);
      const distance = Math.hypot(px - x, py - y);
      if (distance < least) [nearest, least] = [point, distance];
    }
    this.show(nearest, event.clientX, event.clientY);
  }

  show(point, x, y) {
    this.current = point;
    this.cursor.setAttribute("visibility", point ? "visible" : "hidden");
    if (!point) return hideTip();
    const [cx, cy] = this.placeOf(point);
    filled(this.cursor, {cx, cy}, []);
    const lines = tipLines(point);
    if (!mainNames.includes(this.figure)) {
      lines.unshift([labelOf(this.figure), figureText(this.figure, point.figures[this.figure])]);
    }
    return showTip(titleOf(point), [...lines, ["point", point.number]], x, y);
  }

  // From point to point, along each line.
  step(event) {
    const move = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    const list = this.names.flatMap((name) => this.visible()
      .filter((point) => this.seriesOf(point) === name)
      .sort((a, b) => this.valueX(a) - this.valueX(b)));
    if (!move || !list.length) return;
    event.preventDefault();
    const from = list.indexOf(this.current);
    const next = list[from < 0 ? 0 : (from + move + list.length) % list.length];
    const frame = this.picture.getBoundingClientRect();
    const [x, y] = this.placeOf(next).map((place) => place * frame.width / this.width);
    this.show(next, frame.left + x, frame.top + y);
  }
}
