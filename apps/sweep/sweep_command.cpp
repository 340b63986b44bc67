// SPDX-License-Identifier: Apache-2.0
// sweep: runs every point of a spec that the store has not yet, on all cores.
#include <fmt/format.h>

#include <algorithm>

#include "apps/arguments.hpp"
#include "apps/print.hpp"
#include "apps/sweep/named_files.hpp"
#include "apps/sweep/points.hpp"
#include "apps/sweep/shard.hpp"
#include "apps/words.hpp"
#include "sim/base/files_in_use.hpp"
#include "sim/base/joined.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;

using sim::sweep::Planned;
using sim::sweep::Shard;
constexpr const char* kSweepUsage =
    "usage: gardenhose sweep SPEC.toml [FLAGS]\n\n"
    "Runs a grid of points, each a `gardenhose run`, in worker processes, and keeps the results "
    "in\n"
    "an SQLite file. The same command resumes the sweep after Ctrl-C, a crash or a reboot.\n\n"
    "  gardenhose sweep study.toml                   # into study.sqlite, on all cores\n"
    "  gardenhose sweep study.toml --dry-run         # print each point's command\n"
    "  gardenhose sweep study.toml --shard 2/4       # the second of four machines: "
    "study.2of4.sqlite\n"
    "  gardenhose export study.sqlite --format csv\n\n"
    "In study.toml, keys are flags of run, or keys of input files as in --set:\n\n"
    "  where = [\"nodes * 8 >= tp\", \"quantity(network_nic_bandwidth) >= quantity('50 Gbps')\"]\n"
    "  [run]                                         # the same for all points\n"
    "  topology = \"dgx_h100_x128\"\n"
    "  [grid]                                        # every combination\n"
    "  scheme = [\"sharded\", \"sdp4bit\"]\n"
    "  nodes = [1, 8, 64]\n"
    "  network.nic_bandwidth = [\"100 Gbps\", \"400 Gbps\"]\n"
    "  \"scheme.inter_group\" = [128, 512]             # in quotes: scheme is a key too\n"
    "  [together.size]                               # values paired in order\n"
    "  model = [\"gpt_125m\", \"gpt_13b\"]\n"
    "  tp = [1, 8]\n\n"
    "exit codes: 0 every point has results or was rejected (state refused); 1 a point crashed or\n"
    "was left unfinished, no point can run, or a list contains a value that is invalid at every "
    "point\n"
    "(reported before the first point runs); 2 invalid input; 130 stopped by Ctrl-C\n";

struct SweepOptions {
  std::string spec, store, shard;
  int jobs = 1;
  bool dry_run = false, recompute = false, retry = false;
};

std::optional<SweepOptions> parse_sweep(const Arguments& arguments) {
  SweepOptions o;
  po::options_description flags("Flags");
  auto add = flags.add_options();
  add("spec", po::value(&o.spec)->required(),
      "TOML file of the sweep (--spec itself may be omitted)");
  add("store", po::value(&o.store),
      "SQLite file for the results (default: SPEC.sqlite next to the spec; SPEC.KofN.sqlite for a "
      "shard)");
  add("jobs,j", jobs_flag(o.jobs),
      "points to run at once (default: all cores, or the cores that Slurm allots)");
  add("shard", po::value(&o.shard),
      "K/N: run only shard K of N equal shards (default: all, or the shard of the Slurm array "
      "task)");
  add("dry-run", po::bool_switch(&o.dry_run), "print the command of each point without running it");
  add("recompute", po::bool_switch(&o.recompute),
      "rerun points whose input files or Gardenhose version have changed since they were computed");
  add("retry", po::bool_switch(&o.retry), "rerun points that crashed");
  if (!parse_arguments(arguments, kSweepUsage, flags, {{"spec"}})) return std::nullopt;
  return o;
}

// What came of it; returns the exit code.
int report(Store& store, const Totals& totals, int jobs) {
  auto counts = store.counts();
  const std::int64_t figures = counts["done"] + counts["too_large"];
  print_text("{}: {}\n", store.file().string(), states_text(counts));
  if (totals.ended > 0) {
    print_text("{} point{} in {} on {} worker{}, {:.0f} % of the cores' time\n", totals.ended,
               totals.ended == 1 ? "" : "s", duration_text(totals.wall_s), jobs,
               jobs == 1 ? "" : "s", 100 * std::min(1.0, totals.cpu_s / (totals.wall_s * jobs)));
  }
  if (counts[""] > 0) {
    print_text("{} points are no longer in the spec: they are kept, but not exported\n",
               counts[""]);
  }
  for (const auto& [message, count] : store.frequent_messages()) {
    print_text("  {} x {}\n", count, message);
  }
  if (counts["open"] > 0) {
    print_text("stopped; repeat the command to go on\n");
    return totals.stopped_by == 0 ? 1 : 128 + totals.stopped_by;
  }
  sim::sweep::RefusalCount refusals;
  store.each_state([&](const Inputs& inputs, const std::string& state) {
    refusals.add(inputs, state == "refused");
  });
  const std::vector<std::string> refused = refusals.refused_values();
  for (const std::string& value : refused) {
    print_text("no point can run with {}\n", value);
  }
  if (counts["crashed"] > 0) print_text("rerun the crashed points with --retry\n");
  print_text("gardenhose export {} --format csv\n", store.file().string());
  return counts["crashed"] > 0 || figures == 0 || !refused.empty() ? 1 : 0;
}

void dry_run(const std::vector<Planned>& points) {
  for (const Planned& point : points) {
    print_text("gardenhose {}\n", shell_text(arguments_of(point.inputs)));
  }
}

// The shard of this process. A Slurm array of some tasks of an earlier one numbers other parts than that
// did, so beside stores of those it must be named.
Shard shard_of(const SweepOptions& options) {
  if (!options.shard.empty()) return parse_shard(options.shard);
  const auto of_task = slurm_shard();
  if (!of_task || !options.store.empty()) return of_task.value_or(Shard{});
  for (const auto& [shard, store] : sim::sweep::stored_shards(options.spec)) {
    if (shard.count == of_task->count) continue;
    throw sim::InputError(
        fmt::format("--shard: Slurm's array has {} task{}, but {} holds a part of {}; name the "
                    "part to run, e.g. "
                    "--shard {}/{}, or remove that store",
                    of_task->count, of_task->count == 1 ? "" : "s", store.string(), shard.count,
                    slurm_task(shard.count), shard.count));
  }
  return *of_task;
}

int run_sweep(const SweepOptions& options) {
  const Spec spec = read_spec(options.spec);
  const Shard shard = shard_of(options);
  const std::vector<Planned> points = points_of(spec, shard);
  if (options.dry_run) {
    dry_run(points);
    return 0;
  }
  const fs::path file = options.store.empty() ? sim::sweep::default_store(options.spec, shard)
                                              : fs::path(options.store);
  sim::note_output("--store", file);
  sim::note_inputs(files_of_spec(spec));
  const sim::sweep::Signals signals;
  const sim::sweep::StoreLock lock(file);
  const sim::sweep::Runner runner = run_in(folder_of(options.spec));
  sim::sweep::Origins origins = origins_of(runner);
  Store store = open_sweep(file, identity_of(spec, shard), points, origins,
                           {.outdated = options.recompute, .crashed = options.retry});
  const sim::sweep::Session session = sim::sweep::new_session(runner.version, shard, options.jobs);
  if (const auto others = store.points_of_other_programs(session.program_sha256); others > 0) {
    print_note("note: {} points were computed by another build of this version\n", others);
  }
  const Totals totals = run_open_points(store, origins, runner, signals, session);
  const int code = report(store, totals, options.jobs);
  const std::vector<std::string> changed = origins.changed();
  if (changed.empty()) return code;
  print_text(
      "{} changed while the sweep ran: repeat the command with --recompute to rerun its points\n",
      sim::joined(changed));
  return code == 0 ? 1 : code;
}

}  // namespace

int sweep_command(const Arguments& arguments) {
  const auto options = parse_sweep(arguments);
  return options ? run_sweep(*options) : 0;
}

}  // namespace apps
