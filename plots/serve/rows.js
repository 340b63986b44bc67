// SPDX-License-Identifier: Apache-2.0
// What can be dragged and chosen: a row each, which reads its value from the choice and puts it there.

const GBPS = 1e9 / 8;

// Notches of a slider: powers of two and what lies between, or rates.
const doublings = (low, high) => {
  const all = [];
  for (let one = low; one <= high; one *= 2) all.push(one, one * 1.5);
  return all.filter((one) => Number.isInteger(one) && one <= high);
};
const powers = (low, high) => doublings(low, high).filter((one) => Number.isInteger(Math.log2(one / low)));
const rates = (low, high) => {
  const all = [];
  for (let exponent = 0; low * 10 ** (exponent / 20) < high * 1.01; exponent += 1) {
    all.push(Number((low * 10 ** (exponent / 20)).toPrecision(2)));
  }
  return [...new Set([...all, 25, 50, 100, 200, 400, 800, 1600].filter((one) =>
    one >= low && one <= high))].sort((a, b) => a - b);
};
const gbpsText = (value) => (value >= 1000 ? `${value / 1000} Tb/s` : `${value} Gb/s`);
const gbps = (value) => `${value} Gbps`;
// Of a quantity: in Gb/s, in ms, or as it is. What a person has typed in another unit comes in that of the slider.
const UNITS = {Gbps: 1, Tbps: 1e3, Mbps: 1e-3, GBps: 8, TBps: 8e3, ms: 1, us: 1e-3, s: 1e3, "": 1};
function numberIn(text) {
  const [, number, unit] = String(text).trim().match(/^([0-9.]+(?:e[+-]?[0-9]+)?)\s*([A-Za-z]*)$/) || [];
  return Number(number ?? NaN) * (UNITS[unit] ?? NaN);
}

const ofSites = (hardware) => hardware.links.length > 0 || hardware.places.length > 1;
const ofCluster = (hardware) => hardware.places.length > 0 && !ofSites(hardware);
const counted = (value, one, many) => `${value} ${value === 1 ? one : many}`;
const place = (hardware) => hardware.places[0];

// Of a site to another, in Gb/s.
function slowestLine(inputs, hardware) {
  const rateOf = (key, Bps) => numberIn(inputs[key] ?? Bps / GBPS);
  return Math.min(
    ...hardware.places.map((one) => rateOf(`sites.${one.name}.uplink`, one.uplink_Bps)),
    ...hardware.links.filter((one) => one.bandwidth_Bps != null).map((one) =>
      rateOf(`${one.table}.bandwidth`, one.bandwidth_Bps)));
}

// name, group, notches, the value now, what to set for a value, its text, and when it is there.
const SLIDERS = [
  {name: "nodes", label: "nodes", group: "Hardware", notches: () => doublings(1, 8192),
   shown: ofCluster,
   now: (inputs, hardware) => Number(inputs.nodes ?? inputs["cluster.nodes"] ?? place(hardware).nodes),
   set: (value, hardware) => (value < place(hardware).nodes
     ? {nodes: value, "cluster.nodes": null}
     : {nodes: null, "cluster.nodes": value === place(hardware).nodes ? null : value}),
   text: (value, hardware) => `${value} × ${place(hardware).gpus_per_node} GPUs` +
     (value > place(hardware).nodes ? `, beyond the file's ${place(hardware).nodes}` : "")},
  {name: "nic", label: "rate of a NIC", group: "Hardware", notches: () => rates(10, 3200),
   shown: ofCluster, text: gbpsText,
   now: (inputs, hardware) => numberIn(inputs["network.nic_bandwidth"] ??
     place(hardware).nic_bandwidth_Bps / GBPS),
   set: (value, hardware) => ({"network.nic_bandwidth":
     value === place(hardware).nic_bandwidth_Bps / GBPS ? null : gbps(value)})},
  {name: "oversubscription", label: "oversubscription", group: "Hardware",
   notches: () => [1, 1.5, 2, 3, 4, 6, 8], text: (value) => `${value} : 1`,
   shown: (hardware) => ofCluster(hardware) && place(hardware).oversubscription != null,
   now: (inputs, hardware) => numberIn(inputs["network.oversubscription"] ??
     place(hardware).oversubscription),
   set: (value, hardware) => ({"network.oversubscription":
     value === place(hardware).oversubscription ? null : value})},
  {name: "line", label: "rate between sites", group: "Hardware", notches: () => rates(0.1, 3200),
   shown: ofSites, text: gbpsText, now: slowestLine,
   set: (value, hardware) => Object.fromEntries([
     ...hardware.places.flatMap((one) => [[`sites.${one.name}.uplink`, gbps(value)],
                                          [`sites.${one.name}.downlink`, gbps(value)]]),
     ...hardware.links.filter((one) => one.bandwidth_Bps != null).map((one) =>
       [`${one.table}.bandwidth`, gbps(value)])])},
  {name: "latency", label: "latency, one way", group: "Hardware",
   notches: () => [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, 40, 60, 80, 100, 150, 200],
   shown: (hardware) => hardware.links.length > 0, text: (value) => `${value} ms`,
   now: (inputs, hardware) => numberIn(inputs[`${hardware.links[0].table}.latency`] ??
     hardware.links[0].latency_s * 1e3),
   set: (value, hardware) => Object.fromEntries(hardware.links.map((one) =>
     [`${one.table}.latency`, `${value} ms`]))},
  {name: "tp", label: "tensor parallel", group: "Layout", notches: () => powers(1, 64)},
  {name: "pp", label: "pipeline stages", group: "Layout", notches: () => doublings(1, 64)},
  {name: "cp", label: "context parallel", group: "Layout", notches: () => powers(1, 64)},
  {name: "ep", label: "expert parallel", group: "Layout", notches: () => powers(1, 256)},
  {name: "micro-batch", label: "micro-batch", group: "Batch", notches: () => doublings(1, 64),
   text: (value) => counted(value, "sequence", "sequences")},
  {name: "accumulation", label: "accumulation", group: "Batch", notches: () => doublings(1, 256),
   text: (value) => counted(value, "micro-batch", "micro-batches")},
  {name: "sequence", label: "sequence", group: "Batch", notches: () => [NaN, ...powers(512, 1048576)],
   now: (inputs) => Number(inputs.sequence ?? NaN),
   set: (value) => ({sequence: Number.isFinite(value) ? value : null}),
   text: (value) => (Number.isFinite(value) ? `${value} tokens` : "the model's")},
];

// key, label, group, values, and the figure of a report that says what the default is.
const FLAGS = [
  ["zero", "ZeRO stage", "Layout", ["0", "1", "2", "3"], "zero_stage"],
  ["sequence-parallel", "sequence parallel", "Layout", ["off", "on"]],
  ["recompute", "recompute", "Layout",
   ["none", "selective", "alternate", "projections", "experts", "full"], "recompute"],
  ["overlap", "overlap", "Software", ["none", "gradients", "weights", "gradients,weights", "all"],
   "overlap"],
  ["attention", "attention", "Software", ["unfused", "fused", "sdpa"]],
  ["stack", "software", "Software",
   ["megatron", "nemo", "torch-eager", "torch-compile", "composer", "deepspeed", "maxtext",
    "transformers"]],
  ["precision", "precision", "Software", ["bf16", "fp8", "mxfp8", "nvfp4", "fp8-rowwise", "fp8-rowwise-gw-hp"], "precision"],
  ["gradient-precision", "gradients", "Software", ["fp32", "bf16"], "gradient_precision"],
  ["offload-activations", "activations to hosts", "Software", ["none", "all"], "offload_activations"],
];

// Keys that a control has.
const OWN_KEYS = new Set(["topology", "model", "scheme", "baseline", "nodes", "cluster.nodes",
  "network.nic_bandwidth", "network.oversubscription",
  ...SLIDERS.map((one) => one.name), ...FLAGS.map(([name]) => name)]);
const isOwnKey = (key) => OWN_KEYS.has(key) ||
  /^(sites\..*\.(uplink|downlink)|(links\..*|backbone)\.(bandwidth|latency))$/.test(key);
