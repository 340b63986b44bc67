// SPDX-License-Identifier: Apache-2.0
// Bars with ranges, stacked bars and a curve, as wide as the page is.

const ROW = 30, LINE = 16;
const PART_COLOURS = {compute_s: "var(--s0)", exposed_comm_s: "var(--s1)", codec_s: "var(--s2)",
                      optimizer_s: "var(--s3)", other_s: "var(--other)", host_s: "var(--s5)",
                      bubble_s: "var(--idle)"};

function widthOf(section) {
  return Math.max(300, Math.min(900, section.clientWidth || 640));
}

function picture(section, width, height, label, ...parts) {
  const svg = drawn("svg", {class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img",
                            "aria-label": label});
  svg.append(...parts.flat());
  return element("div", {class: "drawing"}, svg);
}

// Of a tick's text, so that none is cut off.
function anchorAt(x, left, right) {
  if (x < left + 10) return "start";
  return x > right - 30 ? "end" : "middle";
}

// An axis from 0 below rows that are drawn down to `bottom`, with the figure's unit.
function scaleBelow(name, most, left, right, bottom) {
  const axis = new Axis(0, most || 1, false);
  const [factor, unit] = scaleOf(unitOf(name), most);
  const ticks = axis.ticks(right - left > 400 ? 6 : 3).map((tick) => {
    const x = axis.place(tick, left, right);
    return drawn("g", {}, drawn("line", {x1: x, x2: x, y1: 0, y2: bottom}),
      drawn("text", {x, y: bottom + 15, "text-anchor": anchorAt(x, left, right)},
            tickText(Number((tick / factor).toPrecision(6)))));
  });
  const title = drawn("text", {x: (left + right) / 2, y: bottom + 31, "text-anchor": "middle",
                               class: "name"}, nameWithUnit(name, unit));
  return {place: (value) => axis.place(value, left, right),
          node: drawn("g", {class: "frame"}, ...ticks, title)};
}

// The name of a row, above its bar.
function rowName(text, y) {
  return drawn("text", {x: 0, y: y + LINE - 4}, text);
}

// rows: {name, value, low, high, colour, told}. A likely range is a line with ends over the bar.
function bars(section, figure, rows) {
  const width = widthOf(section), each = ROW + LINE, bottom = rows.length * each;
  const most = Math.max(...rows.map((row) => row.high || row.value || 0));
  const scale = scaleBelow(figure, most, 0, width - 100, bottom);
  const nodes = rows.map((row, place) => {
    const y = place * each, end = scale.place(row.value);
    const box = drawn("rect", {x: 0, y: y + LINE, width: Math.max(1, end), height: ROW - 10});
    box.style.fill = row.colour;
    const group = drawn("g", {}, rowName(row.name, y), box);
    if (row.low != null) {
      const [low, high] = [scale.place(row.low), scale.place(row.high)], middle = y + LINE + 10;
      group.append(drawn("path", {class: "range",
        d: `M${low},${middle}H${high}M${low},${middle - 6}v12M${high},${middle - 6}v12`}));
    }
    const far = Math.max(end, row.high != null ? scale.place(row.high) : 0) + 6;
    group.append(drawn("text", {x: far, y: y + LINE + 15, class: "total"}, row.told));
    group.addEventListener("pointermove", (event) => showTip(row.name, row.lines,
                                                             event.clientX, event.clientY));
    group.addEventListener("pointerleave", hideTip);
    return group;
  });
  const label = `${labelOf(figure)}: ` + rows.map((row) => `${row.name} ${row.told}`).join(", ");
  return picture(section, width, bottom + 36, label, scale.node, nodes);
}

// rows: {name, parts: [[label, value, colour]], told}; `limit`: a line across all.
function stacks(section, figure, rows, limit) {
  const width = widthOf(section), each = ROW + LINE, bottom = rows.length * each;
  const sums = rows.map((row) => row.parts.reduce((sum, [, value]) => sum + value, 0));
  const scale = scaleBelow(figure, Math.max(...sums, limit || 0), 0, width - 100, bottom);
  const nodes = rows.map((row, place) => {
    const y = place * each;
    let from = 0;
    const group = drawn("g", {}, rowName(row.name, y));
    for (const [label, value, colour] of row.parts.filter(([, one]) => one > 0)) {
      const [left, right] = [scale.place(from), scale.place(from + value)];
      const box = drawn("rect", {x: left, y: y + LINE, width: Math.max(0, right - left),
                                 height: ROW - 10, class: "part"});
      box.style.fill = colour;
      box.addEventListener("pointermove", (event) => showTip(`${row.name}: ${label}`,
        [["takes", figureText(figure, value)],
         ["share", `${(100 * value / sums[place]).toFixed(1)} %`]], event.clientX, event.clientY));
      box.addEventListener("pointerleave", hideTip);
      group.append(box);
      from += value;
    }
    group.append(drawn("text", {x: scale.place(from) + 6, y: y + LINE + 15, class: "total"},
                       row.told));
    return group;
  });
  const line = limit ? drawn("line", {class: "limit", x1: scale.place(limit), y1: 0,
                                      x2: scale.place(limit), y2: bottom}) : [];
  const label = `${labelOf(figure)}: ` + rows.map((row) => `${row.name} ${row.told}`).join(", ");
  return picture(section, width, bottom + 36, label, scale.node, nodes, line);
}

// The speed-up over the rate of the NICs: points {x, y, low, high}, `now` and what is marked.
function speedupCurve(section, points, now, marks) {
  const width = widthOf(section), height = 240, left = 44, right = width - 12, bottom = height - 44;
  const x = new Axis(points[0].x, points.at(-1).x, true);
  const most = Math.max(1.1, ...points.map((one) => one.high ?? one.y));
  const least = Math.min(0.9, ...points.map((one) => one.low ?? one.y));
  const y = new Axis(least, most, false);
  const at = (one, figure) => [x.place(one.x, left, right), y.place(one[figure], bottom, 8)];
  const path = (list) => `M${list.map((pair) => pair.map((one) => one.toFixed(1)).join(",")).join("L")}`;
  const ranged = points.filter((one) => one.low != null);
  const ticks = [
    ...x.ticks(6).map((tick) => drawn("text", {x: x.place(tick, left, right), y: bottom + 16,
      "text-anchor": "middle"}, tickText(tick))),
    ...y.ticks(5).map((tick) => drawn("g", {},
      drawn("line", {x1: left, x2: right, y1: y.place(tick, bottom, 8), y2: y.place(tick, bottom, 8)}),
      drawn("text", {x: left - 6, y: y.place(tick, bottom, 8) + 4, "text-anchor": "end"},
            `${tickText(tick)}×`)))];
  const one = y.place(1, bottom, 8);
  const frame = drawn("g", {class: "frame"}, ...ticks,
    drawn("line", {class: "base", x1: left, x2: right, y1: one, y2: one}),
    drawn("text", {class: "name", x: (left + right) / 2, y: height - 8, "text-anchor": "middle"},
          "rate of a NIC (Gb/s)"));
  const band = drawn("path", {class: "band", d: ranged.length > 1
    ? `${path([...ranged.map((p) => at(p, "low")), ...ranged.toReversed().map((p) => at(p, "high"))])}Z`
    : "M0,0"});
  const curve = drawn("path", {class: "curve", d: path(points.map((p) => at(p, "y")))});
  const dots = points.map((point) => {
    const [cx, cy] = at(point, "y");
    const dot = drawn("circle", {cx, cy, r: 4, class: "dot"});
    dot.addEventListener("pointermove", (event) => showTip(gbpsText(point.x),
      [["speed-up", `${digits(point.y)}×`], ["likely", point.low == null ? "–"
        : `${digits(point.low)} to ${digits(point.high)}`]], event.clientX, event.clientY));
    dot.addEventListener("pointerleave", hideTip);
    return dot;
  });
  const lines = [[now, "now", "now"], ...marks].filter(([rate]) => rate >= points[0].x &&
    rate <= points.at(-1).x).map(([rate, text, kind]) => {
    const place = x.place(rate, left, right);
    return drawn("g", {class: `mark-${kind}`},
      drawn("line", {x1: place, x2: place, y1: 8, y2: bottom}),
      drawn("text", {x: place + 4, y: kind === "now" ? 18 : 34}, text));
  });
  return picture(section, width, height, "speed-up over the rate of a NIC: " +
    points.map((p) => `${p.x} Gb/s ${digits(p.y)}`).join(", "), frame, band, curve, dots, lines);
}
