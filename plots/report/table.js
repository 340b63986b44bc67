// SPDX-License-Identifier: Apache-2.0
// All points: sorted by a click on a heading, filtered by words and comparisons.

const FIRST_ROWS = 200;

// "nodes > 8 sdp4bit" as conditions of points; a text where it cannot be read.
function conditionsOf(text) {
  const conditions = [];
  const pattern = /([\w.-]+)\s*(<=|>=|!=|<|>|=)\s*("[^"]*"|[^\s"]+)|"([^"]*)"|(\S+)/g;
  for (const match of text.matchAll(pattern)) {
    const [, name, operator, value, quoted, word] = match;
    if (!operator) {
      conditions.push(hasWord((quoted ?? word).toLowerCase()));
      continue;
    }
    const known = [...inputNames, ...figureNames, "number", "state"];
    const found = known.find((one) => one.toLowerCase() === name.toLowerCase());
    if (!found) return `no column ${name}; known are ${known.join(", ")}`;
    conditions.push(compares(found, operator, value.replaceAll('"', "")));
  }
  return conditions;
}

function valueOf(point, name) {
  if (name === "number" || name === "state") return point[name];
  return name in point.inputs ? point.inputs[name] : point.figures[name];
}

function hasWord(word) {
  // What all points have in common would find them all.
  return (point) => [point.number, point.state, point.message,
                     ...dimensions.map((one) => one.of(point))]
    .some((value) => value != null && String(value).toLowerCase().includes(word));
}

function compares(name, operator, text) {
  const holds = {"<": (a, b) => a < b, ">": (a, b) => a > b, "<=": (a, b) => a <= b,
                 ">=": (a, b) => a >= b, "=": (a, b) => a === b, "!=": (a, b) => a !== b}[operator];
  const wanted = text !== "" && Number.isFinite(Number(text)) ? Number(text) : numberOf(text);
  return (point) => {
    const value = valueOf(point, name);
    if (value == null) return false;
    const number = numberOf(value);
    if (Number.isFinite(wanted) && Number.isFinite(number)) return holds(number, wanted);
    return holds(String(value).toLowerCase(), text.toLowerCase());
  };
}

class PointTable {
  constructor(section) {
    this.sorted = {name: "number", down: false};
    this.full = false;
    this.rows = FIRST_ROWS;
    this.open = new Set();
    this.formats = new Map();
    this.filter = element("input", {type: "search", id: "filter", size: 40,
      oninput: () => this.draw()});
    this.count = element("p", {class: "note", role: "status"});
    this.table = element("table", {class: "points"});
    this.more = button("", () => { this.rows = Infinity; this.draw(); });
    section.append(
      element("div", {class: "controls"},
        element("label", {}, element("span", {}, "filter: words, or e.g. nodes >= 8 mfu > 0.4"),
          this.filter),
        toggle("all columns", false, (on) => { this.full = on; this.draw(); })),
      this.count, element("div", {class: "scroll", tabindex: 0, role: "region",
                                  "aria-label": "Table of points"}, this.table), this.more);
    this.draw();
  }

  columns() {
    const states = new Set(points.map((point) => point.state)).size > 1;
    const names = this.full ? [...inputNames, ...figureNames]
      : [...dimensions.map((one) => one.name), ...mainNames.flatMap((name) =>
        (name === "speedup" && figureNames.includes("verdict") ? [name, "verdict"] : [name]))];
    return [...(states || this.full ? ["number", "state"] : ["number"]), ...names];
  }

  // Of all points, whatever the filter leaves, and so once.
  formatOf(name) {
    if (!this.formats.has(name)) this.formats.set(name, this.newFormat(name));
    return this.formats.get(name);
  }

  // The same unit all the way down.
  newFormat(name) {
    const sizes = points.map((point) => Math.abs(valueOf(point, name))).filter((size) => size > 0);
    sizes.sort((a, b) => a - b);
    const usual = sizes[Math.floor(sizes.length / 2)];
    const [factor, unit] = scaleOf(unitOf(name), usual);
    const heading = name === "number" ? "point" : nameWithUnit(name, unit);
    const whole = inputNames.includes(name) || sizes.every(Number.isInteger) && !unitOf(name);
    const decimals = Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(usual / factor))));
    const text = (value) => {
      if (typeof value !== "number") return figureText(name, value);
      if (whole || name === "number") return String(value);
      const shown = (value / factor).toFixed(decimals);
      // What is far smaller than the rest has its own digits.
      return value !== 0 && Math.abs(value / factor) < 10 ** (1 - decimals) ? digits(value / factor)
        : shown;
    };
    const right = points.some((point) => typeof valueOf(point, name) === "number");
    return {name, heading, text, right};
  }

  draw() {
    const conditions = conditionsOf(this.filter.value);
    const wrong = typeof conditions === "string";
    const shown = wrong ? [] : points.filter((point) => conditions.every((one) => one(point)));
    const formats = this.columns().map((name) => this.formatOf(name));
    shown.sort((a, b) => this.compare(a, b));
    this.count.textContent = wrong ? conditions
      : `${shown.length.toLocaleString("en")} of ${points.length.toLocaleString("en")} points`;
    const rows = shown.slice(0, this.rows).flatMap((point) => this.row(point, formats));
    this.table.replaceChildren(
      element("thead", {}, element("tr", {}, ...formats.map((one) => this.heading(one)))),
      element("tbody", {}, ...rows));
    this.more.textContent = `Show all ${shown.length.toLocaleString("en")}`;
    this.more.hidden = shown.length <= this.rows;
  }

  compare(a, b) {
    const {name, down} = this.sorted;
    const [x, y] = [valueOf(a, name), valueOf(b, name)];
    if (x == null || y == null) return (x == null) - (y == null) || a.number - b.number;
    const [p, q] = [numberOf(x), numberOf(y)];
    const order = Number.isFinite(p) && Number.isFinite(q) ? p - q
      : String(x).localeCompare(String(y), "en", {numeric: true});
    return (down ? -order : order) || a.number - b.number;
  }

  heading({name, heading, right}) {
    const {name: by, down} = this.sorted;
    const direction = by !== name ? "none" : down ? "descending" : "ascending";
    const sort = button(heading, () => {
      // Figures begin with the largest.
      const first = figureNames.includes(name);
      this.sorted = {name, down: by === name ? !down : first};
      this.draw();
      this.table.querySelector(`[data-name="${CSS.escape(name)}"] button`).focus();
    });
    return element("th", {scope: "col", "aria-sort": direction, "data-name": name,
                          class: right ? "right" : ""}, sort);
  }

  row(point, formats) {
    const cells = formats.map(({name, text, right}) => {
      if (name === "number") return element("td", {}, this.opener(point));
      const value = valueOf(point, name);
      return element("td", {class: right ? "right" : "", "data-value": value}, text(value));
    });
    const row = element("tr", {class: point.state, "data-point": point.number}, ...cells);
    if (!this.open.has(point.number)) return [row];
    return [row, element("tr", {class: "details"},
                         element("td", {colspan: formats.length}, details(point)))];
  }

  opener(point) {
    const isOpen = this.open.has(point.number);
    return button(String(point.number), () => {
      if (!this.open.delete(point.number)) this.open.add(point.number);
      this.draw();
      this.table.querySelector(`[data-point="${point.number}"] button`).focus();
    }, {"aria-expanded": String(isOpen), "aria-label": `point ${point.number}, details`,
        class: "opener"});
  }
}

// A point with everything that the study has of it.
function details(point) {
  const figures = figureNames.filter((name) => point.figures[name] != null);
  return element("div", {},
    command(point.command),
    point.message ? element("p", {class: "warning"}, point.message) : null,
    element("dl", {class: "figures"}, ...figures.flatMap((name) =>
      [element("dt", {}, labelOf(name)),
       element("dd", {}, figureText(name, point.figures[name]))])));
}

// A command line and a button that copies it.
function command(text) {
  const copy = button("Copy", async () => {
    await navigator.clipboard.writeText(text);
    copy.textContent = "Copied";
  }, {class: "quiet"});
  return element("div", {class: "command"}, element("code", {}, text), copy);
}
