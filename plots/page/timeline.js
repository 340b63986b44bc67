// SPDX-License-Identifier: Apache-2.0
// What the streams of a rank do, for one timeline or for several of them one above the other. Of each:
// key, title, scheme and command, whether it is ofSites, and what apps/report_page/timelines.hpp says.

// In the order of the legend.
const KINDS = [
  ["forward", "var(--s0)", ["forward"]],
  ["backward, recomputed", "var(--s5)", ["backward", "recompute"]],
  ["optimizer", "var(--s3)", ["optimizer"]],
  ["passes over buffers", "var(--other)", ["memory_pass"]],
  ["codec", "var(--s2)", ["encode", "decode"]], ["weight communication", "var(--s1)", ["weight_comm"]],
  ["gradient communication", "var(--s4)", ["gradient_comm"]],
  ["between sites", "var(--s1)", ["outer_comm"]],
  ["activation communication", "var(--s6)", ["tensor_comm", "pipeline_comm", "expert_comm", "context_comm"]],
  ["other communication", "var(--soft)", []],
];

function kindOf(phase) {
  return KINDS.find(([, , phases]) => phases.includes(phase)) || KINDS.at(-1);
}

// Of sites a whole inner step is one operation.
function nameOfKind([name], list) {
  return name === "forward" && list.some((one) => one.ofSites) ? "inner steps" : name;
}

const TRACK = 20, HEAD = 26, FOOT = 30, STREAMS = 150;

class Timelines {
  constructor(section, list) {
    this.list = list;
    this.only = "all";
    this.picture = drawn("svg", {class: "chart tracks", tabindex: 0, role: "img",
                                 "aria-label": "Timeline"});
    this.notes = element("div");
    this.renewAxis();
    this.area = () => ({left: STREAMS, top: 0, right: WIDTH - 10, bottom: this.bottom});
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
    this.boxes = new Map();
    let y = 0;
    const blocks = shown.map((one) => {
      const block = this.block(one, y);
      y += HEAD + one.tracks.length * TRACK + 8;
      return block;
    });
    this.bottom = y;
    filled(this.picture, {viewBox: `0 0 ${WIDTH} ${y + FOOT}`}, []);
    this.picture.replaceChildren(this.frame(y), ...blocks);
    this.notes.replaceChildren(...this.told(shown));
  }

  frame(bottom) {
    const {left, right} = this.area();
    const [factor, unit] = scaleOf("s", this.axis.ends[1] / 1e6);
    const ticks = this.axis.ticks(8).map((tick) => {
      const x = this.axis.place(tick, left, right);
      return drawn("g", {}, drawn("line", {x1: x, x2: x, y1: HEAD - 6, y2: bottom}),
        drawn("text", {x, y: bottom + 18, "text-anchor": x > right - 20 ? "end" : "middle"},
              `${tickText(tick / 1e6 / factor)} ${unit}`));
    });
    return drawn("g", {class: "frame"}, ...ticks);
  }

  block(one, top) {
    const {left, right} = this.area();
    const group = drawn("g");
    group.append(drawn("text", {x: 0, y: top + 16, class: "heading"},
      `${one.title}: ${figureText("step_time_s", one.step_s)}`));
    one.tracks.forEach(([process, stream], track) => {
      const y = top + HEAD + track * TRACK;
      const processes = new Set(one.tracks.map(([name]) => name)).size;
      const name = (processes > 1 ? `${process}: ` : "") + stream.replaceAll("_", " ");
      group.append(drawn("text", {x: left - 8, y: y + 13, "text-anchor": "end"}, name),
                   drawn("line", {x1: left, x2: right, y1: y + TRACK - 2, y2: y + TRACK - 2,
                                  class: "rule"}));
    });
    for (const event of one.events) {
      const box = this.box(one, event, top);
      if (box) group.append(box);
    }
    return group;
  }

  box(one, event, top) {
    const [track, name, phase, start, duration] = event;
    const {left, right} = this.area();
    const from = Math.max(left, this.axis.place(start, left, right));
    const to = Math.min(right, this.axis.place(start + duration, left, right));
    if (to <= left || from >= right) return null;
    const box = drawn("rect", {x: from, y: top + HEAD + track * TRACK, height: TRACK - 4,
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
