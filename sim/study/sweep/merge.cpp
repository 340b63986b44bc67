// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/scratch.hpp"
#include "sim/study/sweep/sweep.hpp"

namespace sim::sweep {
namespace {

// Hashes of files by name, and the version, with the store that had them first.
class Provenance {
 public:
  // Throws InputError where a store was computed from other files than one before it.
  void check(Store& store) {
    for (const Origin& origin : store.origins()) {
      check_one(store, "gardenhose's version", origin.version);
      for (const auto& [name, hash] : origin.files) check_one(store, name, hash);
    }
  }

 private:
  void check_one(const Store& store, const std::string& what, const std::string& value) {
    const auto [known, is_new] = seen_.emplace(what, std::pair(value, store.file().string()));
    if (is_new || known->second.first == value) return;
    throw InputError(
        fmt::format("{}: {} differs from that of {}; rerun the older sweep with `recompute`",
                    store.file().string(), what, known->second.second));
  }

  std::map<std::string, std::pair<std::string, std::string>> seen_;
};

void copy(Store& from, Store& to, const Signals& signals) {
  std::map<std::int64_t, std::int64_t> keys;
  for (Session session : from.sessions()) {
    keys[session.session] = to.begin_session(session);
    if (session.ended.empty()) continue;
    session.session = keys[session.session];
    to.end_session(session);
  }
  for (const Origin& origin : from.origins()) to.add_origin(origin);
  std::map<std::int64_t, std::vector<Finished>> batches;  // by session
  from.each_finished([&](const StoredPoint& point) {
    signals.check();
    const auto found = to.find(point.inputs);
    if (!found) {
      from.database().fail(
          fmt::format("the inputs of its point {} are not in its spec: the store was edited; run "
                      "the sweep again",
                      point.number));
    }
    const bool better = found->state == "open" ||
                        (found->state == "crashed" && point.outcome.state != found->state);
    if (!better) return;
    auto& batch = batches[keys[point.session]];
    batch.push_back({found->point, point.outcome, point.origin});
    constexpr std::size_t kBatch = 1000;
    if (batch.size() < kBatch) return;
    to.record(keys[point.session], batch);
    batch.clear();
  });
  for (const auto& [session, batch] : batches) to.record(session, batch);
}

[[noreturn]] void refuse_existing(const std::filesystem::path& out) {
  throw InputError(out.string() + ": already exists; remove it, or name another file");
}

// Gives the store its name, unless somebody else has taken it meanwhile.
void place(const std::filesystem::path& store, const std::filesystem::path& out) {
  int result = renameat2(AT_FDCWD, store.c_str(), AT_FDCWD, out.c_str(), RENAME_NOREPLACE);
  // Some file systems, such as NFS, cannot do that.
  if (result != 0 && errno == EINVAL) result = link(store.c_str(), out.c_str());
  if (result != 0 && errno == EEXIST) refuse_existing(out);
  if (result != 0) {
    throw InputError(out.string() + ": cannot be written: " + system_problem(errno));
  }
}

std::vector<Store> open_all(const std::vector<std::string>& files) {
  std::vector<Store> stores;
  Provenance provenance;
  for (const std::string& file : files) {
    Store& store = stores.emplace_back(file, Access::read);
    const auto identity = store.identity();
    if (!identity) throw InputError(file + ": holds no sweep yet; leave it out");
    if (identity->spec_sha256 != stores.front().identity()->spec_sha256) {
      throw InputError(
          fmt::format("{}: belongs to a different spec than {}; merge stores of the same spec",
                      file, files.front()));
    }
    provenance.check(store);
  }
  return stores;
}

}  // namespace

std::map<std::string, std::int64_t> merge(const std::filesystem::path& out,
                                          const std::vector<std::string>& files,
                                          const InputRules& rules, const Signals& signals) {
  if (std::filesystem::exists(std::filesystem::symlink_status(out))) refuse_existing(out);
  std::vector<Store> stores = open_all(files);
  require_writable("merge", out);
  const Scratch scratch(folder_of(out));
  const std::filesystem::path file = scratch.path() / "whole.sqlite";
  std::map<std::string, std::int64_t> counts;
  {
    const Identity identity = *stores.front().identity();
    const Spec spec = parse_spec(identity.spec, stores.front().file(), rules);
    Store whole(file, Access::create);
    whole.set_points({identity.spec, identity.spec_sha256, Shard{}.text()}, points_of(spec));
    for (Store& store : stores) copy(store, whole, signals);
    counts = whole.counts();
  }
  place(file, out);
  return counts;
}

}  // namespace sim::sweep
