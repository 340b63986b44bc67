// SPDX-License-Identifier: Apache-2.0
// Axes: from values to places and back, ticks, and the part of an axis that is zoomed into.

// Of sections, after their last layout: asking for a width in the middle of changes lays out the page at once.
const widths = new WeakMap();
const resized = new ResizeObserver((all) => {
  for (const {target} of all) widths.set(target, target.clientWidth);
});

// Drawings are as wide as the page, so that their texts keep their size on a phone.
function widthOf(section) {
  if (!widths.has(section)) {
    widths.set(section, section.clientWidth);
    resized.observe(section);
  }
  return Math.max(300, Math.min(900, widths.get(section) || 640));
}

// Ticks at 1, 2 or 5 times a power of ten.
function niceTicks(low, high, most) {
  const rough = (high - low) / most;
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k += 1) {
    ticks.push(Number((k * step).toPrecision(12)));
  }
  return ticks;
}

function logTicks(low, high) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    for (const one of [1, 2, 5]) {
      const tick = one * 10 ** power;
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
    }
  }
  const decades = ticks.filter((tick) => Math.abs(Math.log10(tick) % 1) < 1e-9);
  return ticks.length > 9 && decades.length > 2 ? decades : ticks;
}

// An axis from `low` to `high`, of which what is zoomed into is a part, in shares from 0 to 1.
class Axis {
  constructor(low, high, log) {
    this.log = log && low > 0;
    this.whole = [this.inner(low), this.inner(high)];
    if (this.whole[0] === this.whole[1]) this.whole = [this.whole[0] - 0.5, this.whole[1] + 0.5];
    this.part = [0, 1];
  }

  inner(value) { return this.log ? Math.log10(value) : value; }
  outer(value) { return this.log ? 10 ** value : value; }

  place(value, from, to) {
    const share = (this.inner(value) - this.whole[0]) / (this.whole[1] - this.whole[0]);
    return from + (share - this.part[0]) / (this.part[1] - this.part[0]) * (to - from);
  }

  get ends() {
    const length = this.whole[1] - this.whole[0];
    return this.part.map((share) => this.outer(this.whole[0] + share * length));
  }

  ticks(most) {
    const [low, high] = this.ends;
    const ticks = this.log ? logTicks(low, high) : niceTicks(low, high, most);
    return ticks.length >= 2 ? ticks : niceTicks(low, high, most);
  }

  // Shares of what is shown now become all that is shown.
  zoom(from, to) {
    const length = this.part[1] - this.part[0];
    const low = this.part[0] + from * length, high = this.part[0] + to * length;
    if (high - low < 1e-7) return;
    this.part = [Math.max(0, low), Math.min(1, high)];
  }

  // Moves by a share of what is shown, not beyond the ends.
  pan(share) {
    const length = this.part[1] - this.part[0];
    const low = Math.min(1 - length, Math.max(0, this.part[0] + share * length));
    this.part = [low, low + length];
  }

  reset() { this.part = [0, 1]; }
  get zoomed() { return this.part[0] > 0 || this.part[1] < 1; }
}

const ZOOM_STEP = 0.25;  // of what is shown, taken from each end

// Buttons, dragging and keys that zoom `axes` ({x, y}; y may be missing) of a drawing whose inside
// is `area()` ({left, top, right, bottom} in its own units). Returns the buttons.
function zoomable(picture, axes, area, redraw) {
  const each = (act) => { Object.values(axes()).forEach(act); hideTip(); redraw(); };
  const closer = () => each((axis) => axis.zoom(ZOOM_STEP, 1 - ZOOM_STEP));
  const wider = () => each((axis) => axis.zoom(-2 * ZOOM_STEP, 1 + 2 * ZOOM_STEP));
  const reset = () => each((axis) => axis.reset());
  const keys = {"+": closer, "=": closer, "-": wider, "0": reset,
                h: () => { axes().x.pan(-ZOOM_STEP); redraw(); },
                l: () => { axes().x.pan(ZOOM_STEP); redraw(); }};
  picture.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    keys[event.key]();
    event.preventDefault();
  });
  picture.addEventListener("dblclick", reset);
  dragged(picture, axes, area, redraw);
  return element("span", {class: "zoom", role: "group", "aria-label": "Zoom"},
    button("+", closer, {title: "Zoom in (key +)", "aria-label": "Zoom in"}),
    button("−", wider, {title: "Zoom out (key −)", "aria-label": "Zoom out"}),
    button("Reset", reset, {title: "Show everything (key 0 or double-click)"}));
}

function dragged(picture, axes, area, redraw) {
  let start = null, box = null;
  const at = (event) => {
    const frame = picture.getBoundingClientRect();
    const scale = picture.viewBox.baseVal.width / frame.width;
    const {left, top, right, bottom} = area();
    return [Math.min(right, Math.max(left, (event.clientX - frame.left) * scale)),
            Math.min(bottom, Math.max(top, (event.clientY - frame.top) * scale))];
  };
  picture.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && event.pointerType !== "touch") start = at(event);
  });
  picture.addEventListener("pointermove", (event) => {
    if (!start) return;
    const [x, y] = at(event), {top, bottom} = area();
    if (!box && Math.abs(x - start[0]) + Math.abs(y - start[1]) < 6) return;
    if (!box) {
      box = picture.appendChild(drawn("rect", {class: "drag"}));
      picture.setPointerCapture(event.pointerId);
    }
    const upright = axes().y;
    filled(box, {x: Math.min(x, start[0]), width: Math.abs(x - start[0]),
                 y: upright ? Math.min(y, start[1]) : top,
                 height: upright ? Math.abs(y - start[1]) : bottom - top}, []);
  });
  const end = (event) => {
    const from = start, was = box;
    start = null;
    box = null;
    if (!was) return;
    was.remove();
    const to = at(event), {left, top, right, bottom} = area();
    const shares = (low, high, size) => [Math.min(low, high) / size, Math.max(low, high) / size];
    const {x, y} = axes();
    if (Math.abs(to[0] - from[0]) > 4) {
      x.zoom(...shares(from[0] - left, to[0] - left, right - left));
    }
    if (y && Math.abs(to[1] - from[1]) > 4) {
      y.zoom(...shares(bottom - from[1], bottom - to[1], bottom - top));
    }
    hideTip();
    redraw();
  };
  picture.addEventListener("pointerup", end);
  picture.addEventListener("pointercancel", () => { if (box) box.remove(); start = box = null; });
}
