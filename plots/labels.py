# SPDX-License-Identifier: Apache-2.0
"""Places names beside their points so that no name lies on another one or on a point."""

import math

import looks

STEPS = 24  # directions in which a place is looked for
FARTHEST = 14  # rings around a point
CLEAR = 1.5  # pixels between names


def _overlap(a, b):
    return (min(a[2], b[2]) - max(a[0], b[0]) > 0) and (min(a[3], b[3]) - max(a[1], b[1]) > 0)


def _boxes(point, size, inside):
    """Boxes of that size around the point, the nearest first and to the right before others, that lie
    inside."""
    (x, y), (width, height) = point, size
    for ring in range(FARTHEST):
        for step in sorted(range(STEPS), key=lambda one: min(one, STEPS - one)):
            angle = 2 * math.pi * step / STEPS
            far = 6 + ring * 0.7 * height
            left = x + far * math.cos(angle) - width * (1 - math.cos(angle)) / 2
            low = y + far * math.sin(angle) - height / 2
            box = (left, low, left + width, low + height)
            if inside[0] <= box[0] and box[2] <= inside[2] and inside[1] <= box[1] and box[3] <= inside[3]:
                yield box


def place(axes, points, others=(), size=7):
    """Writes each (x, y, text, colour) beside its point, those before others first; a thin line leads to
    the point. `others` are boxes of what else is drawn: (left, low, right, high). Call it when the axes have their limits and their
    place in the figure."""
    renderer = axes.figure._get_renderer()  # pylint: disable=protected-access
    to_pixels, from_pixels = axes.transData.transform, axes.transData.inverted().transform
    frame = axes.get_window_extent(renderer)
    places = [tuple(to_pixels((x, y))) for x, y, *_ in points]
    taken = [(x - 3, y - 3, x + 3, y + 3) for x, y in places]
    for left, low, right, high in others:
        corners = to_pixels(((left, low), (right, high)))
        taken.append((corners[0][0] - 2, corners[0][1] - 2, corners[1][0] + 2, corners[1][1] + 2))
    for (x, y, text, colour), point in zip(points, places):
        probe = axes.text(x, y, text, fontsize=size)
        extent = probe.get_window_extent(renderer)
        probe.remove()
        inside = (frame.x0 + 2, frame.y0 + 2, frame.x1 - 2, frame.y1 - 2)
        free = (box for box in _boxes(point, (extent.width, extent.height), inside)
                if not any(_overlap(box, other) for other in taken))
        box = next(free, None)
        if box is None:  # a crowd: the nearest place, so that the name is not lost
            box = next(_boxes(point, (extent.width, extent.height), inside))
        taken.append((box[0] - CLEAR, box[1] - CLEAR, box[2] + CLEAR, box[3] + CLEAR))
        axes.annotate(text, (x, y), xytext=from_pixels(((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)),
                      fontsize=size, color=colour, ha="center", va="center", zorder=4,
                      arrowprops={"arrowstyle": "-", "linewidth": 0.4, "color": looks.SOFT,
                                  "shrinkA": 0, "shrinkB": 1.5})
