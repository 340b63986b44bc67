// SPDX-License-Identifier: Apache-2.0
// The page: what is chosen is asked for at once, and what takes longer after a moment's rest.

const page = {names: null, hardware: null, topology: null, reports: [], pinned: null};
const NO_HARDWARE = {places: [], links: []};
const state = new State(renew);
const later = new Later();
const newest = new Newest(answered, failed);
let controls = null;

async function renew() {
  later.cancel();
  if (state.inputs.topology !== page.topology) {
    shows("busy");
    if (!await knowHardware(state.inputs.topology)) return;
  }
  newest.ask([state.inputs, state.pinned].filter(Boolean).map((one) =>
    questionOf("run", one, {range: "off"})));
  // While the answer is under way.
  shows("busy");
  controls.draw(page.hardware);
  say(document.getElementById("pin"), state.pinned ? "Unpin" : "Pin");
}

// Whether it is known, and still asked for.
async function knowHardware(topology) {
  newest.drop();  // what is under way is of other hardware
  let hardware = NO_HARDWARE, problem = null;
  try {
    hardware = await ask("now", questionOf("hardware", {topology}));
  } catch (error) {
    problem = error;
  }
  if (topology !== state.inputs.topology) return false;
  page.hardware = hardware;
  page.topology = problem ? null : topology;
  shows("busy");
  if (problem) {
    controls.draw(hardware);  // to choose another one
    failed(problem);
  }
  return !problem;
}

// Most answers come before this, and then no section has to fade.
const BUSY_MS = 300;
let fades = null;

// What the sections show: "now"; "busy": what was chosen before; "before": the same, for good.
function shows(what) {
  document.getElementById("downloads").inert = what !== "now";
  const change = () => {
    const answers = document.getElementById("answers");
    answers.dataset.shows = what;
    answers.setAttribute("aria-busy", String(what === "busy"));
    fades = null;
  };
  if (what === "busy") {
    fades ??= setTimeout(change, BUSY_MS);
    return;
  }
  clearTimeout(fades);
  change();
}

function answered([reply, pinned], isNewest) {
  shows(isNewest ? "now" : "busy");
  showAnswer(reply);
  page.reports = reply.reports;
  page.pinned = pinned ? pinned.reports.slice(-1) : null;
  controls.tellDefaults(page.reports.at(-1));
  draw();
  if (isNewest) later.ask(laterParts);
}

function failed(error) {
  shows("before");
  showProblem(error);
}

function draw() {
  const rows = named(page.reports, page.pinned);
  showFacts(page.reports.at(-1));
  showThroughput(rows);
  showParts(rows);
  showChanges(named(page.reports));
  showMemory(rows, page.hardware);
  showSources(page.reports.at(-1));
  document.body.dataset.answered = String(Number(document.body.dataset.answered || 0) + 1);
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
  document.getElementById("copy").replaceWith(copyButton("Copy link", () => location.href,
                                                         {id: "copy", class: "quiet"}));
  try {
    page.names = await ask("now", questionOf("choices", {}));
  } catch (error) {
    showProblem(error);
    return;
  }
  files.addTo(page.names);
  controls = new Controls(document.getElementById("inputs"), state, page.names);
  state.read();
}

whenWidthChanges(() => { if (page.reports.length) draw(); });
start();
