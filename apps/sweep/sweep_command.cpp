// SPDX-License-Identifier: Apache-2.0
// sweep: runs every point of a spec that the store has not yet, on all cores.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <set>

#include "apps/arguments.hpp"
#include "apps/print.hpp"
#include "apps/sweep/named_files.hpp"
#include "apps/sweep/plan.hpp"
#include "apps/sweep/refusals.hpp"
#include "apps/sweep/run_points.hpp"
#include "apps/sweep/store.hpp"
#include "apps/sweep/store_lock.hpp"
#include "apps/words.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;

constexpr const char* kSweepUsage =
    "usage: gardenhose sweep SPEC.toml [FLAGS]\n\n"
    "Runs a grid of points, each a `gardenhose run` in its own process, and keeps the results in\n"
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
  fs::path spec, store;
  int jobs = 1;
  std::string shard;
  bool dry_run = false, recompute = false, retry = false;
};

std::optional<SweepOptions> parse(const Arguments& arguments) {
  SweepOptions o;
  std::string spec, store;
  po::options_description flags("Flags");
  auto add = flags.add_options();
  add("spec", po::value(&spec)->required(),
      "TOML file of the sweep (--spec itself may be omitted)");
  add("store", po::value(&store),
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
  po::positional_options_description places;
  places.add("spec", 1);
  po::variables_map values;
  if (!parse_arguments(arguments, kSweepUsage, flags, places, values)) return std::nullopt;
  o.spec = spec;
  o.store = store;
  return o;
}

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

std::string host_name() {
  char host[64] = "?";
  gethostname(host, sizeof(host) - 1);
  return host;
}

// Opens the points again that are to be run again; refuses a store whose points nobody would get by
// this command.
void check_store(Store& store, Origins& origins, const SweepOptions& options) {
  std::vector<std::int64_t> outdated;
  std::set<std::string> changes;
  std::map<std::string, Origin> known;
  for (Origin& origin : store.origins()) known.emplace(origin.id, origin);
  store.each_origin([&](std::int64_t point, const Inputs& inputs, const std::string& origin) {
    const Origin& today = origins.of(inputs);
    if (today.id == origin) return;
    outdated.push_back(point);
    changes.merge(differences(known[origin], today));
  });
  if (!outdated.empty() && !options.recompute) {
    throw sim::InputError(
        fmt::format("{}: {} of its points were computed from other inputs: {}; rerun them with "
                    "--recompute, or start afresh with --store FILE",
                    store.file().string(), outdated.size(), fmt::join(changes, ", ")));
  }
  store.reopen(outdated);
  if (options.retry) store.reopen(store.points_that_crashed());
}

// What came of it; returns the exit code.
int report(Store& store, const Totals& totals, int jobs) {
  auto counts = store.counts();
  const std::int64_t figures = counts["done"] + counts["too_large"];
  print_text("{}: {} done, {} too large for the GPUs' memory, {} refused, {} crashed, {} open\n",
             store.file().string(), counts["done"], counts["too_large"], counts["refused"],
             counts["crashed"], counts["open"]);
  if (totals.ended > 0) {
    print_text("{} points in {} on {} workers, {:.0f} % of the cores' time\n", totals.ended,
               duration_text(totals.wall_s), jobs,
               100 * std::min(1.0, totals.cpu_s / (totals.wall_s * jobs)));
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
  RefusalCount refusals;
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

// The store with the points of the spec, those open that are to be run.
Store open_store(const SweepOptions& options, const fs::path& file, const Identity& identity,
                 const std::vector<Planned>& points, Origins& origins) {
  Store store(file, Access::create);
  if (const auto before = store.identity(); before && before->shard != identity.shard) {
    throw sim::InputError(
        fmt::format("{}: holds shard {}, but this is shard {}; name another file with --store",
                    file.string(), before->shard, identity.shard));
  }
  store.set_points(identity, points);
  check_store(store, origins, options);
  return store;
}

Totals run_session(Store& store, Origins& origins, const Signals& signals, Session session,
                   const fs::path& folder) {
  if (const auto others = store.points_of_other_programs(session.program_sha256); others > 0) {
    print_note("note: {} points were computed by another build of this version\n", others);
  }
  const std::int64_t key = store.begin_session(session);
  const Totals totals = run_points(store, origins, signals, {key, session.workers, folder});
  session.ended = now();
  session.wall_s = totals.wall_s;
  session.cpu_s = totals.cpu_s;
  store.end_session(key, session);
  return totals;
}

int run_sweep(const SweepOptions& options) {
  const Spec spec = read_spec(options.spec);
  const Shard shard =
      options.shard.empty() ? slurm_shard().value_or(Shard{}) : parse_shard(options.shard);
  const std::vector<Planned> points = plan(spec, shard);
  if (options.dry_run) {
    dry_run(points);
    return 0;
  }
  const fs::path file = options.store.empty() ? default_store(options.spec, shard) : options.store;
  const fs::path folder = folder_of(options.spec);
  sim::refuse_overwriting("--store", file, files_of_spec(spec));
  const Signals signals;
  const StoreLock lock(file);
  Origins origins(folder);
  Store store =
      open_store(options, file, {spec.text, sha256(spec.text), shard.text()}, points, origins);
  const int jobs = options.jobs;
  const Totals totals = run_session(store, origins, signals,
                                    {.begun = now(),
                                     .version = GARDENHOSE_VERSION,
                                     .program_sha256 = sha256_of_file("/proc/self/exe"),
                                     .host = host_name(),
                                     .shard = shard.text(),
                                     .workers = jobs},
                                    folder);
  const int code = report(store, totals, jobs);
  const std::vector<std::string> changed = origins.changed();
  if (changed.empty()) return code;
  print_text(
      "{} changed while the sweep ran: repeat the command with --recompute to rerun its points\n",
      fmt::join(changed, ", "));
  return code == 0 ? 1 : code;
}

}  // namespace

int sweep_command(const Arguments& arguments) {
  const auto options = parse(arguments);
  return options ? run_sweep(*options) : 0;
}

}  // namespace apps
