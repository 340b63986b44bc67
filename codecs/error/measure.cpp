// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "codecs/error/table.hpp"

namespace codecs {
namespace {

using Json = nlohmann::ordered_json;

Json rounded(const Json& value) {
  if (value.is_number_float()) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.6g", value.get<double>());
    return std::strtod(digits, nullptr);
  }
  if (value.is_array()) {
    Json result = Json::array();
    for (const Json& inner : value) result.push_back(rounded(inner));
    return result;
  }
  if (!value.is_object()) return value;
  Json result = Json::object();
  for (const auto& [key, inner] : value.items()) result[key] = rounded(inner);
  return result;
}

bool holds_objects(const Json& value) {
  if (!value.is_object()) return false;
  for (const auto& [key, inner] : value.items()) {
    if (inner.is_object()) return true;
  }
  return false;
}

void append(const Json& value, std::size_t depth, std::string& text) {
  if (!holds_objects(value)) {
    text += value.dump();
    return;
  }
  const char* separator = "{\n";
  for (const auto& [key, inner] : value.items()) {
    text += separator + std::string(depth + 1, ' ') + Json(key).dump() + ": ";
    append(inner, depth + 1, text);
    separator = ",\n";
  }
  text += "\n" + std::string(depth, ' ') + "}";
}

}  // namespace

std::vector<Json> measure(std::span<const ErrorCell> cells,
                          const std::function<void(std::size_t)>& done) {
  std::vector<Json> figures(cells.size());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // of what follows
  std::size_t finished = 0;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < cells.size(); i = next++) {
      try {
        figures[i] = cells[i].measure();
        const std::lock_guard lock(mutex);
        if (done) done(++finished);
      } catch (...) {
        next = cells.size();
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) {
      threads.emplace_back(work);
    }
  }
  if (failure) std::rethrow_exception(failure);
  return figures;
}

std::string to_text(const Json& table) {
  std::string text;
  append(rounded(table), 0, text);
  return text + "\n";
}

}  // namespace codecs
