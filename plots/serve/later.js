// SPDX-License-Identifier: Apache-2.0
// What comes after a moment's rest: ranges, where compression pays, other schemes, and the timeline.

// A curve begins with its break-even and two points; others fill it when all schemes have answered.
const CURVE_BEGINS = 3;
const CURVE_NICS = [100, 400, 12.5, 25, 50, 200, 800, 1600];
const CURVE_LINES = [10, 100, 1, 2, 5, 20, 50, 200, 400];

function laterParts() {
  const parts = [[questionOf("run", state.inputs, {range: "on"}), (reply) => {
    page.reports = reply.reports;
    showAnswer(reply);
    draw();
  }, () => {}]];
  if (state.pinned) {
    parts.push([questionOf("run", state.pinned, {range: "on"}), (reply) => {
      page.pinned = reply.reports.slice(-1);
      draw();
    }, () => {}]);
  }
  section("curve", "");
  const curve = curveParts();
  parts.push(...curve.splice(0, CURVE_BEGINS), ...besideParts());
  parts.push([questionOf("timeline", state.inputs), showTimeline, () => section("timelines", "")]);
  parts.push(...curve);
  return parts;
}

// The speed-up over the rate of the NICs or, between sites, of the lines.
function curveParts() {
  const report = page.reports.at(-1), sites = ofSites(page.hardware);
  const isAlone = !sites && place(page.hardware).nodes === 1;
  if (!report.baseline || report.baseline === report.scheme || isAlone) return [];
  const row = SLIDERS.find((one) => one.name === (sites ? "line" : "nic"));
  const axis = sites ? "rate between sites (Gb/s)" : "rate of a NIC (Gb/s)";
  const points = [], marks = [];
  let told = "";
  const draw = () => {
    points.sort((a, b) => a.x - b.x);
    if (points.length < 2) return;
    section("curve", "Where compression pays", speedupCurve(document.getElementById("curve"), points,
      row.now(state.inputs, page.hardware), marks, styleOfScheme(report.scheme), axis),
    element("p", {class: "note", id: "told"}, `${told} The band is the likely range; above 1 ` +
      `${report.scheme} is faster than ${report.baseline}.`));
  };
  const add = (x) => (reply) => {
    const {speedup, speedup_low: low, speedup_high: high} = reply.reports.at(-1);
    if (speedup == null) return;
    points.push({x, y: speedup, low, high});
    draw();
  };
  const parts = (sites ? CURVE_LINES : CURVE_NICS).map((x) => [questionOf("run",
    {...state.inputs, ...row.set(x, page.hardware)}, {range: "off"}), add(x), () => {}]);
  if (sites) return parts;
  return [[questionOf("run", {...state.inputs, "break-even": true}, {range: "off"}), (reply) => {
    const {pays_at_nic_Bps: pays, loses_at_nic_Bps: loses} = reply.reports.at(-1);
    if (pays != null && loses != null) marks.push([pays / GBPS, "pays below", "pays"]);
    told = `${reply.break_even.trim().replace(/ !$/, ", but does not fit in memory")}.`;
    draw();
  }, () => {}], ...parts];
}

// All schemes of the kind, the one that is chosen first.
function besideParts() {
  const rows = ofSites(page.hardware) ? page.names.schemes_between_sites : page.names.schemes;
  const names = [...new Set([state.inputs.scheme, ...rows.map((one) => one.name)])].filter(Boolean);
  const results = names.map((scheme) => ({scheme, choose: () => state.set({scheme})}));
  const own = results.find((one) => one.scheme === page.reports.at(-1).scheme);
  if (own) own.report = page.reports.at(-1);
  showBeside(results);
  return results.filter((one) => one !== own).map((one) => [questionOf("run", {...state.inputs, scheme: one.scheme},
    {range: "off"}), (reply) => {
    one.report = reply.reports.at(-1);
    showBeside(results);
  }, (error) => {
    one.problem = error.message;
    showBeside(results);
  }]);
}

function showTimeline(reply) {
  const report = page.reports.at(-1);
  section("timelines", `Timeline of a ${ofRound(report) ? "round" : "step"}`, element("div"));
  return new Timelines(document.getElementById("timelines").lastChild, [{...reply.timeline,
    key: "now", title: report.scheme, scheme: report.scheme, ofSites: ofRound(report),
    command: document.querySelector("#answer code")?.textContent ?? "",
    gpus: report.gpus, step_s: report[timeName(report)]}]);
}
