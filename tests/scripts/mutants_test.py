#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""tests/mutants on a toy: which mutations it finds, that draws repeat, what it judges, and that it goes on."""
import contextlib
import io
import itertools
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/mutants"))
sys.dont_write_bytecode = True

import folders  # noqa: E402
import mutants  # noqa: E402
import workshop  # noqa: E402
from mutations import Mutation, mutations_of  # noqa: E402

TOY = """namespace std { int max(int a, int b); }
void require(bool condition, const char* why);
struct Row { int field = 7; };
static_assert(sizeof(Row) < 100);
int total(const int* values, int count) {
  require(count >= 0, "negative");
  if (count > 9) throw count + 1;
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i];
  if (sum < 0 && count > 1) {
    return 0;
  }
  return std::max(sum, 3);
}
"""
MAIN = """namespace std { int max(int a, int b) { return a > b ? a : b; } }
int total(const int* values, int count);
void require(bool, const char*) {}
int main() {
  const int values[]{2, 5};
  return total(values, 2) == 7 ? 0 : 1;
}
"""


def toy_tree(folder):
    tree = Path(folder)
    (tree / "sim/base").mkdir(parents=True)
    (tree / "sim/base/toy.cpp").write_text(TOY)
    (tree / "main.cpp").write_text(MAIN)
    return tree


def toy_mutations(tree):
    return mutations_of("sim/base/toy.cpp", tree / "sim/base/toy.cpp", ["-std=c++20"])


class Toy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = toy_tree(folder.name)
        self.verdict_file = self.tree / "verdicts.jsonl"

    def build(self, _program):
        command = ["g++", "-std=c++20", "-o", self.tree / "toy", self.tree / "main.cpp", self.tree / "sim/base/toy.cpp"]
        return subprocess.run(command, capture_output=True).returncode == 0

    def run_toy(self, _tests):
        return workshop.run_shards([self.tree / "toy"], 1, 5, 60)[0]

    def judge(self, line, before, after):
        found = toy_mutations(self.tree)
        one = next(one for one in found if (one.line, one.before, one.after) == (line, before, after))
        return mutants.judge(one, self.tree, [folders.sim("base")], self.build, self.run_toy)

    def test_mutations_are_those_of_the_code_alone(self):
        found = [(one.line, one.kind, one.before, one.after) for one in toy_mutations(self.tree)]
        self.assertCountEqual(found, [
            (7, "boundary", ">", ">="), (7, "comparison", ">", "<"), (7, "condition", "count > 9", "!(count > 9)"),
            (7, "constant", "9", "10"), (7, "constant", "9", "18"), (7, "constant", "9", "0"),
            (8, "constant", "0", "1"),
            (9, "constant", "0", "1"), (9, "boundary", "<", "<="), (9, "comparison", "<", ">"),
            (9, "arithmetic", "+=", "-="), (9, "arithmetic", "+=", "="), (9, "statement", "sum += values[i]", ""),
            (10, "boundary", "<", "<="), (10, "comparison", "<", ">"), (10, "constant", "0", "1"),
            (10, "logical", "&&", "||"), (10, "boundary", ">", ">="), (10, "comparison", ">", "<"),
            (10, "constant", "1", "2"), (10, "constant", "1", "0"),
            (10, "condition", "sum < 0 && count > 1", "!(sum < 0 && count > 1)"),
            (11, "return", "return 0", ""), (11, "constant", "0", "1"),
            (13, "function", "std::max", "std::min"), (13, "constant", "3", "4"), (13, "constant", "3", "6"),
            (13, "constant", "3", "0")])

    def test_a_mutation_of_other_code_is_refused(self):
        one = toy_mutations(self.tree)[0]
        self.assertEqual(one.applied_to(TOY.encode()).count(b"\n"), TOY.count("\n"))
        with self.assertRaisesRegex(ValueError, "is no longer there"):
            one.applied_to(b"int other;\n" * 40)

    def drawn(self, seed, known=()):
        found = toy_mutations(self.tree)
        return mutants.draw(seed, {"sim/base/toy.cpp": 13}, lambda _file: found, known)

    def test_the_same_seed_draws_the_same_whatever_is_known(self):
        first, again, other = (list(itertools.islice(self.drawn(seed), 12)) for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertEqual(list(itertools.islice(self.drawn(1, {0, 2}), 10)), [first[1], *first[3:]])

    def test_what_changes_an_answer_is_killed(self):
        self.assertEqual(self.judge(9, "+=", "-="), (mutants.KILLED, "ends with 1"))
        self.assertEqual((self.tree / "sim/base/toy.cpp").read_text(), TOY)

    def test_what_no_test_asks_for_lives(self):
        self.assertEqual(self.judge(13, "3", "0"), (mutants.LIVES, ""))

    def test_what_does_not_compile_does_not_count(self):
        broken = Mutation("sim/base/toy.cpp", 13, TOY.index("std::max"), "function", "std::max", "std::no")
        self.assertEqual(mutants.judge(broken, self.tree, [folders.sim("base")], self.build, self.run_toy)[0],
                         mutants.INVALID)
        verdicts = mutants.Verdicts(self.verdict_file, "digest")
        verdicts.add(0, broken, mutants.INVALID, "", 1)
        self.assertEqual(verdicts.count(), 0)

    def test_a_stopped_run_goes_on(self):
        def run(count):
            verdicts = mutants.Verdicts(self.verdict_file, "digest")
            mutations = mutants.undecided(self.drawn(1, verdicts.numbers()), verdicts, count)
            with contextlib.redirect_stdout(io.StringIO()):
                mutants.run(mutations, verdicts, self.tree, lambda _program: True,
                            lambda _tests: judged.append(1) or "Suite.Test")

        judged = []
        run(3)
        run(5)
        self.assertEqual(len(judged), 5)
        once = mutants.Verdicts(self.verdict_file, "digest")
        self.assertEqual(once.count(), 5)
        with self.assertRaisesRegex(ValueError, "sim has changed"):
            mutants.Verdicts(self.verdict_file, "another digest")

    def test_the_report_counts_the_last_verdicts(self):
        verdicts = mutants.Verdicts(self.verdict_file, "digest")
        lives, killed = toy_mutations(self.tree)[:2]
        verdicts.add(0, lives, mutants.LIVES, "", 1)
        verdicts.add(1, killed, mutants.LIVES, "", 1)
        verdicts.add(1, killed, mutants.KILLED, "Suite.Test", 1)
        self.assertEqual(verdicts.living(), [(0, lives)])
        self.assertRegex(mutants.report(verdicts), rf"lives: {lives.file}:{lives.line}: {lives.kind}: .*\n"
                                                   r"all +1 of +2 killed +50 %")


class Running(unittest.TestCase):
    def test_the_first_failure_ends_all_processes(self):
        failure, _ = workshop.run_shards(
            ["sh", "-c", "[ $GTEST_SHARD_INDEX = 0 ] && sleep 100; echo '[  FAILED  ] A.B (0 ms)'; exit 1"], 2, 5, 60)
        self.assertEqual(failure, "A.B")

    def test_a_crash_and_a_loop_and_a_deadlock_are_failures(self):
        self.assertEqual(workshop.run_shards(["sh", "-c", "kill -SEGV $$"], 1, 5, 60)[0], "ends by SIGSEGV")
        self.assertEqual(workshop.run_shards(["sh", "-c", "while :; do :; done"], 1, 1, 60)[0], "timed out")
        self.assertEqual(workshop.run_shards(["sleep", "100"], 1, 5, 0.3)[0], "timed out")

    def test_success_is_none(self):
        self.assertIsNone(workshop.run_shards(["true"], 2, 5, 60)[0])


class Table(unittest.TestCase):
    def test_every_source_has_tests_that_exist(self):
        sources = [str(source.relative_to(ROOT)) for source in (ROOT / "sim").rglob("*.cpp")]
        for tests in {tests for source in sources for tests in folders.tests_of(source)}:
            self.assertIn(".*", folders.gtest_filter(ROOT, tests))
            for pattern in tests.sources:
                self.assertTrue(list((ROOT / "tests").glob(pattern)), pattern)

    def test_folders_below_have_tests_of_their_own(self):
        self.assertEqual(folders.tests_of("sim/study/plan/plan.cpp"), folders.TESTS["sim/study/plan"])
        self.assertEqual(folders.tests_of("sim/topology/fabrics/torus.cpp"), folders.TESTS["sim/topology"])


if __name__ == "__main__":
    unittest.main()
