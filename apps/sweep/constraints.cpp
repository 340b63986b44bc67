// places_of(): SQLite evaluates the conditions of a spec over its points, so that they are a
// language that people know.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "apps/sweep/spec.hpp"
#include "apps/sweep/sql_quantity.hpp"
#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

std::vector<std::string> columns_of(const Spec& spec) {
  std::vector<std::string> columns;
  for (const Axis& axis : spec.axes) {
    for (const std::string& key : axis.keys) columns.push_back(sql_name(column_of(key)));
  }
  return columns;
}

void fill(Database& database, const Spec& spec, const std::vector<std::string>& columns) {
  database.run("create table points(place integer primary key, " +
               fmt::format("{}", fmt::join(columns, ", ")) + ")");
  std::string sql = "insert into points values (?";
  for (std::size_t i = 0; i < columns.size(); ++i) sql += ", ?";
  Statement insert(database, sql + ")");
  Transaction transaction(database);
  for (std::int64_t place = 0; place < combinations(spec); ++place) {
    insert.bind(place);
    const Inputs inputs = inputs_at(spec, place);
    for (const auto& [key, value] : inputs.items()) insert.bind(value);
    insert.run();
  }
  transaction.commit();
}

[[noreturn]] void refuse(const Spec& spec, const std::string& condition, std::string_view what,
                         const std::vector<std::string>& columns) {
  std::string names;
  for (const std::string& column : columns) {
    names += (names.empty() ? "" : ", ") + column.substr(1, column.size() - 2);
  }
  throw sim::InputError(fmt::format("{}:{}:{}: where: '{}': {}; known here: {}", spec.file.string(),
                                    spec.where_place.line, spec.where_place.column,
                                    sim::printable(condition), what, names));
}

// Deletes the points for which the condition does not hold.
void keep(Database& database, const Spec& spec, const std::string& condition,
          const std::vector<std::string>& columns) {
  // On lines of their own, so that a comment in the condition ends with it.
  const std::string sql = "delete from points where (\n" + condition + "\n) is not true";
  if (const auto problem = run_condition(database, sql, combinations(spec), [](sqlite3_stmt*) {})) {
    refuse(spec, condition, *problem, columns);
  }
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
  const std::vector<std::string> columns = columns_of(spec);
  fill(database, spec, columns);
  for (const std::string& condition : spec.where) keep(database, spec, condition, columns);
  Statement left(database, "select place from points order by place");
  while (left.step()) places.push_back(left.integer(0));
  if (places.empty()) {
    throw sim::InputError(fmt::format("{}:{}:{}: where: leaves no point of {}; loosen a condition",
                                      spec.file.string(), spec.where_place.line,
                                      spec.where_place.column, combinations(spec)));
  }
  return places;
}

}  // namespace apps
