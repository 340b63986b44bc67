#include "apps/sweep/sql_quantity.hpp"

#include <fmt/format.h>

#include <string>

#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

void quantity(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  const std::string given = text == nullptr ? "" : text;
  if (const auto value = quantity_value(given)) {
    sqlite3_result_double(context, *value);
  } else {
    const std::string message = fmt::format(
        "quantity('{}'): is no quantity; write e.g. quantity('400 Gbps')", sim::printable(given));
    sqlite3_result_error(context, message.c_str(), -1);
  }
}

}  // namespace

// No unit belongs to two of the types.
std::optional<double> quantity_value(std::string_view text) {
  using sim::parse_quantity;
  if (const auto bytes = parse_quantity<sim::Bytes>(text).value) {
    return static_cast<double>(bytes->count);
  }
  if (const auto bandwidth = parse_quantity<sim::Bandwidth>(text).value) return bandwidth->base();
  if (const auto time = parse_quantity<sim::Seconds>(text).value) return time->base();
  if (const auto rate = parse_quantity<sim::FlopRate>(text).value) return rate->base();
  return std::nullopt;
}

std::optional<std::string> run_condition(Database& database, const std::string& sql,
                                         const std::function<void(sqlite3_stmt*)>& row) {
  sqlite3* const handle = database.handle();
  sqlite3_create_function(handle, "quantity", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                          quantity, nullptr, nullptr);
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  int code = sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, &rest);
  if (code == SQLITE_OK && *rest != '\0') code = SQLITE_MISUSE;
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW) row(statement);
  }
  std::optional<std::string> problem;
  if (code == SQLITE_MISUSE) {
    problem = "is more than one condition";
  } else if (code != SQLITE_DONE) {
    problem = sqlite3_errmsg(handle);
  }
  sqlite3_finalize(statement);
  return problem;
}

}  // namespace apps
