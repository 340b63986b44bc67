// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/sql.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/files_in_use.hpp"
#include "sim/base/json_reader.hpp"

namespace sim::sweep {
namespace {

// Whoever reads a store meanwhile is not long about it.
constexpr int kPatience_ms = 30'000;

// What to do about a code of SQLite.
const char* remedy_of(int code) {
  switch (code) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
      return "; free some space and repeat the command: recorded points are kept";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "; another program has it locked: end that program and repeat the command";
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      return "; name a file in a writable folder";
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return "; it is not the store of a sweep, or it is damaged: name another file";
    default:
      return "";
  }
}

std::filesystem::file_status status_of(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::status(file, error);
}

}  // namespace

Database::Database() : name_("SQL") { open(":memory:", SQLITE_OPEN_READWRITE); }

Database::Database(const std::filesystem::path& file, Access access) : name_(file.string()) {
  const std::filesystem::file_status status = status_of(file);
  if (access != Access::create && status.type() == std::filesystem::file_type::not_found) {
    throw InputError(name_ + ": no such file; gardenhose sweep SPEC.toml `store` creates one");
  }
  // A device or a pipe may have no end, or block.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw InputError(name_ + ": is not a regular file; name the store of a sweep");
  }
  if (access == Access::read) {
    for (const char* suffix : {"", "-wal", "-shm", "-journal", ".lock"}) {
      note_input(file.string() + suffix);
    }
  }
  open(file.c_str(),
       access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (access != Access::read && sqlite3_db_readonly(handle(), "main") == 1) {
    throw InputError(name_ +
                     ": cannot be written; make it writable, or name another file with `store`");
  }
}

void Database::open(const char* file, int flags) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(file, &handle, flags, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail();
  sqlite3_busy_timeout(handle, kPatience_ms);
  // Or a misspelt column in double quotes would be a text.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
}

void Database::fail() const {
  const int code = sqlite3_errcode(handle()) & 0xff;
  const int system = sqlite3_system_errno(handle());
  const bool of_system = code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_FULL;
  const bool lacks = of_system && (system == EMFILE || system == ENFILE || system == ENOMEM);
  throw InputError(fmt::format(
      "{}: {}{}{}", name_, sqlite3_errmsg(handle()),
      of_system && system != 0 ? fmt::format(" ({})", system_problem(system)) : std::string(),
      lacks ? "" : remedy_of(code)));
}

void Database::fail(std::string_view problem) const {
  throw InputError(fmt::format("{}: {}", name_, problem));
}

void Database::run(const std::string& sql) {
  if (sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

Statement::Statement(Database& database, std::string_view sql) : database_(&database) {
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()),
                                      &handle, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) database.fail();
}

Statement& Statement::bind(const nlohmann::ordered_json& value) {
  sqlite3_stmt* handle = handle_.get();
  const int place = ++bound_;
  int code = SQLITE_OK;
  if (value.is_null()) {
    code = sqlite3_bind_null(handle, place);
  } else if (value.is_boolean()) {
    code = sqlite3_bind_int(handle, place, value.get<bool>() ? 1 : 0);
  } else if (value.is_number_integer()) {
    code = sqlite3_bind_int64(handle, place, value.get<std::int64_t>());
  } else if (value.is_number()) {
    code = sqlite3_bind_double(handle, place, value.get<double>());
  } else {
    const auto text = value.is_string() ? value.get<std::string>() : value.dump();
    code =
        sqlite3_bind_text64(handle, place, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  if (code != SQLITE_OK) database_->fail();
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  bound_ = 0;
  if (code != SQLITE_DONE) database_->fail();
  sqlite3_reset(handle_.get());
  return false;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_.get(), column);
}

double Statement::number(int column) const { return sqlite3_column_double(handle_.get(), column); }

std::string Statement::text(int column) const {
  const auto* text = sqlite3_column_text(handle_.get(), column);
  const int size = sqlite3_column_bytes(handle_.get(), column);
  return text == nullptr
             ? std::string()
             : std::string(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
}

nlohmann::ordered_json Statement::object(int column) const {
  const JsonDocument document = parse_json(
      text(column), fmt::format("{}: is damaged: {} of one of its rows", database_->name(),
                                sqlite3_column_name(handle_.get(), column)));
  const JsonReader reader(document);
  reader.require_object();
  return reader.ordered_copy();
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
}

Transaction::Transaction(Database& database) : database_(&database) {
  database.run("begin immediate");
}

Transaction::~Transaction() {
  if (database_ == nullptr) return;
  sqlite3_exec(database_->handle(), "rollback", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_->run("commit");
  database_ = nullptr;
}

std::string sql_name(std::string_view name) {
  std::string text = "\"";
  for (const char letter : name)
    text += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return text + "\"";
}

}  // namespace sim::sweep
