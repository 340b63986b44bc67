// SPDX-License-Identifier: Apache-2.0
// Bars with likely ranges and stacked bars, as wide as the page is, each below its name.

const ROW = 20, LINE = 17, GAP = 9;
const FOOT = 38, TOTALS = 96;

function picture(width, height, label, ...parts) {
  const svg = drawn("svg", {class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img",
                            "aria-label": label});
  svg.append(...parts.flat());
  return element("div", {class: "drawing"}, svg);
}

// Of a tick's text, so that none is cut off.
function anchorAt(x, left, right) {
  if (x < left + 10) return "start";
  return x > right - 10 ? "end" : "middle";
}

// An axis from 0 below rows that are drawn down to `bottom`, with the figure's unit.
function scaleBelow(name, most, right, bottom) {
  const axis = new Axis(0, most || 1, false);
  const [factor, unit] = scaleOf(unitOf(name), most);
  const ticks = axis.ticks(right > 400 ? 6 : 3).map((tick) => {
    const x = axis.place(tick, 0, right);
    return drawn("g", {}, drawn("line", {x1: x, x2: x, y1: 0, y2: bottom}),
      drawn("text", {x, y: bottom + 15, "text-anchor": anchorAt(x, 0, right + TOTALS)},
            tickText(Number((tick / factor).toPrecision(6)))));
  });
  const title = drawn("text", {x: right / 2, y: bottom + 32, "text-anchor": "middle",
                               class: "name"}, nameWithUnit(name, unit));
  return {place: (value) => axis.place(value, 0, right),
          node: drawn("g", {class: "frame"}, ...ticks, title)};
}

// A line with ends over the end of a bar.
function whisker(scale, [low, high], middle) {
  const [from, to] = [scale.place(low), scale.place(high)];
  return drawn("path", {class: "range",
    d: `M${from},${middle}H${to}M${from},${middle - 6}v12M${to},${middle - 6}v12`});
}

function tipOn(node, heading, lines) {
  node.addEventListener("pointermove", (event) => showTip(heading, lines, event.clientX, event.clientY));
  node.addEventListener("pointerleave", hideTip);
}

// rows: {name, parts: [{label, value, colour, lines}], range, told}, told right of the bar; `limit`: a
// line across all, if any.
function stacks(section, figure, rows, limit = null) {
  const width = widthOf(section), right = width - TOTALS, bottom = rows.length * (LINE + ROW + GAP);
  const sums = rows.map((row) => row.parts.reduce((sum, part) => sum + part.value, 0));
  const most = Math.max(...sums, limit ?? 0, ...rows.map((row) => row.range?.[1] ?? 0));
  const scale = scaleBelow(figure, most, right, bottom);
  const totals = [];  // over the limit's line
  const nodes = rows.map((row, place) => {
    const top = place * (LINE + ROW + GAP) + LINE;
    let from = 0;
    const group = drawn("g", {}, drawn("text", {x: 0, y: top - 4}, row.name));
    for (const part of row.parts.filter((one) => one.value > 0)) {
      if (!part.colour) {  // a gap
        from += part.value;
        continue;
      }
      const [left, end] = [scale.place(from), scale.place(from + part.value)];
      const box = drawn("rect", {x: left, y: top, width: Math.max(0.5, end - left), height: ROW,
                                 class: part.colour === colourOf("idle") ? "part idle" : "part"});
      box.style.fill = part.colour;
      if (part.lines) tipOn(box, part.label ? `${row.name}: ${part.label}` : row.name, part.lines);
      group.append(box);
      from += part.value;
    }
    if (row.range) group.append(whisker(scale, row.range, top + ROW / 2));
    const far = scale.place(Math.max(from, row.range?.[1] ?? 0));
    totals.push(drawn("text", {x: far + 6, y: top + 15, class: "total"}, row.told));
    return group;
  });
  const line = limit ? drawn("line", {class: "limit", x1: scale.place(limit), y1: 0,
                                      x2: scale.place(limit), y2: bottom}) : [];
  const label = `${labelOf(figure)}: ` + rows.map((row) => `${row.name} ${row.told}`).join(", ");
  return picture(width, bottom + FOOT, label, scale.node, nodes, line, totals);
}

// The parts of a step or round, as stacks() takes them, each times `factor`.
function stepParts(figures, factor = 1) {
  const known = Object.entries(raw.looks.parts).filter(([part]) => figures[part] > 0);
  const sum = known.reduce((all, [part]) => all + figures[part], 0);
  return known.map(([part, colour]) => ({label: labelOf(part), value: factor * figures[part],
    colour: colourOf(colour), lines: [["time", figureText(part, factor * figures[part])],
                                      ["share", `${(100 * figures[part] / sum).toFixed(1)} %`]]}));
}

// What one step takes from another's time and adds to it, part by part, the greatest saving first; of
// lists of stepParts(). Parts that hardly change are left out.
function changeRows(before, after) {
  const valueIn = (list, label) => list.find((part) => part.label === label)?.value ?? 0;
  const all = new Map([...before, ...after].map((part) => [part.label, part.colour]));
  let level = before.reduce((sum, part) => sum + part.value, 0);
  const least = 0.002 * level;
  return [...all].map(([label, colour]) => ({label, colour, by: valueIn(after, label) - valueIn(before, label)}))
    .filter(({by}) => Math.abs(by) >= least).sort((a, b) => a.by - b.by)
    .map(({label, colour, by}) => {
      const gap = Math.min(level, level + by), size = Math.abs(by);
      const told = `${by < 0 ? "−" : "+"}${figureText("step_time_s", size)}`;
      level += by;
      return {name: label, told, parts: [{value: gap}, {value: size, colour, lines: [["change", told]]}]};
    });
}

function stepKeys(list) {
  return element("div", {class: "legend"}, ...Object.entries(raw.looks.parts)
    .filter(([part]) => list.some((figures) => figures[part] > 0))
    .map(([part, colour]) => boxKey(labelOf(part), colourOf(colour))));
}
