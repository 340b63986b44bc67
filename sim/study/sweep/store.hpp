// SPDX-License-Identifier: Apache-2.0
// Store: the SQLite file of a sweep. Anything that reads SQLite reads it, also while a sweep runs:
//
//   points     a row a point of the spec
//     point      key of the other tables          number   its place in the spec's order, from 0;
//     inputs     JSON, by name                             null: the spec has it no more
//     state      'open'       not yet run
//                'done'       it has a row in results and in reports
//                'too_large'  the same, but a GPU has not the memory that it needs: the report has
//                             "fits_memory": false
//                'refused'    its inputs do not go together; see message
//                'crashed'    its process ended otherwise; see message
//     message    what it said on standard error   id       SHA-256 of its inputs
//     origin, session, wall_s                     what it was computed from, when, for how long
//   results    a column for each figure of a report: its members that are no lists or objects
//   reports    report: all of it, as JSON
//   all_points number, state, message, the inputs (in_nodes, in_network_nic_bandwidth and, as a
//              number, in_network_nic_bandwidth_Bps) and the figures side by side: a view
//   quantities key, text, column_name, value: the number of each input that is a text with a unit
//   sweep      spec, spec_sha256, shard: one row
//   sessions   begun, ended (UTC), version, program_sha256, host, shard, workers, wall_s, cpu_s: a
//              row for each command that computed points
//   origins    version, files: JSON of each file that was read with its SHA-256
//
// Points that have ended are written at once: a killed process loses only those still running.
// Until the next sweep, the store of a killed process is STORE and STORE-wal together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/study/sweep/origins.hpp"
#include "sim/study/sweep/points.hpp"
#include "sim/study/sweep/sql.hpp"

namespace sim::sweep {

// Whether a member of a report is a figure: a column of results.
[[nodiscard]] bool is_figure(const std::string& key, const Inputs& value);

// A point that has run, by its key.
struct Finished {
  std::int64_t point = 0;
  Outcome outcome;
  std::string origin;
};

struct OpenPoint {
  std::int64_t point;
  Inputs inputs;
};

// A point and its outcome.
struct StoredPoint {
  std::int64_t number = 0, session = 0;
  Inputs inputs;
  Outcome outcome;
  std::string origin;
};

struct Identity {
  std::string spec, spec_sha256, shard;
};
[[nodiscard]] Identity identity_of(const Spec& spec, const Shard& shard);

struct Session {
  std::int64_t session = 0;
  std::string begun, version, program_sha256, host, shard;
  int workers = 0;
  std::string ended;
  double wall_s = 0, cpu_s = 0;
};
// One that begins now: of this program, on this machine.
[[nodiscard]] Session new_session(const std::string& version, const Shard& shard, int workers);

class Store {
 public:
  // Throws InputError for a file that is not a store.
  Store(const std::filesystem::path& file, Access access);
  // Merges everything written into one file that needs no companion and can be read from a
  // read-only folder.
  ~Store();
  Store(Store&&) = default;
  Store& operator=(Store&&) = delete;

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  // None if the store is new.
  [[nodiscard]] std::optional<Identity> identity();
  // Makes these points the store's: new ones are open, those that have run stay so, and others lose
  // their number.
  void set_points(const Identity& identity, const std::vector<Planned>& points);
  void add_origin(const Origin& origin);
  [[nodiscard]] std::vector<Origin> origins();
  // Points with a number, by state; those no longer in the spec count as "".
  [[nodiscard]] std::map<std::string, std::int64_t> counts();
  // In the order of their ids, which is unrelated to their contents: so that the estimate of the
  // time left is right from the start, and a stopped sweep has a part of everything.
  [[nodiscard]] std::vector<OpenPoint> open_points();
  // Those that have run, by number.
  void each_finished(const std::function<void(const StoredPoint&)>& visit);
  // What each of them was computed from: inputs and the id of an Origin.
  void each_origin(const std::function<void(std::int64_t point, const Inputs& inputs,
                                            const std::string& origin)>& visit);
  // The outcome of each point of the spec.
  void each_state(const std::function<void(const Inputs& inputs, const std::string& state)>& visit);
  // The numbers of those for which an SQL condition over all_points holds. Throws an InputError
  // about `where`.
  [[nodiscard]] std::set<std::int64_t> numbers_where(const std::string& condition);
  [[nodiscard]] std::vector<std::int64_t> points_that_crashed();
  // First lines of the messages of refused and crashed points, the most frequent first, with
  // counts.
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> frequent_messages();
  struct Known {
    std::int64_t point;
    std::string state;
  };
  // The point with these inputs, if there is one.
  [[nodiscard]] std::optional<Known> find(const Inputs& inputs);
  // Forgets the outcomes of these points.
  void reopen(const std::vector<std::int64_t>& points);

  [[nodiscard]] std::vector<Session> sessions();
  // The key of the new row.
  [[nodiscard]] std::int64_t begin_session(const Session& session);
  // By its key; now, unless it says when.
  void end_session(const Session& session);
  // For a session, by its key.
  void record(std::int64_t session, const std::vector<Finished>& batch);
  [[nodiscard]] Database& database() { return database_; }
  // Points computed by another program than this one.
  [[nodiscard]] std::int64_t points_of_other_programs(const std::string& program_sha256);

 private:
  void check_kind(Access access);
  void create();
  void record_one(std::int64_t session, const Finished& finished);
  void record_figures(std::int64_t point, const Inputs& report);
  void record_quantities(const std::vector<Planned>& points);
  void make_view();

  std::filesystem::path file_;
  Database database_;
  std::vector<std::string> columns_;  // of results, except point
};

}  // namespace sim::sweep
