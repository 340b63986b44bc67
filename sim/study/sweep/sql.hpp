// SPDX-License-Identifier: Apache-2.0
// SQLite as values: a database, a statement, a transaction. Errors are InputErrors that begin with
// the file and give a remedy.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace sim::sweep {

enum class Access { read, create };

class Database {
 public:
  // In memory.
  Database();
  Database(const std::filesystem::path& file, Access access);

  // Statements without parameters and results.
  void run(const std::string& sql);
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
  [[nodiscard]] const std::string& name() const { return name_; }  // in messages
  [[noreturn]] void fail() const;
  // For errors other than SQL's.
  [[noreturn]] void fail(std::string_view problem) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  void open(const char* file, int flags);

  std::string name_;
  std::unique_ptr<sqlite3, Close> handle_;
};

// One statement, to be run any number of times: bind() in order, then step() while it returns true.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);

  // Takes JSON's scalars: false and true are 0 and 1. Anything else is bound as its text.
  Statement& bind(const nlohmann::ordered_json& value);
  // True if there is a row. After the last row, the statement can be run again.
  bool step();
  // Runs it to its end.
  void run() {
    while (step()) {
    }
  }

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double number(int column) const;
  [[nodiscard]] std::string text(int column) const;  // of null: empty
  [[nodiscard]] bool is_null(int column) const;
  // The text of a column as a JSON object. Throws InputError if it is not one.
  [[nodiscard]] nlohmann::ordered_json object(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };

  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  int bound_ = 0;
};

// Everything written between here and commit() is written completely or not at all.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  Database* database_;
};

// Runs a statement with a condition in it that a person wrote, over so many points; in it,
// quantity('400 Gbps') is the result of in_base_units(). `row` is called for each row. Returns what
// is wrong with the condition, if something is: that it is no SQL, more than a condition, or more
// than a condition needs: functions that make long texts, joins that take for ever.
[[nodiscard]] std::optional<std::string> run_condition(
    Database& database, const std::string& sql, std::int64_t points,
    const std::function<void(sqlite3_stmt*)>& row);

// A name quoted for SQL: "nic_bandwidth", whatever its characters.
[[nodiscard]] std::string sql_name(std::string_view name);

}  // namespace sim::sweep
