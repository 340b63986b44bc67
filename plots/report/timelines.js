// SPDX-License-Identifier: Apache-2.0
// The timelines of the study's points.

function timelineOf(one) {
  const point = byNumber.get(one.number);
  const title = schemeDimension ? schemeOf(point) : titleOf(point);
  const warning = one.agrees ? null
    : `Simulated again, point ${one.number} takes ${figureText("step_time_s", one.step_s)}, ` +
      "but the store has another time: an input file or the program has changed since.";
  return {...one, title: schemeDimension ? `${title} (point ${one.number})` : title, warning, ofSites,
          key: String(one.number), scheme: schemeOf(point), command: point.command};
}

function timelines(section) {
  for (const one of raw.timelines.filter((each) => each.problem)) {
    section.append(element("p", {class: "warning"},
      `Point ${one.number} could not be simulated again: ${one.problem}`));
  }
  const shown = raw.timelines.filter((one) => !one.problem).map(timelineOf);
  return shown.length > 0 ? new Timelines(section, shown) : null;
}
