// SPDX-License-Identifier: Apache-2.0
// What a sweep writes while it runs.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "sim/study/sweep/base_units.hpp"
#include "sim/study/sweep/store.hpp"

namespace sim::sweep {
namespace {

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

}  // namespace

bool is_figure(const std::string& key, const Inputs& value) {
  return !value.is_structured() && key != "schema_version" && key != "bound";
}

Session new_session(const std::string& version, const Shard& shard, int workers) {
  char host[64] = "?";
  gethostname(host, sizeof(host) - 1);
  return {.begun = now(),
          .version = version,
          .program_sha256 = sha256_of_file("/proc/self/exe"),
          .host = host,
          .shard = shard.text(),
          .workers = workers};
}

std::int64_t Store::begin_session(const Session& session) {
  Statement(database_,
            "insert into sessions(begun, version, program_sha256, host, shard, workers)"
            " values (?, ?, ?, ?, ?, ?)")
      .bind(session.begun)
      .bind(session.version)
      .bind(session.program_sha256)
      .bind(session.host)
      .bind(session.shard)
      .bind(session.workers)
      .run();
  return sqlite3_last_insert_rowid(database_.handle());
}

void Store::end_session(const Session& session) {
  Statement(database_, "update sessions set ended = ?, wall_s = ?, cpu_s = ? where session = ?")
      .bind(session.ended.empty() ? now() : session.ended)
      .bind(session.wall_s)
      .bind(session.cpu_s)
      .bind(session.session)
      .run();
}

std::vector<Session> Store::sessions() {
  std::vector<Session> all;
  Statement row(database_,
                "select session, begun, version, program_sha256, host, shard, workers, ended,"
                " wall_s, cpu_s from sessions order by session");
  while (row.step()) {
    all.push_back({row.integer(0), row.text(1), row.text(2), row.text(3), row.text(4), row.text(5),
                   static_cast<int>(row.integer(6)), row.text(7), row.number(8), row.number(9)});
  }
  return all;
}

void Store::record(std::int64_t session, const std::vector<Finished>& batch) {
  if (batch.empty()) return;
  Transaction transaction(database_);
  for (const Finished& finished : batch) record_one(session, finished);
  transaction.commit();
}

std::int64_t Store::points_of_other_programs(const std::string& program_sha256) {
  Statement row(database_,
                "select count(*) from points join sessions using (session)"
                " where number is not null and program_sha256 <> ?");
  row.bind(program_sha256).step();
  return row.integer(0);
}

void Store::record_one(std::int64_t session, const Finished& finished) {
  Statement(database_,
            "update points set state = ?, message = ?, origin = ?, session = ?, wall_s = ?"
            " where point = ?")
      .bind(finished.outcome.state)
      .bind(or_null(finished.outcome.message))
      .bind(finished.origin)
      .bind(session)
      .bind(finished.outcome.wall_s)
      .bind(finished.point)
      .run();
  const Inputs& report = finished.outcome.report;
  if (report.is_null()) return;
  Statement(database_, "insert or replace into reports values (?, ?)")
      .bind(finished.point)
      .bind(report.dump())
      .run();
  record_figures(finished.point, report);
}

void Store::record_figures(std::int64_t point, const Inputs& report) {
  std::string names = "point", places = "?";
  std::vector<Inputs> values;
  const std::size_t known = columns_.size();
  for (const auto& [key, value] : report.items()) {
    if (!is_figure(key, value)) continue;
    if (std::ranges::find(columns_, key) == columns_.end()) {
      database_.run("alter table results add column " + sql_name(key));
      columns_.push_back(key);
    }
    names += ", " + sql_name(key);
    places += ", ?";
    values.push_back(value);
  }
  if (columns_.size() != known) make_view();
  Statement insert(database_,
                   fmt::format("insert or replace into results({}) values ({})", names, places));
  insert.bind(point);
  for (const Inputs& value : values) insert.bind(value);
  insert.run();
}

void Store::record_quantities(const std::vector<Planned>& points) {
  // Stores of earlier versions have no such table.
  database_.run(
      "create table if not exists quantities(key text not null, text text not null,"
      " column_name text not null, value real not null, primary key (key, text));"
      "delete from quantities");
  NumberColumns numbers;
  Statement insert(database_, "insert or ignore into quantities values (?, ?, ?, ?)");
  for (const Planned& point : points) {
    for (const auto& [key, value] : point.inputs.items()) {
      if (!numbers.add(key, value)) continue;
      const auto number = in_base_units(text_of(value));
      if (!number) continue;
      insert.bind(key).bind(value).bind(column_of(key, *number)).bind(number->value).run();
    }
  }
}

void Store::make_view() {
  std::string columns;
  Statement keys(database_,
                 "select distinct key from (select inputs from points where number is not null"
                 " limit 1), json_each(inputs)");
  Statement names(database_, "select distinct column_name from quantities where key = ?");
  while (keys.step()) {
    const std::string key = keys.text(0);
    const std::string input = fmt::format("json_extract(inputs, '$.\"{}\"')", key);
    columns += fmt::format(", {} as {}", input, sql_name("in_" + column_of(key)));
    for (names.bind(key); names.step();) {
      columns += fmt::format(
          ", (select value from quantities where key = '{}' and text = {} and column_name = '{}')"
          " as {}",
          key, input, names.text(0), sql_name("in_" + names.text(0)));
    }
  }
  for (const std::string& column : columns_) columns += ", r." + sql_name(column);
  database_.run("drop view if exists all_points");
  database_.run("create view all_points as select number, state, message" + columns +
                " from points p left join results r on r.point = p.point"
                " where number is not null order by number");
}

}  // namespace sim::sweep
