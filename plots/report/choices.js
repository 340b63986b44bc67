// SPDX-License-Identifier: Apache-2.0
// What of a study is drawn: values of inputs, and figures.

// Values of the inputs that a drawing does not spread out, by name; they begin with the featured
// point's.
class Choices {
  constructor(changed) {
    this.chosen = new Map();
    this.changed = changed;
    this.shown = [];
  }

  controls(used) {
    this.shown = chosenBeside(used);
    return this.shown.map((one) => {
      const value = this.chosen.get(one.name) ?? one.of(featured);
      const options = one.values.map((each) => [textOf(each), textOf(each)]);
      return select(one.label, options, value, (chosen) => {
        this.chosen.set(one.name, chosen);
        this.changed();
      });
    });
  }

  holds(point) {
    return this.shown.every((one) =>
      one.of(point) === (this.chosen.get(one.name) ?? one.of(featured)));
  }
}

const schemeNames = [...new Set(points.map(schemeOf))];

function styleOfValue(dimension, value) {
  if (!dimension || dimension === schemeDimension) {
    return styleOfScheme(value, Math.max(0, schemeNames.indexOf(value)));
  }
  return styleOf(dimension.values.findIndex((one) => textOf(one) === value));
}

const MAIN = ["tokens_per_s", "step_time_s", "round_time_s", "speedup", "mfu",
              "compute_utilisation", "exposed_comm_s", "codec_s", "memory_per_gpu_bytes",
              "usd_per_million_tokens"];

// The figures that a table or a box begins with.
const mainNames = MAIN.filter((name) => numericNames.includes(name) &&
  !(name === "step_time_s" && ofSites));

function tipLines(point) {
  const lines = mainNames.filter((name) => point.figures[name] != null)
    .map((name) => [labelOf(name), figureText(name, point.figures[name])]);
  if (verdictOf(point)) lines.push([`against ${point.over}`, verdictOf(point)]);
  if (point.state === "too_large") lines.push(["memory", "does not fit"]);
  return lines;
}
