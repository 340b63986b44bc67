// SPDX-License-Identifier: Apache-2.0
// The sections: what each shows of the reports of run.

const ofRound = (report) => report.round_time_s != null;
const timeName = (report) => (ofRound(report) ? "round_time_s" : "step_time_s");
const rangeText = (name, low, high) => (low == null ? ""
  : `${figureText(name, low)} to ${figureText(name, high)}`);
const perSecond = (value) => (value == null ? "–" : Math.round(value).toLocaleString("en").replaceAll(",", "\u202f"));

function section(id, title, ...nodes) {
  const place = document.getElementById(id);
  place.replaceChildren(...(nodes.length ? [element("h2", {}, title), ...nodes] : []));
}

// Each report with its scheme's name and colour.
function named(reports, pinned) {
  const row = (report, more) => ({report, name: report.scheme + more,
                                  colour: styleOfScheme(report.scheme).colour});
  return [...reports.map((report) => row(report, "")),
          ...(pinned || []).map((report) => row(report, ", pinned"))];
}

function showAnswer(reply) {
  const code = element("code", {}, reply.command);
  const place = document.getElementById("answer");
  place.replaceChildren(
    element("p", {class: "sentence"}, reply.sentence),
    element("div", {class: "command"}, code,
      button("Copy", () => navigator.clipboard.writeText(reply.command))),
    ...(reply.notes ? [element("p", {class: "warning"}, reply.notes.trim())] : []));
}

function showProblem(error) {
  const gone = !(error instanceof Refused);
  document.getElementById("answer").replaceChildren(element("p", {class: "warning", role: "alert"},
    gone ? "The server does not answer: start gardenhose serve again, and reload this page."
      : error.message));
}

function showFacts(report) {
  const rows = [["tokens per second", perSecond(report.tokens_per_s),
                 report.tokens_per_s_low == null ? "" :
                 `likely ${perSecond(report.tokens_per_s_low)} to ${perSecond(report.tokens_per_s_high)}`]];
  const add = (name, low, high) => {
    if (report[name] != null) rows.push([labelOf(name), figureText(name, report[name]),
      report[low] == null ? "" : `likely ${rangeText(name, report[low], report[high])}`]);
  };
  add("speedup", "speedup_low", "speedup_high");
  add(timeName(report));
  add("mfu");
  add("memory_per_gpu_bytes");
  add("usd_per_million_tokens", "usd_per_million_tokens_low", "usd_per_million_tokens_high");
  add("energy_j");
  section("facts", "Figures", element("dl", {class: "cells"}, ...rows.map(([label, value, range]) =>
    element("div", {}, element("dt", {}, label), element("dd", {}, value),
            range ? element("small", {}, range) : null))));
}

function showThroughput(rows) {
  const place = document.getElementById("throughput");
  section("throughput", "Throughput", stacks(place, "tokens_per_s", rows.map(({report, name, colour}) => ({
    name, range: rangeOf(report, "tokens_per_s"), told: perSecond(report.tokens_per_s),
    parts: [{value: report.tokens_per_s, colour,
      lines: [["tokens per second", perSecond(report.tokens_per_s)],
              ["likely", report.tokens_per_s_low == null ? "–"
                : `${perSecond(report.tokens_per_s_low)} to ${perSecond(report.tokens_per_s_high)}`]]}]}))),
    element("p", {class: "note"}, "Lines with ends are likely ranges, eight cases of ten."));
}

// Rounds have unlike numbers of steps: of each its share of an inner step is shown.
function perStep(report, seconds) {
  return ofRound(report) && report.inner_steps > 0 ? seconds / report.inner_steps : seconds;
}

function showParts(rows) {
  const place = document.getElementById("parts");
  const time = "step_time_s";
  section("parts", ofRound(rows[0].report) ? "Where the time of a round goes, per inner step"
    : "Where the time of a step goes",
    stepKeys(rows.map(({report}) => report)),
    stacks(place, time, rows.map(({report, name}) => ({name, parts: stepParts(report, perStep(report, 1)),
      range: rangeOf(report, time), told: figureText(time, report[time])}))),
    rows.at(-1).report.bound ? element("p", {class: "note"}, rows.at(-1).report.bound) : "");
}

function showMemory(rows, hardware) {
  const place = document.getElementById("memory");
  const memory = Math.min(...hardware.places.map((one) => one.memory_bytes));
  const known = rows.filter(({report}) => report.memory_by_part_bytes);
  if (!known.length) return section("memory", "");
  const figure = "memory_per_gpu_bytes";
  const stacked = known.map(({report, name}) => ({name,
    parts: Object.entries(report.memory_by_part_bytes).map(([part, value]) => ({value,
      label: part.replaceAll("_", " "), colour: colourOf(raw.looks.memory[part]),
      lines: [["takes", figureText(figure, value)],
              ["share", `${(100 * value / report.memory_per_gpu_bytes).toFixed(1)} %`]]})),
    told: figureText(figure, report[figure])}));
  return section("memory", "Memory of a GPU",
    element("div", {class: "legend"}, ...Object.entries(raw.looks.memory)
      .filter(([part]) => known.some(({report}) => report.memory_by_part_bytes[part] > 0))
      .map(([part, colour]) => boxKey(part.replaceAll("_", " "), colourOf(colour)))),
    stacks(place, figure, stacked, memory),
    element("p", {class: "note"}, `The line is the GPU's capacity, ${figureText(figure, memory)}. Sizes are ` +
      "sums of tensors and have no likely range." +
      (known.some(({report}) => report.fits_memory === false) ? " What is beyond does not fit." : "")));
}

// Schemes side by side: rows fill as their answers come.
function showBeside(results) {
  const best = Math.max(...results.map(({report}) =>
    (report && report.fits_memory !== false ? report.tokens_per_s : 0)));
  const cells = (one) => {
    if (one.problem) return [element("td", {colspan: 4, class: "soft"}, one.problem)];
    if (!one.report) return [element("td", {colspan: 4, class: "soft"}, "…")];
    const {report} = one;
    const range = report.speedup_low == null ? ""
      : ` (${digits(report.speedup_low)} to ${digits(report.speedup_high)})`;
    return [element("td", {class: "right"}, report.speedup == null ? "–"
              : `${digits(report.speedup)}×`, element("small", {class: "soft"}, range)),
            element("td", {}, report.verdict || "–"),
            element("td", {class: "right"}, perSecond(report.tokens_per_s)),
            element("td", {class: "right"}, report.fits_memory === false ? "does not fit"
              : figureText("memory_per_gpu_bytes", report.memory_per_gpu_bytes))];
  };
  section("beside", "Other schemes", element("div", {class: "scroll"}, element("table", {},
    element("thead", {}, element("tr", {}, ...["scheme", "speed-up (likely)", "verdict",
      "tokens per second", "memory per GPU"].map((one) => element("th", {scope: "col"}, one)))),
    element("tbody", {}, ...results.map((one) =>
      element("tr", {class: one.report?.tokens_per_s === best ? "best" : ""},
        element("th", {scope: "row"}, button(one.scheme, one.choose, {class: "opener"})),
        ...cells(one)))))));
}
