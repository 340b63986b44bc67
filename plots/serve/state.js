// SPDX-License-Identifier: Apache-2.0
// What is chosen: flags of run and keys of input files, by name, as they stand in the page's address. A
// pinned choice stands beside, its keys behind "pin~".

const PIN = "pin~";
const FIRST = raw.first;

// Examples of the documentation.
const PRESETS = [
  ["SDP4Bit's table: GPT 2.7B on 64 A100", {topology: "sdp4bit_a100", model: "gpt_2.7b",
    scheme: "sdp4bit", baseline: "twin"}],
  ["Llama 2 7B on 1024 H100", FIRST],
  ["Llama 3 70B on 1024 H100, TP 8, PP 4", {topology: "dgx_h100_x128", model: "llama_3_70b",
    scheme: "sdp4bit", baseline: "twin", tp: "8", pp: "4", accumulation: "16",
    "sequence-parallel": "on", attention: "fused", overlap: "all"}],
  ["Qwen3 30B-A3B, experts over 8", {topology: "dgx_h100_x16", model: "qwen3_30b_a3b",
    scheme: "sdp4bit", baseline: "twin", ep: "8", accumulation: "4", attention: "fused",
    "gradient-precision": "bf16"}],
  ["Two sites at 10 Gb/s, SparseLoCo", {topology: "two_sites_10g", model: "llama_2_7b", tp: "8",
    scheme: "sparseloco", baseline: "diloco"}],
];

// Changes that follow each other faster are one step of the browser's history, as a drag is.
const ONE_STEP_MS = 1000;

class State {
  constructor(changed) {
    this.changed = changed;
    this.inputs = {};
    this.pinned = null;
    this.last = -Infinity;
    addEventListener("hashchange", () => { if (location.hash !== this.written) this.read(); });
  }

  // From the page's address. Lines and keys that are none are left out.
  read() {
    this.written = location.hash;
    const inputs = {}, pinned = {};
    for (const [key, value] of new URLSearchParams(location.hash.slice(1))) {
      const own = key.startsWith(PIN) ? key.slice(PIN.length) : key;
      (own === key ? inputs : pinned)[own] = value;
    }
    const {topology, model} = FIRST;  // of a link that has lost a part
    this.inputs = Object.keys(inputs).length ? {topology, model, ...inputs} : {...FIRST};
    this.pinned = pinned.topology && pinned.model ? pinned : null;
    this.changed();
  }

  // Sets keys, or takes them out where the value is null or empty.
  set(values) {
    for (const [key, value] of Object.entries(values)) {
      if (value == null || value === "") delete this.inputs[key];
      else this.inputs[key] = String(value);
    }
    this.changed();
    this.write();  // once the question is under way: browsers take milliseconds to change an address
  }

  replace(inputs) {
    this.inputs = {...inputs};
    this.write();
    this.changed();
  }

  pin() {
    this.pinned = this.pinned ? null : {...this.inputs};
    this.write();
    this.changed();
  }

  write() {
    const all = new URLSearchParams(this.inputs);
    for (const [key, value] of Object.entries(this.pinned || {})) all.set(PIN + key, value);
    const now = performance.now();
    const change = now - this.last > ONE_STEP_MS ? "pushState" : "replaceState";
    this.last = now;
    try {
      history[change](null, "", `#${all}`);
    } catch { /* some browsers take only so many a minute; the next one tells all */ }
    this.written = location.hash;
  }
}

// As the server takes them: numbers are numbers, "on" of a switch is true.
const SWITCHES = new Set(["tune", "whole", "step-by-step", "each-kernel", "break-even", "require-fit"]);

function asInputs(inputs) {
  return Object.fromEntries(Object.entries(inputs).map(([key, value]) =>
    [key, SWITCHES.has(key) ? [true, "on", "true"].includes(value) : value]));
}

// "--tp 8 --zero 2", as the program prints flags, as keys and values.
function flagsIn(text) {
  return Object.fromEntries([...text.matchAll(/--([a-z-]+)[ =]("[^"]*"|\S+)/g)].map(([, key, value]) =>
    [key, value.replace(/^"|"$/g, "")]));
}

function shellText(value) {
  return /^[\w./:,=+@-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

// The command line of a choice, for when the program does not say it.
function commandOf(inputs) {
  return ["gardenhose run", ...Object.entries(asInputs(inputs)).filter(([, value]) => value !== false)
    .map(([key, value]) => {
      if (key.includes(".")) return `--set ${shellText(`${key}="${value}"`)}`;
      return shellText(value === true ? `--${key}` : `--${key}=${value}`);
    })].join(" ");
}
