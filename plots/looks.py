# SPDX-License-Identifier: Apache-2.0
"""How schemes, other series and parts look, as on the pages: page/looks.json names colours of
page/style.css. And likely ranges, or why there are none."""

import itertools
import json
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parent / "page"
LIGHT = (PAGE / "style.css").read_text(encoding="utf-8").split('data-theme="dark"', maxsplit=1)[0]
COLOURS = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", LIGHT))
LOOKS = json.loads((PAGE / "looks.json").read_text(encoding="utf-8"))
SCHEMES = {name: look for family in LOOKS["schemes"].values() for name, look in family.items()}
HUES = ("blue", "vermilion", "green", "ochre", "pink", "violet", "grey")
MARKERS, DASHES = "osD^vPX*", ("-", "--", ":", "-.")
INK, SOFT, FIELD = COLOURS["ink"], COLOURS["soft"], COLOURS["field"]

_count = itertools.count(1)


def _style(colour, marker, dash):
    return {"color": COLOURS[colour], "marker": marker, "linestyle": dash}


def style(place):
    """Colour, marker and line of a series that is no scheme, by its place."""
    return _style(HUES[place % len(HUES)], MARKERS[place % len(MARKERS)],
                  DASHES[place // len(HUES) % len(DASHES)])


def scheme_style(name, place=0):
    """Those of a scheme; schemes of one's own files have the colour of text and differ by `place`."""
    if name in SCHEMES:
        return _style(*SCHEMES[name])
    return _style("ink", MARKERS[place % len(MARKERS)], DASHES[place % len(DASHES)])


def fill(name):
    """How a part of a bar is filled: what is idle has an edge alone."""
    if name == "idle":
        return {"facecolor": FIELD, "edgecolor": SOFT, "linewidth": 0.5}
    return {"facecolor": COLOURS[name], "edgecolor": "white", "linewidth": 0.5}


def ranges(axes, points, colour=INK, *, upright=True, on_bar=False):
    """Lines with ends from low to high: points of (x, y, low, high); those without a range have None.
    Those on bars have a halo. Returns whether there are any."""
    known = [point for point in points if None not in point]
    if not known:
        return False
    place = [[x, y][not upright] for x, y, _, _ in known]
    middle = [[x, y][upright] for x, y, _, _ in known]
    ends = [[max(0, value - low) for value, (*_, low, _) in zip(middle, known)],
            [max(0, high - value) for value, (*_, high) in zip(middle, known)]]
    across, up = (place, middle) if upright else (middle, place)
    drawn = axes.errorbar(across, up, **{"yerr" if upright else "xerr": ends}, linestyle="",
                          ecolor=colour, elinewidth=1, capsize=2.5, capthick=1, zorder=2.5 if on_bar else 1.5)
    drawn.lines[2][0].set_gid(f"range_{next(_count)}")
    if on_bar:
        from matplotlib.patheffects import withStroke  # late: it takes longer than to refuse an input
        for line in (*drawn.lines[1], *drawn.lines[2]):
            line.set_path_effects([withStroke(linewidth=2.2, foreground="white")])
    return True


def note(figure, text):
    """A line below the picture: what its ranges are, or why it has none. tests/pictures reads it."""
    figure.text(0.995, 0.008, text, fontsize=7, color=SOFT, ha="right", va="bottom",
                gid=f"note_{next(_count)}")


LIKELY = "Lines with ends: likely ranges, eight cases of ten."
