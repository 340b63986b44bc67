// SPDX-License-Identifier: Apache-2.0
// How much of a timeline's communication has no kernel beside it, as plots/overlap.py draws it.

const KERNELS = new Set(["forward", "backward", "recompute", "optimizer", "memory_pass", "encode", "decode"]);

// Spans of [start, end], merged where they touch.
function merged(spans) {
  const found = [];
  for (const [start, end] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = found.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found;
}

const lengthOf = (spans) => spans.reduce((sum, [start, end]) => sum + end - start, 0);

// Of the first process: microseconds of communication, and of communication alone.
function overlapOf(one) {
  const spans = (wanted) => one.events.filter(([track, , phase]) =>
    one.tracks[track][0] === one.tracks[0][0] && wanted(one.phases[phase]))
    .map(([, , , start, duration]) => [start, start + duration]);
  const sent = spans((phase) => phase.endsWith("_comm")), busy = spans((phase) => KERNELS.has(phase));
  const all = lengthOf(merged(sent));
  return {sent: all, alone: lengthOf(merged([...sent, ...busy])) - lengthOf(merged(busy))};
}

// Timelines whose short operations are shown as one are too coarse for it.
function overlapText(one) {
  const {sent, alone} = overlapOf(one), time = (us) => figureText("step_time_s", us / 1e6);
  if (one.fused_below_us || !(sent > 0)) return "";
  return `Of ${time(sent)} of communication, ${time(sent - alone)} run beside kernels and ${time(alone)} alone.`;
}
