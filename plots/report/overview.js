// SPDX-License-Identifier: Apache-2.0
// What the study is, where its constants come from, and how to run it again.

const STATE_TEXTS = {done: "simulated", too_large: "too large for a GPU's memory",
                     refused: "rejected for conflicting inputs", crashed: "crashed",
                     open: "not run yet"};

function overview(section) {
  const session = raw.sessions.at(-1) || {};
  const first = raw.sessions[0] || {};
  const versions = [...new Set(raw.sessions.map((one) => one.version))].join(", ");
  section.append(
    element("p", {class: "kind"}, "Predicted training speed, simulated by Gardenhose"),
    element("h1", {}, raw.title),
    element("p", {class: "lead"}, summary()),
    cards(),
    element("dl", {class: "facts"},
      ...fact("varied", dimensions.map((one) =>
        `${one.label} (${one.values.length}): ${listOf(one.values.map(textOf))}`).join("\n")),
      ...fact("the same for all points", constants.map((name) =>
        `${labelOf(name)} ${textOf(points[0].inputs[name])}`).join(", ")),
      ...fact("computed", first.begun
        ? `${timeText(first.begun)} to ${timeText(session.ended)}, gardenhose ${versions}, on ` +
          first.host : "")));
}

// "2026-11-22 07:14 UTC"
function timeText(text) {
  const known = /^(\S+)T(\d\d:\d\d)(:\d\d)?Z$/.exec(text || "");
  return known ? `${known[1]} ${known[2]} UTC` : text || "a time not recorded";
}

function listOf(texts) {
  return texts.length <= 12 ? texts.join(", ")
    : [...texts.slice(0, 11), `and ${texts.length - 11} more`].join(", ");
}

function fact(name, text) {
  return text ? [element("dt", {}, name), element("dd", {}, text)] : [];
}

function summary() {
  const states = Object.entries(raw.states).filter(([state, count]) => count > 0)
    .sort(([a], [b]) => Object.keys(STATE_TEXTS).indexOf(a) - Object.keys(STATE_TEXTS).indexOf(b));
  const total = states.reduce((sum, [, count]) => sum + count, 0);
  const parts = states.map(([state, count]) =>
    `${count.toLocaleString("en")} ${STATE_TEXTS[state] || state}`);
  return `${total.toLocaleString("en")} ${total === 1 ? "point" : "points"}: ${parts.join(", ")}.` +
    (raw.shard && raw.shard !== "1/1" ? ` This is shard ${raw.shard} of the study.` : "");
}

const VERDICT_TEXTS = {tie: ": too close to call", loss: ": slower"};

// Tokens are compared only if the same model is trained.
function workOf(point) {
  return JSON.stringify(dimensions.filter((one) => /^(model|sequence)\b/.test(one.name))
    .map((one) => one.of(point)));
}

// The ends of the study.
function cards() {
  const done = points.filter(fits);
  return element("div", {class: "cards"}, gainCard(greatestGain(done)),
    workCard("Most tokens per second", "tokens_per_s", 1, done),
    card("Highest MFU", "mfu", [extreme("mfu", 1, done)]),
    card("Highest compute utilisation", "compute_utilisation",
         [extreme("compute_utilisation", 1, done)]),
    workCard("Lowest price per million tokens", "usd_per_million_tokens", -1, done));
}

function extreme(name, sign, list) {
  return greatest(list.filter((point) => typeof point.figures[name] === "number"),
                  (point) => sign * point.figures[name]);
}

function gainCard(point) {
  return card("Greatest speed-up", "speedup", [point], (one) =>
    ` over ${one.over}${VERDICT_TEXTS[verdictOf(one)] || ""}`);
}

const MOST_OF_CARD = 4;

// The extreme of each model.
function workCard(title, name, sign, list) {
  const works = [...new Set(list.map(workOf))];
  const found = works.slice(0, MOST_OF_CARD).map((work) =>
    extreme(name, sign, list.filter((point) => workOf(point) === work)));
  const more = works.length > MOST_OF_CARD
    ? element("p", {class: "of"}, `${works.length - MOST_OF_CARD} more models: see Points`) : null;
  return card(works.length > 1 ? `${title}, by model` : title, name, found, () => "", more);
}

function card(title, name, found, more = () => "", last = null) {
  const shown = found.filter(Boolean);
  if (!shown.length) return null;
  return element("div", {class: "card"}, element("p", {}, title), ...shown.flatMap((point) =>
    [element("strong", {}, figureText(name, point.figures[name])),
     element("p", {class: "of"}, titleOf(point) + more(point))]), last);
}

function provenance(section) {
  const row = (one) => element("tr", {}, element("th", {scope: "row"}, one.name),
    element("td", {}, one.text), element("td", {class: "right"}, one.points.toLocaleString("en")));
  const table = (first, second, list) => element("div", {class: "scroll"}, element("table", {},
    element("thead", {}, element("tr", {}, element("th", {scope: "col"}, first),
      element("th", {scope: "col"}, second), element("th", {scope: "col", class: "right"},
                                                     "points"))),
    element("tbody", {}, ...list.map(row))));
  section.append(
    element("p", {}, "The source of each constant of the simulation. Fitted constants name the " +
            "published rows of the fit."),
    table("constant", "source", raw.sources),
    element("details", {}, element("summary", {}, `Input files (${raw.files.length})`),
            table("file", "SHA-256", raw.files)));
}

function reproduce(section) {
  const spec = raw.spec ? element("pre", {}, raw.spec) : null;
  const store = raw.store;
  section.append(
    element("p", {}, "Each point is one command, shown in the table of points under its number. " +
            "Paths start from the folder of the study's file. The command of the greatest speed-up, or " +
            "else of the most tokens per second:"),
    command(featured.command),
    ...(spec ? [element("p", {}, "The whole study: save this as ",
                        element("code", {}, "study.toml"), ", then"),
                command("gardenhose sweep study.toml"),
                element("details", {}, element("summary", {}, "study.toml"), spec)] : []),
    element("p", {}, `All results, from ${store}:`),
    command(`gardenhose export ${quoted(store)} --format csv ` +
            `--output ${quoted(`${raw.title}.csv`)}`),
    element("details", {}, element("summary", {}, `Sessions (${raw.sessions.length})`),
      element("div", {class: "scroll"}, element("table", {}, element("tbody", {},
        ...raw.sessions.map((one) => element("tr", {},
          element("td", {}, `${timeText(one.begun)} to ${timeText(one.ended)}`),
          element("td", {}, one.host),
          element("td", {}, `gardenhose ${one.version}, SHA-256 ${one.program_sha256}`),
          element("td", {}, `${one.workers} workers, ${figureText("step_time_s", one.wall_s)}`))))))));
}

function quoted(text) {
  return /^[\w./=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
