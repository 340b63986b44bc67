// SPDX-License-Identifier: Apache-2.0
// Choices above a drawing, and the box that says what is under the pointer.

function select(label, options, value, changed) {
  const box = element("select", {onchange: () => changed(box.value)},
    ...options.map(([key, text]) =>
      element("option", {value: key, selected: key === value}, text)));
  return element("label", {}, element("span", {}, label), box);
}

function toggle(label, on, changed) {
  const box = element("input", {type: "checkbox", checked: on,
                                onchange: () => changed(box.checked)});
  return element("label", {class: "toggle"}, box, label);
}

function button(label, clicked, attributes = {}) {
  return element("button", {type: "button", onclick: clicked, ...attributes}, label);
}

// Buttons that show and hide.
function legend(names, hidden, styles, changed) {
  return element("div", {class: "legend", role: "group", "aria-label": "Shown series"},
    ...names.map((name) => {
      const one = button("", () => {
        if (!hidden.delete(name)) hidden.add(name);
        one.setAttribute("aria-pressed", String(!hidden.has(name)));
        changed();
      }, {"aria-pressed": String(!hidden.has(name)), class: "key"});
      one.append(swatch(styles(name)), name);
      return one;
    }));
}

const tipBox = document.getElementById("tip");

// Lines of [name, value]; the first is the heading.
function showTip(heading, lines, x, y) {
  tipBox.replaceChildren(element("strong", {}, heading), element("dl", {},
    ...lines.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])));
  tipBox.hidden = false;
  const width = tipBox.offsetWidth, height = tipBox.offsetHeight;
  const left = x + 16 + width > innerWidth ? x - 16 - width : x + 16;
  tipBox.style.left = `${Math.max(4, Math.min(left, innerWidth - width - 4))}px`;
  tipBox.style.top = `${Math.max(4, Math.min(y + 16, innerHeight - height - 4))}px`;
}

function hideTip() {
  tipBox.hidden = true;
}
