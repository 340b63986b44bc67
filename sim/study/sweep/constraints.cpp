// SPDX-License-Identifier: Apache-2.0
// places_of(): SQLite evaluates the conditions of a spec over its points, so that they are a
// language that people know.
#include <fmt/format.h>

#include <numeric>

#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/study/sweep/base_units.hpp"
#include "sim/study/sweep/spec.hpp"
#include "sim/study/sweep/sql.hpp"

namespace sim::sweep {
namespace {

// The inputs of all points that no condition leaves out yet. Returns the names of their columns.
std::vector<std::string> fill(Database& database, const Spec& spec) {
  NumberColumns numbers;
  for (const Axis& axis : spec.axes) {
    for (const auto& row : axis.rows) {
      for (std::size_t i = 0; i < row.size(); ++i) numbers.add(axis.keys[i], row[i]);
    }
  }
  std::vector<std::string> columns;
  std::string names, places;
  numbers.each(inputs_at(spec, 0), [&](const std::string& name, const Inputs&) {
    columns.push_back(name);
    names += ", " + sql_name(name);
    places += ", ?";
  });
  database.run("create table points(place integer primary key" + names + ")");
  Statement insert(database, "insert into points values (?" + places + ")");
  Transaction transaction(database);
  for (std::int64_t place = 0; place < combinations(spec); ++place) {
    insert.bind(place);
    numbers.each(inputs_at(spec, place),
                 [&](const std::string&, const Inputs& value) { insert.bind(value); });
    insert.run();
  }
  transaction.commit();
  return columns;
}

// Deletes the points for which the condition does not hold.
void keep(Database& database, const Spec& spec, const std::string& condition,
          const std::vector<std::string>& columns) {
  // On lines of their own, so that a comment in the condition ends with it.
  const std::string sql = "delete from points where (\n" + condition + "\n) is not true";
  const auto problem = run_condition(database, sql, combinations(spec), [](sqlite3_stmt*) {});
  if (!problem) return;
  throw InputError(fmt::format("{}:{}:{}: where: '{}': {}; known here: {}", spec.file.string(),
                               spec.where_place.line, spec.where_place.column, printable(condition),
                               *problem, joined(columns)));
}

}  // namespace

std::vector<std::int64_t> places_of(const Spec& spec) {
  std::vector<std::int64_t> places;
  if (spec.where.empty()) {
    places.resize(static_cast<std::size_t>(combinations(spec)));
    std::iota(places.begin(), places.end(), 0);
    return places;
  }
  Database database;
  const std::vector<std::string> columns = fill(database, spec);
  for (const std::string& condition : spec.where) keep(database, spec, condition, columns);
  Statement left(database, "select place from points order by place");
  while (left.step()) places.push_back(left.integer(0));
  if (places.empty()) {
    throw InputError(fmt::format("{}:{}:{}: where: leaves no point of {}; loosen a condition",
                                 spec.file.string(), spec.where_place.line, spec.where_place.column,
                                 combinations(spec)));
  }
  return places;
}

}  // namespace sim::sweep
