// SPDX-License-Identifier: Apache-2.0
// The controls: a row each, which reads its value from the choice and puts it there.

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
const numberIn = (text) => Number(String(text).match(/^[0-9.]+/)?.[0] ?? NaN);

const ofCluster = (hardware) => hardware.links.length === 0 && hardware.places.length === 1;
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
   text: (value, hardware) => `${value} × ${place(hardware).gpus_per_node} GPUs`},
  {name: "nic", label: "rate of a NIC", group: "Hardware", notches: () => rates(10, 3200),
   shown: ofCluster, text: gbpsText,
   now: (inputs, hardware) => numberIn(inputs["network.nic_bandwidth"] ??
     place(hardware).nic_bandwidth_Bps / GBPS),
   set: (value) => ({"network.nic_bandwidth": gbps(value)})},
  {name: "oversubscription", label: "oversubscription", group: "Hardware",
   notches: () => [1, 1.5, 2, 3, 4, 6, 8], text: (value) => `${value} : 1`,
   shown: (hardware) => ofCluster(hardware) && place(hardware).oversubscription != null,
   now: (inputs, hardware) => numberIn(inputs["network.oversubscription"] ??
     place(hardware).oversubscription),
   set: (value) => ({"network.oversubscription": value})},
  {name: "line", label: "rate between sites", group: "Hardware", notches: () => rates(0.1, 3200),
   shown: (hardware) => !ofCluster(hardware), text: gbpsText, now: slowestLine,
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
   text: (value) => `${value} sequences`},
  {name: "accumulation", label: "accumulation", group: "Batch", notches: () => doublings(1, 256),
   text: (value) => `${value} micro-batches`},
  {name: "sequence", label: "sequence", group: "Batch", notches: () => powers(512, 1048576),
   now: (inputs) => Number(inputs.sequence ?? NaN),
   text: (value) => (Number.isFinite(value) ? `${value} tokens` : "the model's")},
];

const FLAGS = [
  ["zero", "ZeRO stage", "Layout", ["0", "1", "2", "3"]],
  ["sequence-parallel", "sequence parallel", "Layout", ["off", "on"]],
  ["recompute", "recompute", "Layout",
   ["none", "selective", "alternate", "projections", "experts", "full"]],
  ["overlap", "overlap", "Software", ["none", "gradients", "weights", "gradients,weights", "all"]],
  ["attention", "attention", "Software", ["unfused", "fused", "sdpa"]],
  ["stack", "software", "Software",
   ["megatron", "nemo", "torch-eager", "torch-compile", "composer", "deepspeed", "maxtext"]],
  ["precision", "precision", "Software", ["bf16", "fp8", "mxfp8", "nvfp4"]],
  ["gradient-precision", "gradients", "Software", ["fp32", "bf16"]],
];

const MOST_FILE = 1 << 20;

function indexIn(notches, value) {
  let best = 0;
  notches.forEach((one, i) => {
    if (Math.abs(Math.log(one / value)) < Math.abs(Math.log(notches[best] / value))) best = i;
  });
  return best;
}

class Controls {
  constructor(form, state, names) {
    this.form = form;
    this.state = state;
    this.names = names;
    form.addEventListener("submit", (event) => event.preventDefault());
  }

  // Anew for other hardware; else only the values.
  draw(hardware) {
    if (hardware !== this.hardware) this.build(hardware);
    for (const update of this.updates) update(this.state.inputs);
  }

  build(hardware) {
    this.hardware = hardware;
    this.updates = [];
    const groups = new Map();
    const add = (group, node) => groups.set(group, [...(groups.get(group) || []), node]);
    add("Study", this.list("topology", "cluster or sites", [
      ["clusters", this.names.topologies], ["sites", this.names.sites]], (value) =>
      this.renewed({topology: value})));
    add("Study", this.list("model", "model", [["", this.names.models]]));
    const schemes = ofCluster(hardware) ? this.names.schemes : this.names.schemes_between_sites;
    add("Study", this.list("scheme", "scheme", [["", schemes]]));
    const compared = [{name: "twin", summary: "its own uncompressed form"}, ...schemes];
    add("Study", this.list("baseline", "against", [["", compared]]));
    for (const row of SLIDERS) {
      if (!row.shown || row.shown(hardware)) add(row.group, this.slider(row));
    }
    for (const [name, label, group, values] of FLAGS) add(group, this.choice(name, label, values));
    add("More", this.upload());
    add("More", this.more());
    this.form.replaceChildren(...[...groups].map(([group, nodes]) =>
      element("fieldset", {}, element("legend", {}, group), ...nodes)));
  }

  // Without the keys of the hardware before.
  renewed(values) {
    const kept = Object.entries(this.state.inputs).filter(([key]) =>
      !/^(network|cluster|sites|links|backbone|nodes$|gpu)/.test(key));
    this.state.replace({...Object.fromEntries(kept), ...values});
  }

  list(name, label, groups, changed = (value) => this.state.set({[name]: value})) {
    const option = (one) => element("option", {value: one.name, title: one.summary}, one.name);
    const box = element("select", {name, onchange: () => changed(box.value)},
      ...groups.map(([group, rows]) => (group
        ? element("optgroup", {label: group}, ...rows.map(option))
        : rows.map(option))).flat());
    const hint = element("small");
    this.updates.push((inputs) => {
      const value = inputs[name] ?? "";
      if (![...box.options].some((one) => one.value === value)) {
        box.append(element("option", {value}, value || "none"));
      }
      box.value = value;
      hint.textContent = box.selectedOptions[0]?.title ?? "";
    });
    return element("label", {class: "wide"}, element("span", {}, label), box, hint);
  }

  choice(name, label, values) {
    const box = element("select", {name, onchange: () => this.state.set({[name]: box.value})},
      element("option", {value: ""}, "default"),
      ...values.map((one) => element("option", {value: one}, one)));
    this.updates.push((inputs) => {
      const value = inputs[name] ?? "";
      if (value && !values.includes(value)) box.append(element("option", {value}, value));
      box.value = value;
    });
    return element("label", {}, element("span", {}, label), box);
  }

  slider(row) {
    const {hardware} = this;
    const notches = row.notches();
    const now = row.now || ((inputs) => Number(inputs[row.name] ?? 1));
    const set = row.set || ((value) => ({[row.name]: value === 1 ? null : value}));
    const text = row.text || String;
    const output = element("b");
    const box = element("input", {type: "range", name: row.name, min: 0, max: notches.length - 1,
      step: 1, oninput: () => {
        this.state.set(set(notches[box.value], hardware));
      }});
    this.updates.push((inputs) => {
      const value = now(inputs, hardware);
      box.value = Number.isFinite(value) ? indexIn(notches, value) : 0;
      output.textContent = text(value, hardware);
      box.setAttribute("aria-valuetext", output.textContent);
    });
    return element("label", {class: "wide slider"},
      element("span", {}, row.label, output), box);
  }

  // Clusters, sites, models and schemes of one's own become choices of their lists.
  upload() {
    const said = element("small", {}, "TOML of a cluster, sites, a model or a scheme, or a model's config.json");
    const box = element("input", {type: "file", name: "files", multiple: true, accept: ".toml,.json",
      onchange: async () => {
        for (const file of box.files) {
          const list = file.size <= MOST_FILE ? files.add(file.name, await file.text()) : null;
          if (!list) {
            said.textContent = `${file.name}: is no file that run takes`;
            continue;
          }
          const rows = this.names[list];
          if (!rows.some((one) => one.name === file.name)) {
            rows.push({name: file.name, summary: "your file; a link does not hold it"});
          }
          const key = {topologies: "topology", sites: "topology", models: "model", schemes: "scheme"}[list];
          this.hardware = null;
          this.state.set({[key]: file.name});
        }
      }});
    return element("label", {class: "wide"}, element("span", {}, "your own files"), box, said);
  }

  // All keys that no control has, as run takes them.
  more() {
    const own = new Set(["topology", "model", "scheme", "baseline", "nodes", "cluster.nodes",
      ...SLIDERS.map((one) => one.name), ...FLAGS.map(([name]) => name)]);
    const others = (inputs) => Object.entries(inputs).filter(([key]) => !own.has(key));
    const box = element("input", {type: "text", name: "more", spellcheck: "false",
      placeholder: "loss=fused  gpu.price=2 USD/h", onchange: () => {
        const gone = Object.fromEntries(others(this.state.inputs).map(([key]) => [key, null]));
        const given = box.value.split(/\s{2,}|;/).map((one) => one.trim()).filter(Boolean)
          .map((one) => one.replace(/^(--set\s+|--)/, "").split("="));
        this.state.set({...gone, ...Object.fromEntries(given.map(([key, ...rest]) =>
          [key.trim(), rest.join("=").trim() || "on"]))});
      }});
    this.updates.push((inputs) => {
      box.value = others(inputs).map(([key, value]) => `${key}=${value}`).join("; ");
    });
    return element("label", {class: "wide"}, element("span", {}, "other flags and keys"), box,
      element("small", {}, "as gardenhose run has them, with semicolons between"));
  }
}
