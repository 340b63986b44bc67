// SPDX-License-Identifier: Apache-2.0
// Questions to the server that this page came from.

// What the program says of a wrong choice, as opposed to a server that is not there any more.
class Refused extends Error {}

// "now" is what somebody waits for, "later" what may come after.
async function ask(lane, question, signal) {
  const response = await fetch(`/${lane}`, {
    method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(question),
    signal});
  const text = await response.text();
  const reply = JSON.parse(text);
  if (reply.reports) reply.reports = [reply.reports].flat();  // run prints one alone without a list
  if (response.ok) return reply;
  throw new Refused(reply.problem);
}

// What is asked of a choice, with flags that its command does not show.
function questionOf(as, inputs, more = {}) {
  return {as, inputs: asInputs(inputs), more, files: files.of(inputs)};
}

// Answers the newest question: one at a time, and one that takes long ends when another one comes.
class Newest {
  constructor(answered, failed) {
    this.answered = answered;
    this.failed = failed;
    this.wanted = null;
    this.running = null;
  }

  ask(questions) {
    this.wanted = questions;
    if (!this.running) this.run();
    else if (performance.now() - this.running.since > PATIENCE_MS) this.running.stop.abort();
  }

  async run() {
    while (this.wanted) {
      const questions = this.wanted;
      this.wanted = null;
      this.running = {since: performance.now(), stop: new AbortController()};
      const signal = this.running.stop.signal;
      const replies = await Promise.all(questions.map((one) => ask("now", one, signal)))
        .catch((error) => {
          if (error.name !== "AbortError" && !this.wanted) this.failed(error);
        });
      // Apart, so that a mistake in drawing does not end the answering.
      if (replies) queueMicrotask(() => this.answered(replies, !this.wanted));
    }
    this.running = null;
  }
}
const PATIENCE_MS = 120;

// What comes later: parts that are asked for side by side, until something else is chosen.
class Later {
  constructor() { this.stop = new AbortController(); }

  cancel() {
    this.stop.abort();
    clearTimeout(this.timer);
    this.stop = new AbortController();
  }

  // `parts`: [question, what to do with the reply, what to do with a problem].
  ask(parts) {
    this.cancel();
    const signal = this.stop.signal;
    this.timer = setTimeout(() => parts.forEach(async ([question, done, failed]) => {
      try {
        const reply = await ask("later", question, signal);
        if (!signal.aborted) done(reply);
      } catch (error) {
        if (error.name !== "AbortError" && !signal.aborted) failed(error);
      }
    }), 100);
  }
}
