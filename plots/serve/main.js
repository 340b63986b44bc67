// SPDX-License-Identifier: Apache-2.0
// The page: what is chosen is asked for at once, and what takes longer after a moment's rest.

const BESIDE_CLUSTER = ["sharded", "fp8_gather", "qwd", "tlq_hs", "sdp4bit", "zeropp", "loco",
                        "int8_all_reduce", "top_k", "power_sgd"];
const BESIDE_SITES = ["wan_sync_bf16", "wan_sync_int4", "diloco", "diloco_int8",
                      "streaming_diloco", "sparseloco", "demo"];
const CURVE = [12.5, 25, 50, 100, 200, 400, 800, 1600];

const page = {names: null, hardware: null, topology: null, reports: [], pinned: null, besides: []};
const state = new State(renew);
const later = new Later();
const newest = new Newest(answered, showProblem);
let controls = null;

async function renew() {
  later.cancel();
  const {topology} = state.inputs;
  if (topology !== page.topology) {
    page.topology = topology;
    try {
      const hardware = await ask("now", questionOf("hardware", {topology}));
      if (state.inputs.topology !== topology) return;
      page.hardware = hardware;
    } catch (error) {
      if (!page.hardware) page.hardware = {places: [], links: []};
      showProblem(error);
      return;
    }
  }
  if (topology !== state.inputs.topology) return;
  controls.draw(page.hardware);
  document.getElementById("pin").textContent = state.pinned ? "Unpin" : "Pin";
  const quick = {range: "off"};
  const questions = [questionOf("run", state.inputs, quick)];
  if (state.pinned) questions.push(questionOf("run", state.pinned, quick));
  newest.ask(questions);
}

function answered([reply, pinned], isNewest) {
  showAnswer(reply);
  page.reports = reply.reports;
  page.pinned = pinned ? pinned.reports.slice(-1) : null;
  draw();
  if (isNewest) askLater();
}

function draw() {
  const rows = named(page.reports, page.pinned);
  showFacts(page.reports.at(-1));
  showThroughput(rows);
  showParts(rows);
  showMemory(rows, page.hardware);
  document.body.dataset.answered = String(Number(document.body.dataset.answered || 0) + 1);
}

// Ranges, the NICs at which compression pays, other schemes, and the timeline.
function askLater() {
  const ofSites = !ofCluster(page.hardware);
  const parts = [[questionOf("run", state.inputs, {range: "on"}), (reply) => {
    page.reports = reply.reports;
    showAnswer(reply);
    draw();
  }, () => {}]];
  section("curve", "");
  if (!ofSites && state.inputs.baseline && place(page.hardware).nodes > 1) parts.push(...curveParts());
  parts.push(...besideParts(ofSites ? BESIDE_SITES : BESIDE_CLUSTER));
  section("timelines", "");
  parts.push([questionOf("timeline", state.inputs), showTimeline, () => {}]);
  later.ask(parts);
}

function curveParts() {
  const points = [], marks = [];
  let told = "The band is the likely range; above 1 the scheme is the faster one.";
  const now = numberIn(state.inputs["network.nic_bandwidth"] ??
    place(page.hardware).nic_bandwidth_Bps / GBPS);
  const draw = () => {
    points.sort((a, b) => a.x - b.x);
    if (points.length < 2) return;
    section("curve", "Where compression pays", speedupCurve(document.getElementById("curve"), points,
      now, marks, styleOfScheme(page.reports.at(-1).scheme)), element("p", {class: "note", id: "told"}, told));
  };
  const add = (x) => (reply) => {
    const report = reply.reports.at(-1);
    if (report.speedup == null) return;
    points.push({x, y: report.speedup, low: report.speedup_low, high: report.speedup_high});
    draw();
  };
  const rest = CURVE.map((x) => [questionOf("run",
    {...state.inputs, "network.nic_bandwidth": gbps(x)}, {range: "off"}), add(x), () => {}]);
  rest.push([questionOf("run", {...state.inputs, "break-even": true}, {range: "off"}), (reply) => {
    const {pays_at_nic_Bps: pays, loses_at_nic_Bps: loses} = reply.reports.at(-1);
    if (pays != null && loses != null) marks.push([pays / GBPS, "pays below", "pays"]);
    if (reply.break_even) told = `${reply.break_even.trim()}. The band is the likely range.`;
    draw();
  }, () => {}]);
  return rest;
}

function besideParts(schemes) {
  const names = [...new Set([state.inputs.scheme, ...schemes])].filter(Boolean);
  const results = names.map((scheme) => ({scheme, choose: () => state.set({scheme})}));
  showBeside(results);
  return results.map((one) => [questionOf("run", {...state.inputs, scheme: one.scheme},
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

function save(name, type, text) {
  const link = element("a", {href: URL.createObjectURL(new Blob([text], {type})), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// With the page's colours, which a file has no styles for.
function svgText(svg) {
  const copy = svg.cloneNode(true);
  const from = [svg, ...svg.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((node, i) => {
    const style = getComputedStyle(node);
    for (const name of ["fill", "fill-opacity", "stroke", "stroke-width", "font-size",
                        "font-family", "text-anchor"]) {
      to[i].style.setProperty(name, style.getPropertyValue(name));
    }
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

function showDownloads() {
  const asked = (as, name, type) => async () => {
    try {
      save(name, type, (await ask("later", questionOf(as, state.inputs))).text);
    } catch (error) {
      showProblem(error);
    }
  };
  section("downloads", "Take it with you", element("div", {class: "buttons"},
    button("JSON", () => save("gardenhose.json", "application/json",
                              JSON.stringify(page.reports, null, 1))),
    button("CSV", asked("csv", "gardenhose.csv", "text/csv")),
    button("Perfetto timeline", asked("perfetto", "gardenhose.perfetto.json", "application/json")),
    button("Pictures (SVG)", () => document.querySelectorAll("#answers svg.chart").forEach((svg) =>
      save(`gardenhose-${svg.closest("section").id}.svg`, "image/svg+xml", svgText(svg))))));
}

function showPresets() {
  const box = document.getElementById("presets");
  box.append(element("option", {value: ""}, "Examples"),
             ...PRESETS.map(([title], place) => element("option", {value: place}, title)));
  box.addEventListener("change", () => {
    if (box.value !== "") state.replace(PRESETS[box.value][1]);
    box.value = "";
  });
}

async function start() {
  showPresets();
  showDownloads();
  document.getElementById("pin").addEventListener("click", () => state.pin());
  document.getElementById("copy").addEventListener("click", () => {
    state.write();
    navigator.clipboard.writeText(location.href);
  });
  try {
    page.names = await ask("now", questionOf("choices", {}));
  } catch (error) {
    showProblem(error);
    return;
  }
  controls = new Controls(document.getElementById("inputs"), state, page.names);
  state.read();
}

let resized = 0;
addEventListener("resize", () => {
  clearTimeout(resized);
  resized = setTimeout(() => { if (page.reports.length) draw(); }, 150);
});
start();
