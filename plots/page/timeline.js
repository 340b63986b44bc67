// SPDX-License-Identifier: Apache-2.0
// What the streams of a rank do, for one timeline or for several of them one above the other. Of each:
// key, title, scheme and command, whether it is ofSites, and what apps/report_page/timelines.hpp says.

// In the order of the legend.
const KINDS = [
  ["forward", "var(--blue)", ["forward"]],
  ["backward, recomputed", "var(--blue-deep)", ["backward", "recompute"]],
  ["optimizer", "var(--green)", ["optimizer"]],
  ["passes over buffers", "var(--grey)", ["memory_pass"]],
  ["codec", "var(--ochre)", ["encode", "decode"]], ["weight communication", "var(--vermilion)", ["weight_comm"]],
  ["gradient communication", "var(--pink)", ["gradient_comm"]],
  ["between sites", "var(--vermilion-deep)", ["outer_comm"]],
  ["activation communication", "var(--violet)", ["tensor_comm", "pipeline_comm", "expert_comm", "context_comm"]],
  ["other communication", "var(--violet-deep)", []],
];

function kindOf(phase) {
  return KINDS.find(([, , phases]) => phases.includes(phase)) || KINDS.at(-1);
}

// Of sites a whole inner step is one operation.
function nameOfKind([name], list) {
  return name === "forward" && list.some((one) => one.ofSites) ? "inner steps" : name;
}

const TRACK = 20, HEAD = 26, PROCESS = 24, BELOW = 30, STREAMS = 150;
const NARROW = 560;  // below it, streams have their names above and not beside them

class Timelines {
  constructor(section, list) {
    this.list = list;
    this.section = section;
    this.only = "all";
    this.picture = drawn("svg", {class: "chart tracks", tabindex: 0, role: "img"});
    this.notes = element("div");
    this.renewAxis();
    this.area = () => ({left: this.narrow ? 0 : STREAMS, top: 0, right: this.width - 10, bottom: this.bottom});
    const buttons = zoomable(this.picture, () => ({x: this.axis}), this.area, () => this.draw());
    section.append(element("div", {class: "controls"}, this.chooser()),
                   element("div", {class: "bar"}, this.keys(), buttons),
                   element("div", {class: "drawing"}, this.picture), this.notes,
                   element("p", {class: "hint"}, "Drag to zoom, double-click to reset. " +
                           "With the timeline focused: + − 0 zoom, h l pan."));
    this.picture.addEventListener("pointermove", (event) => this.hover(event));
    this.picture.addEventListener("pointerleave", hideTip);
    this.draw();
  }

  endOf(one) {
    return one.events.reduce((end, event) => Math.max(end, event[3] + event[4]), 0);
  }

  chooser() {
    const options = this.list.map((one) => [one.key, one.title]);
    if (options.length > 1) options.unshift(["all", "all, on one scale"]);
    return select("timeline", options, options[0][0], (value) => {
      this.only = value;
      this.renewAxis();
      this.draw();
    });
  }

  keys() {
    const used = new Set(this.list.flatMap((one) => one.phases.map(kindOf)));
    const shown = KINDS.filter((kind) => used.has(kind));
    return element("div", {class: "legend"},
      ...shown.map((kind) => boxKey(nameOfKind(kind, this.list), kind[1])));
  }

  // From the beginning to the end of all that is shown.
  renewAxis() {
    this.axis = new Axis(0, Math.max(...this.shown().map((one) => this.endOf(one))), false);
  }

  shown() {
    return this.list.filter((one) => this.only === "all" || this.only === one.key);
  }

  draw() {
    const shown = this.shown();
    this.width = widthOf(this.section);
    this.narrow = this.width < NARROW;
    this.track = this.narrow ? TRACK + 16 : TRACK;
    this.tops = new Map();
    this.boxes = new Map();
    let y = 0;
    const blocks = shown.map((one) => {
      this.tops.set(one, this.topsOf(one, y + HEAD));
      const block = this.block(one, y);
      y = this.tops.get(one).at(-1) + this.track + 8;
      return block;
    });
    this.bottom = y;
    const told = shown.map((one) =>
      `${one.title} ${figureText("step_time_s", one.step_s)}. ${overlapText(one)}`);
    filled(this.picture, {viewBox: `0 0 ${this.width} ${y + BELOW + 16}`,
                          "aria-label": `Timeline: ${told.join(" ")}`}, []);
    this.picture.replaceChildren(this.frame(y), ...blocks);
    this.notes.replaceChildren(...this.told(shown));
  }

  frame(bottom) {
    const {left, right} = this.area();
    const [factor, unit] = scaleOf("s", this.axis.ends[1] / 1e6);
    const ticks = this.axis.ticks(this.narrow ? 4 : 8).map((tick) => {
      const x = this.axis.place(tick, left, right);
      return drawn("g", {}, drawn("line", {x1: x, x2: x, y1: HEAD - 6, y2: bottom}),
        drawn("text", {x, y: bottom + 18, "text-anchor": anchorAt(x, left, right)},
              tickText(Number((tick / 1e6 / factor).toPrecision(6)))));
    });
    return drawn("g", {class: "frame"}, ...ticks, drawn("text", {x: (left + right) / 2, y: bottom + 38,
      class: "name", "text-anchor": "middle"}, `time (${unit})`));
  }

  // Where each track begins. Several processes have a line with their name above their tracks.
  topsOf(one, top) {
    return one.tracks.map((_, track) => {
      if (this.isFirst(one, track)) top += PROCESS;
      top += this.track;
      return top - this.track;
    });
  }

  isFirst(one, track) {
    const processes = one.tracks.map(([process]) => process);
    return new Set(processes).size > 1 && processes[track] !== processes[track - 1];
  }

  block(one, top) {
    const {left, right} = this.area();
    const group = drawn("g");
    group.append(drawn("text", {x: 0, y: top + 16, class: "heading"},
      `${one.title}: ${figureText("step_time_s", one.step_s)}`));
    one.tracks.forEach(([process, stream], track) => {
      const y = this.tops.get(one)[track], name = stream.replaceAll("_", " ");
      if (this.isFirst(one, track)) {
        group.append(drawn("text", {x: 0, y: y - 7, class: "process"}, process));
      }
      const beside = this.narrow ? {x: 0, y: y + 12} : {x: left - 8, y: y + 13, "text-anchor": "end"};
      const rule = y + this.track - 2;
      group.append(drawn("text", beside, name),
                   drawn("line", {x1: left, x2: right, y1: rule, y2: rule, class: "rule"}));
    });
    for (const event of one.events) {
      const box = this.box(one, event);
      if (box) group.append(box);
    }
    return group;
  }

  box(one, event) {
    const [track, name, phase, start, duration] = event;
    const {left, right} = this.area();
    const from = Math.max(left, this.axis.place(start, left, right));
    const to = Math.min(right, this.axis.place(start + duration, left, right));
    if (to <= left || from >= right) return null;
    const y = this.tops.get(one)[track] + this.track - TRACK;
    const box = drawn("rect", {x: from, y, height: TRACK - 4,
                               width: Math.max(0.5, to - from)});
    const kind = kindOf(one.phases[phase]);
    box.style.fill = kind[1];
    this.boxes.set(box, {one, name: one.names[name], kind: nameOfKind(kind, [one]), start, duration,
                         stream: one.tracks[track]});
    return box;
  }

  hover(event) {
    const hit = this.boxes.get(event.target);
    if (!hit) return hideTip();
    const time = (us) => figureText("step_time_s", us / 1e6);
    return showTip(hit.name, [["phase", hit.kind], ["takes", time(hit.duration)],
      ["starts at", time(hit.start)], ["stream", hit.stream[1].replaceAll("_", " ")],
      ["on", hit.stream[0]], ["scheme", hit.one.scheme]],
      event.clientX, event.clientY);
  }

  // What is not shown, said.
  told(shown) {
    const command = `${shown.at(-1).command} --perfetto timeline.json`;
    return [
      element("p", {class: "note"}, shown.map((one) => this.extent(one)).join(" ")),
      ...shown.map((one) => [one, overlapText(one)]).filter(([, text]) => text).map(([one, text]) =>
        element("p", {class: "note overlap"}, `${one.title}: ${text}`)),
      ...shown.filter((one) => one.warning).map((one) =>
        element("p", {class: "warning"}, one.warning)),
      element("p", {class: "note"}, "To write the last timeline with all ranks, for ui.perfetto.dev: ",
              element("code", {}, command)),
    ];
  }

  extent(one) {
    const processes = [...new Set(one.tracks.map(([name]) => name))];
    const who = processes.length === 1 ? `${processes[0]} of ${one.gpus}` : processes.join(", ");
    const rounds = this.endOf(one) > 1.01e6 * one.step_s ? "several rounds, " : "";
    const count = rounds + one.operations.toLocaleString("en");
    return `${one.title}: ${who}, ` + (one.fused_below_us
      ? `${count} operations; neighbours that take less than ` +
        `${figureText("step_time_s", one.fused_below_us / 1e6)} together are shown as one.`
      : `all of its operations (${count}).`);
  }
}
