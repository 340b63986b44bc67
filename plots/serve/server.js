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

// A question that takes so long, or half as long again as the one before, ends when another one comes.
const PATIENCE_MS = 120;

// Answers the newest question: one at a time.
class Newest {
  constructor(answered, failed) {
    this.answered = answered;
    this.failed = failed;
    this.wanted = null;
    this.running = null;
    this.took = 0;
  }

  ask(questions) {
    this.wanted = questions;
    if (!this.running) this.run();
    else if (performance.now() - this.running.since > Math.max(PATIENCE_MS, 1.5 * this.took)) this.drop();
  }

  // The answer under way is not wanted any more.
  drop() { this.running?.stop.abort(); }

  async run() {
    while (this.wanted) {
      const questions = this.wanted;
      this.wanted = null;
      const running = {since: performance.now(), stop: new AbortController()};
      this.running = running;
      const {signal} = running.stop;
      const replies = await Promise.all(questions.map((one) => ask("now", one, signal)))
        .catch((error) => {
          if (!signal.aborted && !this.wanted) this.failed(error);
        });
      if (signal.aborted) continue;
      this.took = performance.now() - running.since;
      const isNewest = !this.wanted;
      // Apart, so that a mistake in drawing does not end the answering.
      if (replies) queueMicrotask(() => this.answered(replies, isNewest));
    }
    this.running = null;
  }
}

// Of a browser's six connections to a server, all pages together; the others are for what is waited for.
const AT_ONCE = 3;

// What comes later: parts that are asked for, a few at a time, until something else is chosen.
class Later {
  constructor() { this.stop = new AbortController(); }

  cancel() {
    this.stop.abort();
    clearTimeout(this.timer);
    delete document.body.dataset.complete;
    this.stop = new AbortController();
  }

  // `partsOf()`, after the rest: [[question, what to do with the reply, what to do with a problem], ...].
  ask(partsOf) {
    this.cancel();
    const {signal} = this.stop;
    let waiting = [];
    const next = async () => {
      while (waiting.length && !signal.aborted) {
        const [question, done, failed] = waiting.shift();
        const said = await ask("later", question, signal).then((reply) => () => done(reply),
                                                               (error) => () => failed(error));
        if (!signal.aborted) queueMicrotask(said);
      }
    };
    this.timer = setTimeout(async () => {
      waiting = partsOf();
      await Promise.all(Array.from({length: AT_ONCE}, next));
      if (!signal.aborted) queueMicrotask(() => { document.body.dataset.complete = "yes"; });
    }, 100);
  }
}
