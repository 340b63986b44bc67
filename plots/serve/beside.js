// SPDX-License-Identifier: Apache-2.0
// Schemes side by side, the fastest that fits first; rows fill as their answers come.

const speedOf = ({report}) => (report && report.fits_memory !== false ? report.tokens_per_s : 0);

function besideCells({report, problem}) {
  if (problem) return [element("td", {colspan: 5, class: "soft"}, problem)];
  if (!report) return [element("td", {colspan: 5, class: "soft"}, "…")];
  const fits = report.fits_memory !== false, isItself = report.baseline === report.scheme;
  const range = report.speedup_low == null ? ""
    : ` (${digits(report.speedup_low)} to ${digits(report.speedup_high)})`;
  return [element("td", {class: "right"}, perSecond(report.tokens_per_s)),
          element("td", {class: "right"}, report.speedup == null || isItself ? "–"
            : `${digits(report.speedup)}×`, element("small", {class: "soft"}, isItself ? "" : range)),
          element("td", {}, isItself ? "–" : report.baseline || "–"),
          element("td", {}, fits && !isItself && report.verdict || "–"),
          element("td", {class: "right"}, fits ? figureText("memory_per_gpu_bytes", report.memory_per_gpu_bytes)
            : "does not fit")];
}

function showBeside(results) {
  const focused = document.activeElement?.dataset?.scheme;
  const best = Math.max(...results.map(speedOf));
  const rank = (one) => (one.report ? 0 : one.problem ? 2 : 1);
  const rows = [...results].sort((a, b) => rank(a) - rank(b) || speedOf(b) - speedOf(a));
  section("beside", "Other schemes", element("div", {class: "scroll"}, element("table", {},
    element("thead", {}, element("tr", {}, ...["scheme", "tokens per second", "speed-up (likely)",
      "against", "verdict", "memory per GPU"].map((one) => element("th", {scope: "col"}, one)))),
    element("tbody", {}, ...rows.map((one) =>
      element("tr", {class: best > 0 && speedOf(one) === best ? "best" : ""},
        element("th", {scope: "row"}, button(one.scheme, one.choose, {class: "opener",
          "data-scheme": one.scheme})),
        ...besideCells(one)))))),
    element("p", {class: "note"}, "Fastest first. Each speed-up is over what stands beside it."));
  if (focused) document.querySelector(`#beside [data-scheme="${CSS.escape(focused)}"]`)?.focus();
}
