// SPDX-License-Identifier: Apache-2.0
// The curve of speed-ups.

// The speed-up over the rate of the NICs, or what `axis` says: points {x, y, low, high}, `now` and what is marked; in the
// scheme's style.
function speedupCurve(section, points, now, marks, style, axis) {
  const width = widthOf(section), height = 240, left = 58, right = width - 12, bottom = height - 44;
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
          axis),
    drawn("text", {class: "name", "text-anchor": "middle",
                   transform: `translate(12,${bottom / 2}) rotate(-90)`}, "speed-up (×)"));
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
  const drawing = picture(width, height, `speed-up over the ${axis}: ` +
    points.map((p) => `${p.x} Gb/s ${digits(p.y)}`).join(", "), frame, band, curve, dots, lines);
  drawing.style.color = style.colour;
  return drawing;
}
