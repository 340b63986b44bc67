// SPDX-License-Identifier: Apache-2.0
// One fuzzed input: text before the first NUL byte, then one setting KEY=VALUE, which no file can
// hold. Whatever it is, a reader accepts it or throws an InputError whose every line is located.
// What begins as a JSON object is called fuzz.json, all else fuzz.toml.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/setting.hpp"

inline void require_located(std::string_view lines,
                            std::initializer_list<std::string_view> places) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(line.size() < lines.size() ? line.size() + 1 : line.size());
    const bool located = std::ranges::any_of(
        places, [&](std::string_view place) { return line.starts_with(place); });
    if (located && line.find(": ") != std::string_view::npos) continue;
    std::cerr << "an error without its place: " << line << "\n";
    std::abort();
  }
}

template <class Read>
void fuzz_reader(const std::uint8_t* bytes, std::size_t size, Read read) {
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const std::string_view text = input.substr(0, input.find('\0'));
  const std::string name = text.starts_with('{') ? "fuzz.json" : "fuzz.toml";
  std::vector<sim::Setting> settings;
  if (text.size() < input.size()) {
    const std::string_view setting = input.substr(text.size() + 1);
    const std::size_t equals = std::min(setting.find('='), setting.size());
    settings.push_back({std::string(setting.substr(0, equals)),
                        std::string(setting.substr(std::min(equals + 1, setting.size())))});
  }
  try {
    read(text, std::filesystem::path(name), std::span<const sim::Setting>(settings));
  } catch (const sim::InputError& error) {
    require_located(error.what(), {name + ":", "`set` "});
  }
}
