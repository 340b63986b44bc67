// SPDX-License-Identifier: Apache-2.0
// places_of(): SQLite evaluates the conditions of a spec over its points, so that they are a
// language that people know.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "apps/sweep/base_units.hpp"
#include "apps/sweep/spec.hpp"
#include "apps/sweep/sql_quantity.hpp"
#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

// The inputs by their names in SQL, each with those in which its quantities are numbers.
class Columns {
 public:
  explicit Columns(const Spec& spec) {
    for (const Axis& axis : spec.axes) {
      for (const auto& row : axis.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) numbers_.add(axis.keys[i], row[i]);
      }
      for (const std::string& key : axis.keys) add(key);
    }
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  // In their order.
  void bind(const Inputs& inputs, Statement& statement) const {
    for (const auto& [key, value] : inputs.items()) {
      statement.bind(value);
      for (const std::string& column : numbers_.of(key)) {
        statement.bind(numbers_.value(key, value, column));
      }
    }
  }

 private:
  void add(const std::string& key) {
    names_.push_back(column_of(key));
    for (const std::string& column : numbers_.of(key)) names_.push_back(column);
  }

  NumberColumns numbers_;
  std::vector<std::string> names_;
};

void fill(Database& database, const Spec& spec, const Columns& columns) {
  std::string names, places;
  for (const std::string& name : columns.names()) {
    names += ", " + sql_name(name);
    places += ", ?";
  }
  database.run("create table points(place integer primary key" + names + ")");
  Statement insert(database, "insert into points values (?" + places + ")");
  Transaction transaction(database);
  for (std::int64_t place = 0; place < combinations(spec); ++place) {
    insert.bind(place);
    columns.bind(inputs_at(spec, place), insert);
    insert.run();
  }
  transaction.commit();
}

[[noreturn]] void refuse(const Spec& spec, const std::string& condition, std::string_view what,
                         const Columns& columns) {
  throw sim::InputError(fmt::format(
      "{}:{}:{}: where: '{}': {}; known here: {}", spec.file.string(), spec.where_place.line,
      spec.where_place.column, sim::printable(condition), what, fmt::join(columns.names(), ", ")));
}

// Deletes the points for which the condition does not hold.
void keep(Database& database, const Spec& spec, const std::string& condition,
          const Columns& columns) {
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
  const Columns columns(spec);
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
