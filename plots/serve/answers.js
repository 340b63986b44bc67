// SPDX-License-Identifier: Apache-2.0
// The sections: what each shows of the reports of run.

const MEMORY_COLOURS = {
  weights: "var(--s0)", gradients: "var(--s1)", optimizer: "var(--s3)",
  expert_weights: "var(--s5)", expert_gradients: "var(--s4)", expert_optimizer: "var(--s6)",
  attention_activations: "var(--s2)", feed_forward_activations: "var(--s4)", head: "var(--s5)",
  recomputed: "var(--soft)", gathered: "var(--accent)", buckets: "var(--other)",
  codec: "var(--s6)", outer_state: "var(--warn)", workspace: "var(--idle)"};

const ofRound = (report) => report.round_time_s != null;
const timeName = (report) => (ofRound(report) ? "round_time_s" : "step_time_s");
const rangeText = (name, low, high) => (low == null ? ""
  : `${figureText(name, low)} to ${figureText(name, high)}`);
const perSecond = (value) => (value == null ? "–" : Math.round(value).toLocaleString("en").replaceAll(",", "\u202f"));

function section(id, title, ...nodes) {
  const place = document.getElementById(id);
  place.replaceChildren(...(nodes.length ? [element("h2", {}, title), ...nodes] : []));
}

// Colours by what a report is: the scheme, what it is compared with, and what is pinned.
function named(reports, pinned) {
  const rows = reports.map((report, place) => ({report, name: report.scheme,
    colour: place === reports.length - 1 ? "var(--s0)" : "var(--other)"}));
  for (const report of pinned || []) {
    rows.push({report, name: `${report.scheme}, pinned`, colour: "var(--s4)"});
  }
  return rows;
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
  section("throughput", "Throughput", bars(place, "tokens_per_s", rows.map(({report, name, colour}) => ({
    name, colour, value: report.tokens_per_s, low: report.tokens_per_s_low,
    high: report.tokens_per_s_high, told: perSecond(report.tokens_per_s),
    lines: [["tokens per second", perSecond(report.tokens_per_s)],
            ["likely", report.tokens_per_s_low == null ? "–"
              : `${perSecond(report.tokens_per_s_low)} to ${perSecond(report.tokens_per_s_high)}`]]}))),
    element("p", {class: "note"}, "Lines with ends are likely ranges, eight cases of ten."));
}

// Rounds have unlike numbers of steps: of each its share of an inner step is shown.
function perStep(report, seconds) {
  return ofRound(report) && report.inner_steps > 0 ? seconds / report.inner_steps : seconds;
}

function showParts(rows) {
  const place = document.getElementById("parts");
  const time = "step_time_s";
  const parts = Object.entries(PART_COLOURS);
  section("parts", ofRound(rows[0].report) ? "Where the time of a round goes, per inner step"
    : "Where the time of a step goes",
    element("div", {class: "legend"}, ...parts.filter(([part]) =>
      rows.some(({report}) => report[part] > 0)).map(([part, colour]) => boxKey(labelOf(part), colour))),
    stacks(place, time, rows.map(({report, name}) => ({name,
      parts: parts.map(([part, colour]) => [labelOf(part), perStep(report, report[part] || 0), colour]),
      told: figureText(time, perStep(report, report[time]))}))),
    rows.at(-1).report.bound ? element("p", {class: "note"}, rows.at(-1).report.bound) : "");
}

function showMemory(rows, hardware) {
  const place = document.getElementById("memory");
  const memory = Math.min(...hardware.places.map((one) => one.memory_bytes));
  const known = rows.filter(({report}) => report.memory_by_part_bytes);
  if (!known.length) return section("memory", "");
  const stacked = known.map(({report, name}) => ({name,
    parts: Object.entries(report.memory_by_part_bytes).filter(([, value]) => value > 0)
      .map(([part, value]) => [part.replaceAll("_", " "), value, MEMORY_COLOURS[part]]),
    told: figureText("memory_per_gpu_bytes", report.memory_per_gpu_bytes)}));
  return section("memory", "Memory of a GPU",
    element("div", {class: "legend"}, ...Object.entries(MEMORY_COLOURS)
      .filter(([part]) => known.some(({report}) => report.memory_by_part_bytes[part] > 0))
      .map(([part, colour]) => boxKey(part.replaceAll("_", " "), colour))),
    stacks(place, "memory_per_gpu_bytes", stacked, memory),
    element("p", {class: "note"}, `The line is the GPU's capacity, ${figureText("memory_per_gpu_bytes", memory)}.` +
      (known.some(({report}) => report.fits_memory === false) ? " What is beyond does not fit." : "")));
}

// Schemes side by side: rows fill as their answers come.
function showBeside(results) {
  const best = Math.max(...results.map((one) => one.report?.tokens_per_s || 0));
  const cells = (one) => {
    if (one.problem) return [element("td", {colspan: 4, class: "soft"}, one.problem)];
    if (!one.report) return [element("td", {colspan: 4, class: "soft"}, "…")];
    const {report} = one;
    const range = report.speedup_low == null ? ""
      : ` (${digits(report.speedup_low)} to ${digits(report.speedup_high)})`;
    return [element("td", {class: "right"}, report.speedup == null ? "–"
              : `${digits(report.speedup)}×${range}`),
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
