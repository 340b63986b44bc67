// SPDX-License-Identifier: Apache-2.0
// merge: the stores of shards as one, which is as if one machine had done them all.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>

#include "apps/arguments.hpp"
#include "apps/print.hpp"
#include "apps/scratch.hpp"
#include "apps/sweep/plan.hpp"
#include "apps/sweep/workers.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;

constexpr const char* kMergeUsage =
    "usage: gardenhose merge OUT IN...\n\n"
    "Writes the points of all IN stores into OUT, a new store. Points missing from every IN\n"
    "store have the state open in OUT; `gardenhose sweep SPEC.toml --store OUT` runs them. OUT\n"
    "appears once it is complete: a merge interrupted with Ctrl-C leaves nothing behind. One\n"
    "killed with kill -9 leaves a folder .gardenhose-* next to OUT; you can safely delete it.\n\n"
    "  gardenhose merge study.sqlite study.*of4.sqlite\n";

// Hashes of files by name, and the version, with the store that had them first.
class Provenance {
 public:
  // Throws InputError where a store was computed from other files than one before it.
  void check(Store& store) {
    for (const Origin& origin : store.origins()) {
      check_one(store, "gardenhose's version", origin.version);
      const auto files = nlohmann::json::parse(origin.files);
      for (const auto& [name, hash] : files.items()) {
        check_one(store, name, hash.dump());
      }
    }
  }

 private:
  void check_one(const Store& store, const std::string& what, const std::string& value) {
    const auto [known, is_new] = seen_.emplace(what, std::pair(value, store.file().string()));
    if (is_new || known->second.first == value) return;
    throw sim::InputError(
        fmt::format("{}: {} differs from that of {}; rerun the older sweep with --recompute",
                    store.file().string(), what, known->second.second));
  }

  std::map<std::string, std::pair<std::string, std::string>> seen_;
};

void copy(Store& from, Store& to, const Signals& signals) {
  std::map<std::int64_t, std::int64_t> keys;
  for (const Session& session : from.sessions()) {
    keys[session.session] = to.begin_session(session);
    if (!session.ended.empty()) to.end_session(keys[session.session], session);
  }
  for (const Origin& origin : from.origins()) to.add_origin(origin);
  std::map<std::int64_t, std::vector<Finished>> batches;
  from.each_finished([&](const StoredPoint& point) {
    signals.wait_or_stop(std::chrono::milliseconds(0));
    const auto found = to.find(point.inputs);
    if (!found) {
      from.database().fail(
          fmt::format("the inputs of its point {} are not in its spec: the store was edited; run "
                      "the sweep again",
                      point.number));
    }
    const bool better = found->state == "open" ||
                        (found->state == "crashed" && point.finished.state != found->state);
    if (!better) return;
    Finished finished = point.finished;
    finished.point = found->point;
    auto& batch = batches[keys[point.session]];
    batch.push_back(std::move(finished));
    constexpr std::size_t kBatch = 1000;
    if (batch.size() < kBatch) return;
    to.record(keys[point.session], batch);
    batch.clear();
  });
  for (const auto& [session, batch] : batches) to.record(session, batch);
}

void write(const fs::path& file, std::vector<Store>& stores, const Signals& signals) {
  const Identity identity = *stores.front().identity();
  const Spec spec = parse_spec(identity.spec, stores.front().file());
  Store whole(file, Access::create);
  whole.set_points({identity.spec, identity.spec_sha256, Shard{}.text()}, plan(spec, Shard{}));
  for (Store& store : stores) copy(store, whole, signals);
  auto counts = whole.counts();
  print_text("{} done, {} too large for the GPUs' memory, {} refused, {} crashed, {} open\n",
             counts["done"], counts["too_large"], counts["refused"], counts["crashed"],
             counts["open"]);
}

[[noreturn]] void refuse_existing(const fs::path& out) {
  throw sim::InputError(out.string() + ": already exists; remove it, or name another file");
}

// Gives the store its name, unless somebody else has taken it meanwhile.
void place(const fs::path& store, const fs::path& out) {
  int result = renameat2(AT_FDCWD, store.c_str(), AT_FDCWD, out.c_str(), RENAME_NOREPLACE);
  // Some file systems, such as NFS, cannot do that.
  if (result != 0 && errno == EINVAL) result = link(store.c_str(), out.c_str());
  if (result != 0 && errno == EEXIST) refuse_existing(out);
  if (result != 0) {
    throw sim::InputError(out.string() + ": cannot be written: " + sim::system_problem(errno));
  }
}

std::vector<Store> open_all(const std::vector<std::string>& files) {
  std::vector<Store> stores;
  Provenance provenance;
  for (const std::string& file : files) {
    Store& store = stores.emplace_back(file, Access::read);
    const auto identity = store.identity();
    if (!identity) throw sim::InputError(file + ": holds no sweep yet; leave it out");
    if (identity->spec_sha256 != stores.front().identity()->spec_sha256) {
      throw sim::InputError(
          fmt::format("{}: belongs to a different spec than {}; merge stores of the same spec",
                      file, files.front()));
    }
    provenance.check(store);
  }
  return stores;
}

}  // namespace

int merge_command(const Arguments& arguments) {
  std::string out;
  std::vector<std::string> files;
  po::options_description flags("Flags");
  auto add = flags.add_options();
  add("out", po::value(&out)->required(), "new store to write (--out itself may be omitted)");
  add("in", po::value(&files)->required(), "stores to merge (--in itself may be omitted)");
  po::positional_options_description places;
  places.add("out", 1).add("in", -1);
  po::variables_map values;
  if (!parse_arguments(arguments, kMergeUsage, flags, places, values)) return 0;
  if (fs::exists(fs::symlink_status(out))) refuse_existing(out);
  std::vector<Store> stores = open_all(files);
  sim::require_writable(out);
  const Signals signals;
  const Scratch scratch(folder_of(out));
  const fs::path whole = scratch.path() / "whole.sqlite";
  write(whole, stores, signals);
  place(whole, out);
  return 0;
}

}  // namespace apps
