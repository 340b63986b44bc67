// SPDX-License-Identifier: Apache-2.0
// What is wrong with the drawing `svg` of this document, as lines of text; see checks.py.
const faults = [];
const shown = (node) => node.getBoundingClientRect();
const told = (text) => `"${text.textContent.trim().slice(0, 40)}"`;
const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim() &&
  shown(text).width > 0 && getComputedStyle(text).visibility !== "hidden");

// Texts inside the drawing.
const frame = shown(svg);
for (const text of texts) {
  const box = shown(text);
  if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 ||
      box.bottom > frame.bottom + 1) faults.push(`${told(text)} is cut off`);
}

// Texts beside one another. Of letters alone: a line has room above and below them. Slanted texts have
// larger boxes than letters.
const upright = texts.filter((text) => { const {a, b} = text.getScreenCTM(); return !(Math.abs(a) > 1e-3 && Math.abs(b) > 1e-3); });
const letters = (text) => {
  const {left, right, top, bottom} = shown(text), turned = Math.abs(text.getScreenCTM().b) > 1e-3;
  const inset = 0.22 * (turned ? right - left : bottom - top);
  return turned ? {left: left + inset, right: right - inset, top, bottom}
    : {left, right, top: top + inset, bottom: bottom - inset};
};
upright.forEach((text, place) => upright.slice(place + 1).forEach((other) => {
  const a = letters(text), b = letters(other);
  if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
      Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1) {
    faults.push(`${told(text)} overlaps ${told(other)}`);
  }
}));

// Contrast of each text with what is behind its middle.
const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
const luminance = ([r, g, b]) => [r, g, b].map((one) => one / 255).map((one) =>
  (one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
  .reduce((sum, one, place) => sum + one * [0.2126, 0.7152, 0.0722][place], 0);
const contrast = (a, b) => {
  const [low, high] = [luminance(a), luminance(b)].sort((one, other) => one - other);
  return (high + 0.05) / (low + 0.05);
};
const paper = channels(getComputedStyle(document.body).backgroundColor);
const PAPER = paper.length > 3 && paper[3] === 0 ? [255, 255, 255] : paper.slice(0, 3);
function behind(text) {
  const own = getComputedStyle(text);
  if (own.paintOrder.includes("stroke") && own.stroke !== "none") return channels(own.stroke).slice(0, 3);
  const box = shown(text);
  const under = document.elementsFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
  let colour = PAPER;
  for (const node of under.filter((one) => svg.contains(one) && one.tagName !== "text" && one.tagName !== "tspan").reverse()) {
    const {fill, fillOpacity} = getComputedStyle(node);
    if (!fill.startsWith("rgb") || ["g", "svg"].includes(node.tagName)) continue;
    const [r, g, b, alpha = 1] = channels(fill), share = alpha * Number(fillOpacity);
    colour = [r, g, b].map((one, place) => share * one + (1 - share) * colour[place]);
  }
  return colour;
}
for (const text of texts) {
  const ratio = contrast(channels(getComputedStyle(text).fill).slice(0, 3), behind(text));
  if (ratio < 4.5) faults.push(`${told(text)} has a contrast of ${ratio.toFixed(2)}, below 4.5`);
}

// A name for each axis that has ticks, with a unit if these are bare numbers.
const bare = (text) => /^[-−\d.]+[kMGT]?$/.test(text.textContent.trim());
const axes = [...svg.querySelectorAll("g[id^='matplotlib.axis_']")].map((axis) => {
  const ticks = [...axis.querySelectorAll("g[id*='tick_'] text")].filter((one) => one.textContent.trim());
  const names = [...axis.querySelectorAll("text")].filter((one) => !one.closest("g[id*='tick_']"));
  return {ticks, names, id: axis.id};
});
for (const frame of svg.querySelectorAll("g.frame")) {
  const names = [...frame.querySelectorAll("text.name")];
  axes.push({ticks: [...frame.querySelectorAll("text:not(.name)")], names, id: svg.getAttribute("aria-label")});
}
for (const {ticks, names, id} of axes) {
  if (ticks.length === 0) continue;
  if (names.length === 0) faults.push(`an axis has no name: ${id}, ${told(ticks[0])}`);
  else if (ticks.every(bare) && !names.some((one) => one.textContent.includes("("))) {
    faults.push(`the axis ${told(names[0])} has no unit`);
  }
}

// Legends hide no mark.
for (const legend of svg.querySelectorAll("g[id^='legend_']")) {
  const box = shown(legend);
  for (const mark of svg.querySelectorAll("use")) {
    if (mark.closest("g[id*='tick_'], g[id^='legend_']")) continue;
    const {left, right, top, bottom} = shown(mark);
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    if (x > box.left && x < box.right && y > box.top && y < box.bottom) {
      faults.push(`a legend hides a mark at ${Math.round(x)}, ${Math.round(y)}`);
    }
  }
}
return faults;
