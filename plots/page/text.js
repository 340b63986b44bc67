// SPDX-License-Identifier: Apache-2.0
// Elements, and figures as people read them. Text from data only ever becomes text.

// What the page was given: units, and what is to be shown.
const raw = JSON.parse(document.getElementById("study").textContent);

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  return filled(node, attributes, children);
}

function drawn(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

// Names as people call them; others are read from the name.
const LABELS = {
  tokens_per_s: "tokens per second", step_time_s: "step time", round_time_s: "round time",
  speedup: "speed-up", mfu: "MFU", tflops_per_gpu: "TFLOPs per GPU",
  compute_utilisation: "compute utilisation", compute_s: "compute",
  exposed_comm_s: "exposed communication", codec_s: "codec kernels",
  host_s: "waiting for the host", bubble_s: "waiting",
  optimizer_s: "optimizer", other_s: "passes over buffers", energy_j: "energy",
  memory_per_gpu_bytes: "memory per GPU", usd_per_million_tokens: "price per 1 M tokens",
  wire_bytes_intra_node: "sent within a node", wire_bytes_inter_node: "sent between nodes",
  wire_bytes_wan: "sent between sites", compression_ratio_fp32: "compression relative to FP32",
  compression_ratio_bf16: "compression relative to BF16", codec_error: "error of the sum (normal values)",
  gradient_exchange_s: "gradient exchange", egress_usd: "egress", link_usd: "leased links",
  pays_at_nic_Bps: "faster up to, per NIC", loses_at_nic_Bps: "slower from, per NIC",
};

function unitOf(name) {
  return Object.hasOwn(raw.units, name) ? raw.units[name] : "";
}

function labelOf(name) {
  if (LABELS[name]) return LABELS[name];
  const bare = name.replace(/(_Bps|_bytes|_usd|_days|_s|_j)$/, "").replace(/^(network|scheme)\./, "");
  return bare.replaceAll("_", " ").replace(/\bnic\b/g, "NIC").replace(/\bgpus?\b/g,
    (word) => word.toUpperCase().replace("S", "s"));
}

const PREFIXES = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"],
                  [1e-6, "µ"], [1e-9, "n"]];

// The factor and the name of the unit in which a figure of that size is read with ease.
function scaleOf(unit, size) {
  if (unit === "%") return [0.01, "%"];
  if (!["s", "B", "B/s", "J", "tokens/s"].includes(unit) || !(size > 0)) return [1, unit];
  const fits = ([factor]) => size >= factor * 0.9995 && !(unit === "s" && factor > 1) &&
    !(factor < 1 && unit !== "s");
  const [factor, prefix] = PREFIXES.find(fits) || [1, ""];
  return [factor, unit === "tokens/s" ? prefix : prefix + unit];
}

// Three digits, as run prints them, and never an exponent where it can be helped.
function digits(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential(2).replace("e+", "e");
  return value.toFixed(Math.max(0, 2 - Math.floor(Math.log10(size) + 1e-9)));
}

// All digits that a tick has.
function tickText(value) {
  return Math.abs(value) >= 1e7 || (value !== 0 && Math.abs(value) < 1e-4)
    ? value.toExponential().replace("e+", "e") : String(Number(value.toPrecision(8)));
}

// "634 ms"
function figureText(name, value) {
  if (value == null) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return String(value);
  const [factor, unit] = scaleOf(unitOf(name), Math.abs(value));
  if (Number.isInteger(value) && unit === "") return String(value);
  const space = unit === "×" || name === "tokens_per_s" || unit === "" ? "" : "\u202f";
  return digits(value / factor) + space + unit;
}

// The likely range of a figure, or null: times and utilisations vary as the rate does.
function rangeOf(figures, name) {
  const [low, high] = [figures[`${name}_low`], figures[`${name}_high`]];
  if (typeof low === "number" && typeof high === "number") return [low, high];
  const rates = name === "tokens_per_s" ? null : rangeOf(figures, "tokens_per_s");
  if (!rates || typeof figures[name] !== "number") return null;
  const [slow, fast] = rates.map((rate) => rate / figures.tokens_per_s);
  if (["step_time_s", "round_time_s"].includes(name)) return [figures[name] / fast, figures[name] / slow];
  return ["mfu", "tflops_per_gpu"].includes(name) ? [figures[name] * slow, figures[name] * fast] : null;
}

function nameWithUnit(name, unit) {
  return unit ? `${labelOf(name)} (${unit})` : labelOf(name);
}
