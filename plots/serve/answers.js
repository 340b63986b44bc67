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

// Whether the text is another one: only that makes a browser lay it out anew.
function say(node, text) {
  if (node.textContent === text) return false;
  node.textContent = text;
  return true;
}

// Each report with its scheme's name and colour.
function named(reports, pinned) {
  const row = (report, more) => ({report, name: report.scheme + more,
                                  colour: styleOfScheme(report.scheme).colour});
  return [...reports.map((report) => row(report, "")),
          ...(pinned || []).map((report) => row(report, ", pinned"))];
}

// A button that copies, and says so.
function copyButton(label, textOf, attributes = {}) {
  const one = button(label, async () => {
    await navigator.clipboard.writeText(textOf());
    one.textContent = "Copied";
    setTimeout(() => { one.textContent = label; }, 1500);
  }, {"aria-live": "polite", ...attributes});
  return one;
}

// Flags that the program names, to take them.
function suggestion(label, text, without = {}) {
  const flags = flagsIn(text);
  if (!Object.keys(flags).length) return null;
  return button(`${label} ${text.trim()}`, () => state.set({...flags, ...without}), {class: "opener"});
}

function showAnswer(reply) {
  const report = [reply.reports].flat().at(-1);
  const fits = [...(reply.notes || "").matchAll(/(?:fits with|or) ((?:--[a-z-]+ [^\s();,]+ ?)+)/g)];
  document.getElementById("sentence").replaceChildren(element("p", {class: "sentence"}, reply.sentence));
  document.getElementById("answer").replaceChildren(...[
    element("div", {class: "command"}, element("code", {}, reply.command),
      copyButton("Copy", () => reply.command)),
    element("p", {class: "note layout"}, layoutText(report)),
    report.flags ? suggestion("Use the tuned flags:", report.flags, {tune: null}) : null,
    reply.notes ? element("p", {class: "warning"}, reply.notes.trim()) : null,
    ...fits.slice(0, 3).map(([, text]) => suggestion("Use", text))].filter(Boolean));
}

const grouped = (value) => value.toLocaleString("en").replaceAll(",", "\u202f");

// "1024 GPUs = 128 data × 8 tensor; 1024 sequences of 4096 tokens a step"; of sites what splits each.
function layoutText(report) {
  const ways = [["data_parallel", "data"], ["tensor_parallel", "tensor"], ["pipeline_parallel", "pipeline"],
                ["context_parallel", "context"]].filter(([key]) => report[key] > 1);
  const split = ways.map(([key, name]) => `${report[key]} ${name}`).join(" × ");
  const gpus = `${grouped(report.gpus ?? 0)} GPUs`;
  if (ofRound(report)) return `${gpus} in ${report.sites} sites${split ? `; in each ${split}` : ""}`;
  return `${gpus}${split ? ` = ${split}` : ""}; ${grouped(report.global_batch)} sequences of ` +
    `${grouped(report.sequence)} tokens a step`;
}

function showProblem(error) {
  const isGone = !(error instanceof Refused);
  document.getElementById("answer").replaceChildren(
    element("p", {class: "warning", role: "alert"}, isGone
      ? "The server does not answer: start gardenhose serve again, and reload this page."
      : error.message),
    state.pinned ? element("p", {class: "note"}, "If that is not about this choice, it is about the pinned one: " +
                           "Unpin takes it away.") : "",
    element("div", {class: "command"}, element("code", {}, commandOf(state.inputs))),
    page.reports.length ? element("p", {class: "note"}, "Below is what was chosen before.") : "");
}

function showFacts(report) {
  const rows = [];
  const add = (name, low, high, text = (value) => figureText(name, value)) => {
    if (report[name] == null) return;
    rows.push([labelOf(name), text(report[name]),
      report[low] == null ? "" : `likely ${text(report[low])} to ${text(report[high])}`]);
  };
  add("tokens_per_s", "tokens_per_s_low", "tokens_per_s_high", perSecond);
  add("speedup", "speedup_low", "speedup_high");
  add(timeName(report));
  add("mfu");
  add("memory_per_gpu_bytes");
  add("usd_per_million_tokens", "usd_per_million_tokens_low", "usd_per_million_tokens_high");
  add("goodput", "goodput_low", "goodput_high");
  add("training_days", "training_days_low", "training_days_high");
  add("training_usd", "training_usd_low", "training_usd_high");
  add("energy_j");
  add("wire_bytes_inter_node");
  if (ofRound(report)) add("wire_bytes_wan");
  const errors = Object.entries(report.codec_error || {})
    .filter(([, error]) => error != null).map(([what, error]) =>
    `${what.replaceAll("_", " ")} ${digits(error)}`);
  if (errors.length) rows.push(["relative error of what is sent", "", errors.join("; ")]);
  section("facts", "Figures", element("dl", {class: "cells"}, ...rows.map(([label, value, range]) =>
    element("div", {}, element("dt", {}, label), element("dd", {}, value),
            range ? element("small", {}, range) : null))),
    report.scheme !== report.baseline && (errors.length || ofRound(report))
      ? element("p", {class: "note"}, "Compression and rare exchanges change what is learnt from a token. " +
                "None of this says by how much.") : "");
}

// What the exposed communication carries.
function exposedText(report) {
  const parts = Object.entries(report.exposed_comm_by_phase_s || {}).filter(([, s]) => s > 0)
    .sort((a, b) => b[1] - a[1]);
  if (!parts.length) return "";
  return "Exposed of it: " + parts.map(([phase, s]) =>
    `${phase.replace("_comm", "").replace("outer", "between sites")} ${figureText("step_time_s", perStep(report, s))}`)
    .join(", ") + ".";
}

let sourcesShown = null;

// Seldom other ones than before.
function showSources(report) {
  const all = JSON.stringify(report.sources || {});
  if (all === sourcesShown) return;
  sourcesShown = all;
  const rows = Object.entries(report.sources || {});
  section("sources", "Where the constants come from", element("details", {},
    element("summary", {}, `${rows.length} sources`), element("div", {class: "scroll"}, element("table", {},
      element("tbody", {}, ...rows.map(([name, text]) => element("tr", {},
        element("th", {scope: "row"}, name), element("td", {}, text))))))));
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

// From the first scheme to the one that is chosen.
function showChanges(rows) {
  const place = document.getElementById("parts"), time = "step_time_s";
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === last) return;
  const parts = (row) => stepParts(row.report, perStep(row.report, 1));
  const whole = (row) => {
    const value = perStep(row.report, row.report[timeName(row.report)]);
    return {name: row.name, parts: [{value, colour: row.colour}], told: figureText(time, value),
            range: rangeOf(row.report, time)};
  };
  place.append(element("h3", {}, `From ${first.name} to ${last.name}`),
    stacks(place, time, [whole(first), ...changeRows(parts(first), parts(last)), whole(last)]),
    element("p", {class: "note"}, "Lines with ends are likely ranges. Changes of single parts have none."));
}

function showParts(rows) {
  const place = document.getElementById("parts");
  const time = "step_time_s";
  section("parts", ofRound(rows[0].report) ? "Where the time of a round goes, per inner step"
    : "Where the time of a step goes",
    stepKeys(rows.map(({report}) => report)),
    stacks(place, time, rows.map(({report, name}) => ({name, parts: stepParts(report, perStep(report, 1)),
      range: rangeOf(report, time), told: figureText(time, perStep(report, report[timeName(report)]))}))),
    element("p", {class: "note"}, [exposedText(rows.at(-1).report), rows.at(-1).report.bound]
      .filter(Boolean).join(" ")));
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
