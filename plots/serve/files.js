// SPDX-License-Identifier: Apache-2.0
// Files of one's own, by name. They go with each question that names them, stay for a reload, and are not
// part of a link.

const MOST_FILE = 1 << 20;
const KEPT = "gardenhose files";
// The lists of the page, and by what a file shows that it belongs there; a scheme shows nothing of its own.
const KINDS_OF_FILE = [["sites", /^\s*\[(sites|wan)\b/m, "topology"],
                       ["topologies", /^\s*\[cluster\]/m, "topology"],
                       ["models", /^\s*\[model\]|"hidden_size"|"n_embd"|"d_model"/m, "model"],
                       ["schemes", /^\s*(twin|source|zero)\s*=|^\s*\[(weights|gradients)\b/m, "scheme"],
                       ["schemes_between_sites", /^\s*\[scheme\]|^\s*inner_steps\s*=/m, "scheme"]];

class Files {
  constructor() {
    this.texts = {};
    try {
      this.texts = JSON.parse(sessionStorage.getItem(KEPT)) || {};
    } catch { /* a browser that keeps nothing */ }
  }

  // The list that a text belongs to, and the key of run that names it.
  kindOf(text) {
    const [list, , key] = KINDS_OF_FILE.find(([, sign]) => sign.test(text)) || [];
    return {list, key};
  }

  add(name, text) {
    this.texts[name] = text;
    try {
      sessionStorage.setItem(KEPT, JSON.stringify(this.texts));
    } catch { /* too large to keep */ }
  }

  // Those that the inputs name.
  of(inputs) {
    const values = new Set(Object.values(inputs).flatMap((value) => String(value).split(",")));
    return Object.fromEntries(Object.entries(this.texts).filter(([name]) => values.has(name)));
  }

  // With those of one's own, as choices.
  addTo(names) {
    for (const [name, text] of Object.entries(this.texts)) {
      const rows = names[this.kindOf(text).list];
      if (rows && !rows.some((one) => one.name === name)) {
        rows.push({name, summary: "your file, which a link does not hold"});
      }
    }
  }
}

const files = new Files();
