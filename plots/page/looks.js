// SPDX-License-Identifier: Apache-2.0
// How schemes, other series and parts look in every picture: looks.json names colours of style.css.

// By matplotlib's letters, which plots/*.py draw.
const MARKERS = {
  "o": "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0", "s": "M-3.6,-3.6h7.2v7.2h-7.2z",
  "D": "M0,-5.2L5.2,0L0,5.2L-5.2,0z", "^": "M0,-4.8L4.6,3.4H-4.6z", "v": "M0,4.8L4.6,-3.4H-4.6z",
  "P": "M-1.6,-4.8h3.2v3.2h3.2v3.2h-3.2v3.2h-3.2v-3.2h-3.2v-3.2h3.2z",
  "X": "M-4.5,-2.3L-2.3,-4.5L0,-2.2L2.3,-4.5L4.5,-2.3L2.2,0L4.5,2.3L2.3,4.5L0,2.2L-2.3,4.5L-4.5,2.3L-2.2,0z",
  "*": "M0,-5.4L1.4,-1.8L5.1,-1.7L2.2,0.7L3.2,4.4L0,2.3L-3.2,4.4L-2.2,0.7L-5.1,-1.7L-1.4,-1.8z",
};
const DASHES = {"-": "", "--": "6 3", ":": "2 3", "-.": "8 3 2 3"};
const HUES = ["blue", "vermilion", "green", "ochre", "pink", "violet", "grey"];

const SCHEME_LOOKS = Object.assign({}, ...Object.values(raw.looks.schemes));

function colourOf(name) {
  return name === "idle" ? "var(--field)" : `var(--${name})`;
}

function styleFrom(colour, marker, dash) {
  return {colour: colourOf(colour), marker: MARKERS[marker], dash: DASHES[dash]};
}

function atPlace(list, place) {
  return list[place % list.length];
}

// Of series that are no schemes, by their place.
function styleOf(place) {
  return styleFrom(atPlace(HUES, place), atPlace(Object.keys(MARKERS), place),
                   atPlace(Object.keys(DASHES), Math.floor(place / HUES.length)));
}

// Schemes of one's own files have the colour of text; `place` tells them apart.
function styleOfScheme(name, place = 0) {
  if (Object.hasOwn(SCHEME_LOOKS, name)) return styleFrom(...SCHEME_LOOKS[name]);
  return styleFrom("ink", atPlace(Object.keys(MARKERS), place), atPlace(Object.keys(DASHES), place));
}

function swatch(style) {
  const mark = drawn("path", {d: style.marker, transform: "translate(13,7)"});
  const line = drawn("path", {d: "M0,7H26", "stroke-dasharray": style.dash});
  const picture = drawn("svg", {width: 26, height: 14, class: "swatch", "aria-hidden": "true"},
                        line, mark);
  picture.style.color = style.colour;
  return picture;
}

// A colour of a legend and what has it; what is idle has an edge alone.
function boxKey(name, colour) {
  const box = element("i", {class: colour === colourOf("idle") ? "box idle" : "box"});
  box.style.background = colour;
  return element("span", {class: "key"}, box, name);
}
