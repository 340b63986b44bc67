// SPDX-License-Identifier: Apache-2.0
// The controls, of the rows that the hardware has.

function indexIn(notches, value) {
  const far = (one) => (Number.isFinite(one) ? Math.abs(Math.log(one / value)) : Infinity);
  return notches.reduce((best, one, i) => (far(one) < far(notches[best]) ? i : best), 0);
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
    const focused = document.activeElement?.name;
    this.hardware = hardware;
    this.updates = [];
    this.defaults = new Map();
    files.addTo(this.names);
    const groups = new Map();
    const add = (group, node) => groups.set(group, [...(groups.get(group) || []), node]);
    add("Study", this.list("topology", "cluster or sites", [
      ["clusters", this.names.topologies], ["sites", this.names.sites]], (value) =>
      this.renewed({topology: value})));
    add("Study", this.list("model", "model", [["", this.names.models]]));
    const schemes = ofSites(hardware) ? this.names.schemes_between_sites : this.names.schemes;
    add("Study", this.list("scheme", "scheme", [["", schemes]]));
    add("Study", this.list("baseline", "against", [["", [
      {name: "twin", summary: "its own uncompressed form"},
      {name: "best", summary: "the fastest uncompressed setup, which is searched: it takes longer"},
      {name: "", summary: "nothing"}, ...schemes]]]));
    for (const row of SLIDERS) {
      if (!row.shown || row.shown(hardware)) add(row.group, this.slider(row));
    }
    for (const row of FLAGS) add(row[2], this.choice(row));
    add("More", this.upload());
    add("More", this.more());
    this.form.replaceChildren(...[...groups].map(([group, nodes]) =>
      element("fieldset", {}, element("legend", {}, group), ...nodes)));
    if (focused) this.form.elements[focused]?.focus();
  }

  // What flags that are not given stand for in a report.
  tellDefaults(report) {
    for (const [name, [figure, option]] of this.defaults) {
      if (this.state.inputs[name] != null) continue;
      say(option, report[figure] == null ? "default" : `default (${report[figure]})`);
    }
  }

  // Without the keys of the hardware before; with schemes that there are on it.
  renewed({topology}) {
    const kept = Object.entries(this.state.inputs).filter(([key]) =>
      !/^(network|cluster|sites|links|backbone|nodes$|gpu)/.test(key));
    const inputs = {...Object.fromEntries(kept), topology};
    const isOfSites = this.names.sites.some((one) => one.name === topology);
    const [schemes, scheme, baseline] = isOfSites
      ? [this.names.schemes_between_sites, "sparseloco", "diloco"]
      : [this.names.schemes, "sdp4bit", "twin"];
    if (!schemes.some((one) => one.name === inputs.scheme)) Object.assign(inputs, {scheme, baseline});
    this.state.replace(inputs);
  }

  list(name, label, groups, changed = (value) => this.state.set({[name]: value})) {
    const option = (one) => element("option", {value: one.name, title: one.summary},
      one.name || "none");
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
      say(hint, box.selectedOptions[0]?.title ?? "");
    });
    return element("label", {class: "wide"}, element("span", {}, label), box, hint);
  }

  choice([name, label, , values, figure]) {
    const usual = element("option", {value: ""}, "default");
    if (figure) this.defaults.set(name, [figure, usual]);
    const box = element("select", {name, onchange: () => this.state.set({[name]: box.value})}, usual,
      ...values.map((one) => element("option", {value: one}, one)));
    this.updates.push((inputs) => {
      const value = inputs[name] ?? "";
      if (![...box.options].some((one) => one.value === value)) {
        box.append(element("option", {value}, value));
      }
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
      if (say(output, text(value, hardware))) box.setAttribute("aria-valuetext", output.textContent);
    });
    return element("label", {class: "wide slider"},
      element("span", {}, row.label, output), box);
  }

  // Clusters, sites, models and schemes of one's own become choices of their lists.
  upload() {
    const said = element("small", {}, Object.keys(files.texts).length
      ? `added: ${Object.keys(files.texts).join(", ")}`
      : "TOML of a cluster, sites, a model or a scheme, or a model's config.json");
    const box = element("input", {type: "file", name: "files", multiple: true, accept: ".toml,.json",
      onchange: async () => {
        for (const file of box.files) {
          const text = file.size <= MOST_FILE ? await file.text() : "";
          const {key} = files.kindOf(text);
          if (!key) {
            said.textContent = `${file.name}: is no cluster, sites, model or scheme of at most 1 MiB`;
            continue;
          }
          files.add(file.name, text);
          files.addTo(this.names);
          this.hardware = null;
          page.topology = null;  // the file may be another one of the same name
          if (key === "topology") this.renewed({topology: file.name});
          else this.state.set({[key]: file.name});
        }
        box.value = "";
      }});
    return element("label", {class: "wide"}, element("span", {}, "your own files"), box, said);
  }

  // All keys that no control has, as run takes them.
  more() {
    const others = (inputs) => Object.entries(inputs).filter(([key]) => !isOwnKey(key));
    const box = element("input", {type: "text", name: "more", spellcheck: "false",
      placeholder: "loss=fused; gpu.price=2 USD/h", onchange: () => {
        const gone = Object.fromEntries(others(this.state.inputs).map(([key]) => [key, null]));
        this.state.set({...gone, ...keysIn(box.value)});
      }});
    this.updates.push((inputs) => {
      box.value = others(inputs).map(([key, value]) => `${key}=${value}`).join("; ");
    });
    return element("label", {class: "wide"}, element("span", {}, "other flags and keys"), box,
      element("small", {}, "as gardenhose run has them, with semicolons between"));
  }
}

// "loss=fused; --tune; --set gpu.price=2 USD/h"
function keysIn(text) {
  return Object.fromEntries(text.split(";").map((one) => one.trim()).filter(Boolean).map((one) => {
    const [, key, value] = one.match(/^(?:--set[ =])?(?:--)?([^= ]+)(?:\s*=\s*|\s+)?(.*)$/) || [null, one, ""];
    return [key, value.trim().replace(/^"(.*)"$/, "$1") || "on"];
  }));
}
