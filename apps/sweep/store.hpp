// Store: the SQLite file of a sweep. Anything that reads SQLite reads it, also while a sweep runs:
//
//   points     a row a point of the spec
//     point      key of the other tables          number   its place in the spec's order, from 0;
//     inputs     JSON, by the flags of run                 null: the spec has it no more
//     state      'open'       not yet run
//                'done'       it has a row in results and in reports
//                'too_large'  the same, but a GPU has not the memory that it needs
//                'refused'    run said that its inputs do not go together; see message
//                'crashed'    the process ended otherwise; see message
//     message    what run said on standard error  id       SHA-256 of its inputs
//     origin, session, wall_s                     what it was computed from, when, for how long
//   results    a column for each figure of run's CSV, by the same names, each with its unit
//   reports    report: all of run's JSON: parts of times, of bytes and of memory, sources
//   all_points number, state, message, the inputs (in_nodes, in_network_nic_bandwidth and, as a
//              number, in_network_nic_bandwidth_Bps) and the figures side by side: a view
//   quantities key, text, column_name, value: the number of each input that is a text with a unit
//   sweep      spec, spec_sha256, shard: one row
//   sessions   begun, ended (UTC), version, program_sha256, host, shard, workers, wall_s, cpu_s: a
//              row for each command that computed points
//   origins    version, files: JSON of each file that was read with its SHA-256
//
// Points that have ended are written at once: a process that is killed loses only those that were
// still running. Until the next sweep a killed one's store is STORE and STORE-wal together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/sweep/origins.hpp"
#include "apps/sweep/spec.hpp"
#include "apps/sweep/sql.hpp"

namespace apps {

// A point of the spec, before it is run.
struct Planned {
  std::int64_t number;
  Inputs inputs;
};
[[nodiscard]] std::string id_of(const Inputs& inputs);

// Whether a member of a report is a figure: what run's CSV has of it.
[[nodiscard]] bool is_figure(const std::string& key, const Inputs& value);

// A point that has been run.
struct Finished {
  std::int64_t point = 0;
  std::string state, message;
  Inputs report;  // null where there is none
  double wall_s = 0;
  std::string origin;
};

struct OpenPoint {
  std::int64_t point;
  Inputs inputs;
};

// A point with what became of it.
struct StoredPoint {
  std::int64_t number = 0, session = 0;
  Inputs inputs;
  Finished finished;
};

struct Identity {
  std::string spec, spec_sha256, shard;
};

struct Session {
  std::int64_t session = 0;
  std::string begun, version, program_sha256, host, shard;
  int workers = 0;
  std::string ended;
  double wall_s = 0, cpu_s = 0;
};

class Store {
 public:
  // Throws InputError for a file that is no store.
  Store(const std::filesystem::path& file, Access access);
  // What was written becomes one file that needs no other and can be read where nothing can be
  // written.
  ~Store();
  Store(Store&&) = default;
  Store& operator=(Store&&) = delete;

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  // None where the store is new.
  [[nodiscard]] std::optional<Identity> identity();
  // Makes these points the store's: new ones are open, those that were run stay so, and others lose
  // their number.
  void set_points(const Identity& identity, const std::vector<Planned>& points);
  void add_origin(const Origin& origin);
  [[nodiscard]] std::vector<Origin> origins();
  // Points with a number by state; those that the spec has no more count as "".
  [[nodiscard]] std::map<std::string, std::int64_t> counts();
  // In the order of their ids, which is no order of theirs: so that the time left is told rightly
  // from the start, and a sweep that is stopped has a part of everything.
  [[nodiscard]] std::vector<OpenPoint> open_points();
  // Those that have been run, by number.
  void each_finished(const std::function<void(const StoredPoint&)>& visit);
  // What each of them was computed from: inputs and the id of an Origin.
  void each_origin(const std::function<void(std::int64_t point, const Inputs& inputs,
                                            const std::string& origin)>& visit);
  // What became of each point of the spec.
  void each_state(const std::function<void(const Inputs& inputs, const std::string& state)>& visit);
  [[nodiscard]] std::vector<std::int64_t> points_that_crashed();
  // First lines of what refused and crashed points said, the most frequent first, and how often.
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> frequent_messages();
  struct Known {
    std::int64_t point;
    std::string state;
  };
  // The point with these inputs, if there is one.
  [[nodiscard]] std::optional<Known> find(const Inputs& inputs);
  // Forgets what became of these.
  void reopen(const std::vector<std::int64_t>& points);

  [[nodiscard]] std::vector<Session> sessions();
  // The key of the new row.
  [[nodiscard]] std::int64_t begin_session(const Session& session);
  void end_session(std::int64_t key, const Session& session);
  // Of a session by its key.
  void record(std::int64_t session, const std::vector<Finished>& batch);
  [[nodiscard]] Database& database() { return database_; }
  // Points that another program than this one computed.
  [[nodiscard]] std::int64_t points_of_other_programs(const std::string& program_sha256);

 private:
  void check_kind();
  void create();
  void record_one(std::int64_t session, const Finished& finished);
  void record_figures(std::int64_t point, const Inputs& report);
  void record_quantities(const std::vector<Planned>& points);
  void make_view();

  std::filesystem::path file_;
  Database database_;
  std::vector<std::string> columns_;  // of results, without point
};

}  // namespace apps
