// SPDX-License-Identifier: Apache-2.0
// merge: the stores of shards as one, which is as if one machine had done them all.
#include "apps/arguments.hpp"
#include "apps/print.hpp"
#include "apps/sweep/points.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;

constexpr const char* kMergeUsage =
    "usage: gardenhose merge OUT IN...\n\n"
    "Writes the points of all IN stores into OUT, a new store. Points missing from every IN\n"
    "store have the state open in OUT; `gardenhose sweep SPEC.toml --store OUT` runs them. OUT\n"
    "appears once it is complete: a merge interrupted with Ctrl-C leaves nothing behind. One\n"
    "killed with kill -9 leaves a folder .gardenhose-* next to OUT; you can safely delete it.\n\n"
    "  gardenhose merge study.sqlite study.*of4.sqlite\n";

}  // namespace

int merge_command(const Arguments& arguments) {
  std::string out;
  std::vector<std::string> files;
  po::options_description flags("Flags");
  auto add = flags.add_options();
  add("out", po::value(&out)->required(), "new store to write (--out itself may be omitted)");
  add("in", po::value(&files)->required(), "stores to merge (--in itself may be omitted)");
  if (!parse_arguments(arguments, kMergeUsage, flags, {{"out"}, {"in", -1}})) return 0;
  const sim::sweep::Signals signals;
  print_text("{}\n", states_text(sim::sweep::merge(out, files, run_inputs(), signals)));
  return 0;
}

}  // namespace apps
