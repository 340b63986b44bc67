# SPDX-License-Identifier: Apache-2.0
"""The steps of one rank: a first one, which is not counted, and those that are."""
import hashlib
from concurrent.futures import ThreadPoolExecutor

import connections
from round_job import RoundJob
from sharded_job import ShardedJob
from step_job import StepJob

JOBS = {"step": StepJob, "sharded_step": ShardedJob, "round": RoundJob}


class Training:
    def __init__(self, job, peers):
        self._peers, self._steps = peers, job["steps"]
        self._job = JOBS[job["kind"]](job, peers, ThreadPoolExecutor(max_workers=1))
        self._job.step(0)
        self._error = self._job.error()

    def run(self):
        """What the rank has to say."""
        before = connections.sent(self._peers)
        steps = [self._job.step(1 + step) for step in range(self._steps)]
        after = connections.sent(self._peers)
        return {"steps": steps, "error": self._error, "payload": after["payload"] - before["payload"],
                "retransmitted": after["again"] - before["again"],
                "weights": hashlib.sha256(self._job.weights.tobytes()).hexdigest(),
                "round_trip_s": connections.round_trip_s(self._peers)}
