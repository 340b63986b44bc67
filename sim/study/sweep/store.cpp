// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/store.hpp"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <functional>

#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"

namespace sim::sweep {
namespace {

// "GHSW", and the version of the schema.
constexpr std::int64_t kApplication = 0x47485357;
constexpr std::int64_t kSchema = 1;

constexpr const char* kTables = R"(
create table sweep(spec text not null, spec_sha256 text not null, shard text not null);
create table origins(origin text primary key, version text not null, files text not null);
create table sessions(session integer primary key, begun text not null, ended text,
  version text not null, program_sha256 text not null, host text not null, shard text not null,
  workers integer not null, wall_s real, cpu_s real);
create table points(point integer primary key, number integer unique, id text not null unique,
  inputs text not null, state text not null default 'open', message text,
  origin text references origins, session integer references sessions, wall_s real);
create table results(point integer primary key references points);
create table reports(point integer primary key references points, report text not null);
)";

// Whether the file system is known to be this machine's own. A write-ahead log, whose transactions
// need not wait for the disk, keeps an index in memory that other machines do not see.
bool is_local(const std::filesystem::path& file) {
  struct statfs system {};
  if (statfs(file.c_str(), &system) != 0) return false;
  constexpr std::array<long, 6> kLocal{EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC,       BTRFS_SUPER_MAGIC,
                                       F2FS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC, TMPFS_MAGIC};
  return std::ranges::find(kLocal, system.f_type) != kLocal.end();
}

}  // namespace

Identity identity_of(const Spec& spec, const Shard& shard) {
  return {spec.text, sha256(spec.text), shard.text()};
}

Store::Store(const std::filesystem::path& file, Access access)
    : file_(file), database_(file, access) {
  check_kind(access);
  if (access == Access::create) create();
  Statement names(database_, "select name from pragma_table_info('results') where name <> 'point'");
  while (names.step()) columns_.push_back(names.text(0));
}

Store::~Store() {
  if (database_.handle() == nullptr || sqlite3_db_readonly(database_.handle(), "main") == 1) return;
  // Where somebody reads it, it stays as it is.
  sqlite3_exec(database_.handle(), "pragma journal_mode = delete", nullptr, nullptr, nullptr);
}

void Store::check_kind(Access access) {
  Statement kind(database_,
                 "select (select application_id from pragma_application_id),"
                 " (select user_version from pragma_user_version),"
                 " (select count(*) from sqlite_master)");
  kind.step();
  const bool is_new = kind.integer(2) == 0;
  if (is_new && access != Access::create) {
    throw InputError(
        fmt::format("{}: has no tables yet; wait until the sweep that creates it has begun, or "
                    "repeat its command",
                    file_.string()));
  }
  if (is_new || (kind.integer(0) == kApplication && kind.integer(1) == kSchema)) return;
  throw InputError(
      kind.integer(0) == kApplication
          ? fmt::format("{}: is a store of schema {}, but this gardenhose reads schema {}; use the "
                        "version that made it",
                        file_.string(), kind.integer(1), kSchema)
          : fmt::format("{}: is not the store of a sweep; name another file", file_.string()));
}

void Store::create() {
  if (is_local(file_)) database_.run("pragma journal_mode = wal; pragma synchronous = normal");
  Transaction transaction(database_);
  Statement tables(database_, "select count(*) from sqlite_master");
  tables.step();
  if (tables.integer(0) != 0) return;
  database_.run(kTables);
  database_.run(
      fmt::format("pragma application_id = {}; pragma user_version = {}", kApplication, kSchema));
  transaction.commit();
}

std::optional<Identity> Store::identity() {
  Statement row(database_, "select spec, spec_sha256, shard from sweep");
  if (!row.step()) return std::nullopt;
  return Identity{row.text(0), row.text(1), row.text(2)};
}

void Store::set_points(const Identity& identity, const std::vector<Planned>& points) {
  Transaction transaction(database_);
  database_.run("delete from sweep; update points set number = null where number is not null");
  Statement(database_, "insert into sweep values (?, ?, ?)")
      .bind(identity.spec)
      .bind(identity.spec_sha256)
      .bind(identity.shard)
      .run();
  record_quantities(points);
  Statement upsert(database_,
                   "insert into points(number, id, inputs) values (?, ?, ?) on conflict(id) do"
                   " update set number = excluded.number, inputs = excluded.inputs");
  for (const Planned& point : points) {
    upsert.bind(point.number).bind(id_of(point.inputs)).bind(point.inputs.dump()).run();
  }
  make_view();
  transaction.commit();
}

void Store::add_origin(const Origin& origin) {
  Statement(database_, "insert or ignore into origins values (?, ?, ?)")
      .bind(origin.id)
      .bind(origin.version)
      .bind(line_of(origin.files))
      .run();
}

std::vector<Origin> Store::origins() {
  std::vector<Origin> all;
  Statement row(database_, "select origin, version, files from origins order by origin");
  while (row.step()) {
    Origin& origin = all.emplace_back(Origin{row.text(0), row.text(1), {}});
    const Inputs files = row.object(2);
    for (const auto& [name, hash] : files.items()) origin.files[name] = text_of(hash);
  }
  return all;
}

std::map<std::string, std::int64_t> Store::counts() {
  std::map<std::string, std::int64_t> counts;
  Statement row(database_,
                "select case when number is null then '' else state end, count(*) from points"
                " group by 1");
  while (row.step()) counts[row.text(0)] = row.integer(1);
  return counts;
}

std::vector<OpenPoint> Store::open_points() {
  std::vector<OpenPoint> points;
  Statement row(database_,
                "select point, inputs from points where state = 'open' and number is not null"
                " order by id");
  while (row.step()) points.push_back({row.integer(0), row.object(1)});
  return points;
}

void Store::each_finished(const std::function<void(const StoredPoint&)>& visit) {
  Statement row(database_,
                "select number, session, inputs, state, message, report, wall_s, origin"
                " from points left join reports using (point)"
                " where state <> 'open' and number is not null order by number");
  while (row.step()) {
    visit({.number = row.integer(0),
           .session = row.integer(1),
           .inputs = row.object(2),
           .outcome = {row.text(3), row.text(4), row.is_null(5) ? Inputs() : row.object(5),
                       row.number(6)},
           .origin = row.text(7)});
  }
}

void Store::each_origin(
    const std::function<void(std::int64_t, const Inputs&, const std::string&)>& visit) {
  Statement row(database_,
                "select point, inputs, origin from points"
                " where state <> 'open' and number is not null");
  while (row.step()) visit(row.integer(0), row.object(1), row.text(2));
}

void Store::each_state(const std::function<void(const Inputs&, const std::string&)>& visit) {
  Statement row(database_, "select inputs, state from points where number is not null");
  while (row.step()) visit(row.object(0), row.text(1));
}

std::set<std::int64_t> Store::numbers_where(const std::string& condition) {
  // On lines of their own, so that a comment in the condition ends with it.
  const std::string sql =
      "select number from all_points where number is not null and (\n" + condition + "\n)";
  std::set<std::int64_t> numbers;
  std::int64_t points = 0;
  for (const auto& [state, count] : counts()) points += count;
  const auto problem = run_condition(database_, sql, points, [&](sqlite3_stmt* row) {
    numbers.insert(sqlite3_column_int64(row, 0));
  });
  if (!problem) return numbers;
  throw InputError(fmt::format("`where`: '{}': {}; write SQL over all_points, e.g. \"in_tp = 1\"",
                               printable(condition), *problem));
}

std::vector<std::int64_t> Store::points_that_crashed() {
  std::vector<std::int64_t> points;
  Statement row(database_, "select point from points where state = 'crashed'");
  while (row.step()) points.push_back(row.integer(0));
  return points;
}

std::vector<std::pair<std::string, std::int64_t>> Store::frequent_messages() {
  std::vector<std::pair<std::string, std::int64_t>> messages;
  Statement row(database_,
                "select substr(message, 1, instr(message || char(10), char(10)) - 1), count(*)"
                " from points where state in ('refused', 'crashed') and number is not null"
                " group by 1 order by 2 desc, 1 limit 5");
  while (row.step()) messages.emplace_back(row.text(0), row.integer(1));
  return messages;
}

std::optional<Store::Known> Store::find(const Inputs& inputs) {
  Statement row(database_, "select point, state from points where id = ?");
  if (!row.bind(id_of(inputs)).step()) return std::nullopt;
  return Known{row.integer(0), row.text(1)};
}

void Store::reopen(const std::vector<std::int64_t>& points) {
  Transaction transaction(database_);
  for (const char* sql :
       {"delete from results where point = ?", "delete from reports where point = ?",
        "update points set state = 'open', message = null, origin = null,"
        " session = null, wall_s = null where point = ?"}) {
    Statement statement(database_, sql);
    for (const std::int64_t point : points) statement.bind(point).run();
  }
  transaction.commit();
}

}  // namespace sim::sweep
