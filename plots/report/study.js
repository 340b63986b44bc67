// SPDX-License-Identifier: Apache-2.0
// The study: its points as objects, and which inputs vary.

function decode(column) {
  return column.values || column.places.map((place) => column.known[place]);
}

const columns = raw.columns.map((column) => ({...column, values: decode(column)}));
const values = Object.fromEntries(columns.map((column) => [`${column.kind} ${column.name}`,
                                                           column.values]));
const points = values["row number"].map((number, row) => ({
  row, number,
  state: values["row state"][row],
  message: values["row message"] ? values["row message"][row] : null,
  command: values["row command"][row],
  over: values["row over"] ? values["row over"][row] : null,
  inputs: {}, figures: {},
}));
for (const column of columns) {
  const into = {input: "inputs", figure: "figures"}[column.kind];
  if (into) points.forEach((point, row) => { point[into][column.name] = column.values[row]; });
}
const byNumber = new Map(points.map((point) => [point.number, point]));

const inputNames = columns.filter((one) => one.kind === "input").map((one) => one.name);
const figureNames = columns.filter((one) => one.kind === "figure").map((one) => one.name);
const numericNames = figureNames.filter((name) =>
  points.some((point) => typeof point.figures[name] === "number"));

function textOf(value) {
  return value == null ? "not given" : String(value);
}

// Whether points are rounds of several sites.
const ofSites = figureNames.includes("round_time_s");

// What an input is worth on an axis: numbers, and texts with units.
function numberOf(value) {
  if (typeof value === "number") return value;
  if (Object.hasOwn(raw.numbers, value)) return raw.numbers[value];
  return NaN;
}

// An input that varies: its values in the order of their size, or of the study.
function dimensionOf(name) {
  const seen = new Map(points.map((point) => [textOf(point.inputs[name]), point.inputs[name]]));
  const list = [...seen.values()];
  const numeric = list.every((value) => Number.isFinite(numberOf(value)));
  if (numeric) list.sort((a, b) => numberOf(a) - numberOf(b));
  return {name, label: labelOf(name), numeric, values: list,
          of: (point) => textOf(point.inputs[name])};
}

const dimensions = inputNames.map(dimensionOf).filter((one) => one.values.length > 1);
const constants = inputNames.filter((name) => !dimensions.some((one) => one.name === name));

function dimensionNamed(name) {
  return dimensions.find((one) => one.name === name);
}

// Whether points that have a value of `a` in common have that of `b` in common.
function determines(a, b) {
  const found = new Map();
  return points.every((point) => {
    const key = a.of(point);
    if (!found.has(key)) found.set(key, b.of(point));
    return found.get(key) === b.of(point);
  });
}

// The inputs that have to be chosen so that what is left varies by `used` alone. What goes together
// with another is not chosen twice, and what goes together with `used` varies with it.
function chosenBeside(used) {
  const free = dimensions.filter((one) => !used.includes(one) &&
    !used.some((other) => determines(other, one) || determines(one, other)));
  return free.filter((one, place) => !free.some((other, otherPlace) =>
    other !== one && determines(other, one) && (otherPlace < place || !determines(one, other))));
}

// What a drawing begins with: a quantity such as a bandwidth, another number, or anything; of those
// that are `wanted`, not the scheme, and do not merely go together with one before them.
function firstDimension(wanted) {
  const follows = (one, place) => dimensions.slice(0, place).some((other) =>
    determines(other, one));
  const free = dimensions.filter((one, place) => one !== schemeDimension && wanted(one) &&
    !follows(one, place));
  const hasUnit = (one) => one.numeric && one.values.every((value) => typeof value === "string");
  return free.find(hasUnit) || free.find((one) => one.numeric) || free[0];
}

const schemeDimension = dimensionNamed("scheme");

function schemeOf(point) {
  return textOf(point.inputs.scheme ?? point.figures.scheme ?? "default scheme");
}

const fits = (point) => point.state === "done";
const hasFigures = (point) => point.state === "done" || point.state === "too_large";

// What the program says of a point against its baseline: "win", "tie" or "loss"; the page decides nothing.
const verdictOf = (point) => point.figures.verdict;
// Its speed-up, where both fit in memory.
const gainOf = (point) =>
  (fits(point) && point.figures.baseline_fits_memory !== false ? point.figures.speedup : null);
const isBaseline = (point) => point.over === schemeOf(point);

// The greatest speed-up of those that win, else of all.
function greatestGain(list) {
  const known = list.filter((point) => gainOf(point) != null && !isBaseline(point));
  const winning = known.filter((point) => verdictOf(point) === "win");
  return greatest(winning.length ? winning : known, gainOf);
}

function greatest(list, worth) {
  return list.reduce((a, b) => (a && worth(a) >= worth(b) ? a : b), undefined);
}

// The point that choices begin with.
const featured = greatestGain(points) ||
  greatest(points.filter(fits), (point) => point.figures.tokens_per_s ?? 0) ||
  points.find(hasFigures) || points[0];

// "gpt_2.7b, 16 nodes": a point by what varies.
function titleOf(point, except = []) {
  const parts = dimensions.filter((one) => !except.includes(one)).map((one) =>
    one.numeric && typeof point.inputs[one.name] === "number"
      ? `${one.label} ${one.of(point)}` : one.of(point));
  return parts.join(", ") || `point ${point.number}`;
}
