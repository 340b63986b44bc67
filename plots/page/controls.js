// SPDX-License-Identifier: Apache-2.0
// Choices above a drawing, colours of series, and the box that says what is under the pointer.

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

// Okabe and Ito's colours, which people with any colour vision tell apart; series beyond them
// differ in the dash and the marker too.
const COLOURS = 7;
const MARKERS = ["M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0", "M-3.6,-3.6h7.2v7.2h-7.2z",
                 "M0,-4.8L4.6,3.4H-4.6z", "M0,-5.2L5.2,0L0,5.2L-5.2,0z",
                 "M0,4.8L4.6,-3.4H-4.6z"];
const DASHES = ["", "6 3", "2 3"];

function styleOf(place) {
  return {colour: `var(--s${place % COLOURS})`, marker: MARKERS[place % MARKERS.length],
          dash: DASHES[Math.floor(place / COLOURS) % DASHES.length]};
}

function swatch(style) {
  const mark = drawn("path", {d: style.marker, transform: "translate(10,7)"});
  const line = drawn("path", {d: "M0,7H20", "stroke-dasharray": style.dash});
  const picture = drawn("svg", {width: 20, height: 14, class: "swatch", "aria-hidden": "true"},
                        line, mark);
  picture.style.color = style.colour;
  return picture;
}

// A colour of a legend and what has it.
function boxKey(name, colour) {
  const box = element("i", {class: "box"});
  box.style.background = colour;
  return element("span", {class: "key"}, box, name);
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
