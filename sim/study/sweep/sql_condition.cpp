// SPDX-License-Identifier: Apache-2.0
// run_condition(): conditions written by people.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/study/sweep/base_units.hpp"
#include "sim/study/sweep/sql.hpp"

namespace sim::sweep {
namespace {

void quantity(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  const std::string given = text == nullptr ? "" : text;
  if (const auto number = in_base_units(given)) {
    sqlite3_result_double(context, number->value);
  } else {
    const std::string message = fmt::format(
        "quantity('{}'): is not a quantity; write e.g. quantity('400 Gbps')", printable(given));
    sqlite3_result_error(context, message.c_str(), -1);
  }
}

// Of what a condition may call. Others make texts of any length, say another thing every time, or
// reach beyond the database.
constexpr std::string_view kFunctions[] = {
    "quantity", "abs",    "avg",   "ceil",   "ceiling", "coalesce",     "count",  "floor",
    "glob",     "ifnull", "iif",   "instr",  "length",  "like",         "ln",     "log",
    "log10",    "log2",   "lower", "ltrim",  "max",     "min",          "mod",    "nullif",
    "pow",      "power",  "round", "rtrim",  "sign",    "sqrt",         "substr", "substring",
    "sum",      "total",  "trim",  "typeof", "upper",   "json_extract", "->",     "->>"};

int authorize(void* /*unused*/, int action, const char* /*what*/, const char* function,
              const char* /*database*/, const char* /*trigger*/) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_DELETE:  // of points for which a spec's condition does not hold
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return std::ranges::find(kFunctions, function) != std::end(kFunctions) ? SQLITE_OK
                                                                             : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

// While it lives, statements are bounded in what they do, in the texts that they make, and in how long
// they take: by steps of SQLite's machine, which are as many on any computer.
class Bounds {
 public:
  Bounds(sqlite3* handle, std::int64_t points)
      : handle_(handle),
        periods_(kPeriodsAtLeast + points),
        longest_text_(sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestText)),
        longest_pattern_(sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, kLongestPattern)) {
    sqlite3_set_authorizer(handle, authorize, nullptr);
    sqlite3_progress_handler(handle, kPeriod, has_ended, this);
  }
  ~Bounds() {
    sqlite3_set_authorizer(handle_, nullptr, nullptr);
    sqlite3_progress_handler(handle_, 0, nullptr, nullptr);
    sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, longest_text_);
    sqlite3_limit(handle_, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, longest_pattern_);
  }
  Bounds(const Bounds&) = delete;
  Bounds& operator=(const Bounds&) = delete;

 private:
  static constexpr int kPeriod = 1000;                     // steps for each point
  static constexpr std::int64_t kPeriodsAtLeast = 10'000;  // for what looks at all points for each
  static constexpr int kLongestText = 1 << 16, kLongestPattern = 1000;

  static int has_ended(void* bounds) { return --static_cast<Bounds*>(bounds)->periods_ < 0; }

  sqlite3* handle_;
  std::int64_t periods_;
  int longest_text_, longest_pattern_;
};

std::string problem_of(sqlite3* handle, int code) {
  switch (code) {
    case SQLITE_MISUSE:
      return "is more than one condition";
    case SQLITE_INTERRUPT:
      return "takes too long; compare the columns of a point with constants";
    case SQLITE_AUTH:
      return fmt::format("{}; a condition may read columns and call {}", sqlite3_errmsg(handle),
                         joined(kFunctions, " "));
    default:
      return sqlite3_errmsg(handle);
  }
}

}  // namespace

std::optional<std::string> run_condition(Database& database, const std::string& sql,
                                         std::int64_t points,
                                         const std::function<void(sqlite3_stmt*)>& row) {
  sqlite3* const handle = database.handle();
  sqlite3_create_function(handle, "quantity", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                          quantity, nullptr, nullptr);
  const Bounds bounds(handle, points);
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  int code = sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, &rest);
  if (code == SQLITE_OK && *rest != '\0') code = SQLITE_MISUSE;
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW) row(statement);
  }
  std::optional<std::string> problem;
  if (code != SQLITE_DONE) problem = problem_of(handle, code);
  sqlite3_finalize(statement);
  return problem;
}

}  // namespace sim::sweep
