// SPDX-License-Identifier: Apache-2.0
// Each syntax of launch files gives the same keys and values as the program that reads it.
#include "sim/launch/document.hpp"

#include <gtest/gtest.h>

#include "tests/launch/launches.hpp"

namespace sim::launch {
namespace {

TEST(LaunchYaml, NestsKeysAndNumbersLists) {
  const Document document = parse_yaml("a:\n  b: 1\n  c: [x, y]\nd: null\n", "f.yaml");
  EXPECT_EQ(value_of(document, "a.b"), "1");
  EXPECT_EQ(value_of(document, "a.c.1"), "y");
  EXPECT_EQ(value_of(document, "d"), "null");
  EXPECT_EQ(find(document, "a.b")->place.line, 2U);
}

TEST(LaunchYaml, TakesJson) {
  const Document document = parse_yaml("{\n\t\"a\": {\"b\": [1, {\"c\": true}]}\n}", "f.json");
  EXPECT_EQ(value_of(document, "a.b.1.c"), "true");
  EXPECT_EQ(find(document, "a.b.0")->place.line, 2U);
}

TEST(LaunchYaml, CopiesAliasesAndMergesMaps) {
  const Document document =
      parse_yaml("base: &b\n  x: 1\n  y: 2\nuse:\n  <<: *b\n  y: 3\nsame: *b\n", "f.yaml");
  EXPECT_EQ(value_of(document, "use.x"), "1");
  EXPECT_EQ(value_of(document, "use.y"), "3");
  EXPECT_EQ(value_of(document, "same.y"), "2");
}

TEST(LaunchYaml, FollowsReferencesAndComputesProducts) {
  const Document document = parse_yaml(
      "m:\n  h: 64\n  f: ${multiply:4, ${.h}}\n  s: ${run.t.s}\n  e: ${oc.env:X}\nt:\n  s: 7\n",
      "f.yaml");
  EXPECT_EQ(value_of(document, "m.f"), "256");
  EXPECT_EQ(value_of(document, "m.s"), "7");
  EXPECT_EQ(value_of(document, "m.e"), "${oc.env:X}");
}

TEST(LaunchYaml, NamesKeysBelowALostOne) {
  const Document document = parse_yaml("m:\n  a: 1\n    b: 2\n  c: 3\n", "f.yaml");
  EXPECT_EQ(value_of(document, "m.?.b"), "2");
  EXPECT_EQ(value_of(document, "m.c"), "3");
  ASSERT_EQ(document.unread.size(), 1U);
  EXPECT_TRUE(document.unread.front().starts_with("f.yaml:3:"));
}

TEST(LaunchShell, ReadsFlagsOfCommandsWithVariables) {
  const Document document = parse_shell(
      "TP=${TP:-4}\nGPUS=$(($TP * 2))\nARGS=(\n  --tp-size $TP  # behind\n  --name 'a b'\n)\n"
      "torchrun --nproc_per_node=$GPUS train.py \\\n  ${ARGS[@]} \\\n  --bf16\n",
      "f.sh");
  EXPECT_EQ(value_of(document, "tp-size"), "4");
  EXPECT_EQ(find(document, "tp-size")->place.line, 4U);
  EXPECT_EQ(value_of(document, "nproc_per_node"), "8");
  EXPECT_EQ(value_of(document, "bf16"), "true");
  EXPECT_EQ(value_of(document, "$GPUS"), "8");
}

TEST(LaunchShell, ReadsFlagsWithinStringsAndInnerShells) {
  const Document in_string =
      parse_shell("O=\" \\\n  --a 1 \\\n  --b\"\nsrun sh -c \"python x.py ${O}\"\n", "f.sh");
  EXPECT_EQ(value_of(in_string, "a"), "1");
  EXPECT_EQ(find(in_string, "a")->place.line, 2U);
  const Document quoted = parse_shell("CMD='x.py --a 1'\nsrun bash -c '$L $CMD --b 2'\n", "f.sh");
  EXPECT_EQ(value_of(quoted, "a"), "1");
  EXPECT_EQ(value_of(quoted, "b"), "2");
}

TEST(LaunchShell, AnswersConditionsWhoseValuesItHolds) {
  const Document document = parse_shell(
      "S=${1:-7b}\nif [ $S = 7b ] && [[ 2 -gt 1 ]]; then\n  H=4096\nelif [ $S = 13b ]; then\n"
      "  H=5120\nelse\n  H=1\nfi\ncase $S in\n  13b) L=40 ;;\n  7b|8b) L=32\n  ;;\n  *) L=1 ;;\n"
      "esac\nx --h $H --l $L\n",
      "f.sh");
  EXPECT_EQ(value_of(document, "h"), "4096");
  EXPECT_EQ(value_of(document, "l"), "32");
  EXPECT_TRUE(document.unread.empty());
}

TEST(LaunchShell, NamesWhatOnlyARunningShellKnows) {
  const Document document = parse_shell(
      "if [ -n \"$EXTRA\" ]; then\n  A=2\nfi\nx --a $A --n $(nproc) --w $WORLD_SIZE\n"
      "source other.sh\n",
      "f.sh");
  EXPECT_EQ(value_of(document, "a"), "$A");
  EXPECT_EQ(value_of(document, "n"), "$(nproc)");
  EXPECT_EQ(value_of(document, "w"), "$WORLD_SIZE");
  ASSERT_EQ(document.unread.size(), 2U);
  EXPECT_TRUE(document.unread[0].starts_with("f.sh:2: A "));
  EXPECT_TRUE(document.unread[1].starts_with("f.sh:5: "));
}

TEST(LaunchShell, PassesOverHereDocumentsAndComments) {
  const Document document = parse_shell(
      "cat <<EOT > $F\n--a 1\nEOT\n# x --a 2\n#SBATCH --nodes=4\n#SBATCH -N 5\nx --b 3\n", "f.sh");
  EXPECT_EQ(value_of(document, "a"), "(none)");
  EXPECT_EQ(value_of(document, "b"), "3");
  EXPECT_EQ(value_of(document, "nodes"), "5");
}

TEST(LaunchShell, ReadsListsThatNoCommandTakes) {
  EXPECT_EQ(value_of(parse_shell("ARGS=\"--a 1 --b 2\"\n", "f.sh"), "b"), "2");
}

TEST(LaunchLog, ReadsNamesPaddedWithDots) {
  const std::string log =
      "0: ------- arguments -------\n0:   bf16 ....................... True\n"
      "  num_layers ................. 40\n  hidden_size ................ 5120\nstep 1 ... done\n";
  ASSERT_TRUE(is_arguments_log(log));
  const Document document = parse_arguments_log(log, "f.log");
  EXPECT_EQ(value_of(document, "bf16"), "True");
  EXPECT_EQ(value_of(document, "num_layers"), "40");
  EXPECT_EQ(find(document, "hidden_size")->place.line, 4U);
  EXPECT_FALSE(is_arguments_log("TP=8\nx --tp $TP\n"));
}

TEST(LaunchToml, KeepsKindsOfValues) {
  const Document document = parse_toml_entries("[a]\nb = true\nc = [1, 2.5]\n", "f.toml");
  EXPECT_EQ(value_of(document, "a.b"), "true");
  EXPECT_EQ(value_of(document, "a.c.1"), "2.5");
}

}  // namespace
}  // namespace sim::launch
