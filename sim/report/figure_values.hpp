// SPDX-License-Identifier: Apache-2.0
// How rows of figures reach their values. For the files that have such rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>

#include "sim/report/figures.hpp"

namespace sim::figure_values {

using Value = std::optional<FigureValue>;

// At the end of a path of members; nothing where an optional on the way is empty.
template <class Object, class... Members>
Value value_at(const Object& object, Members... members) {
  if constexpr (requires { object.has_value(); }) {
    return object ? value_at(*object, members...) : std::nullopt;
  } else if constexpr (sizeof...(members) == 0) {
    return object;
  } else {
    return [&](auto member, auto... more) {
      return value_at(std::invoke(member, object), more...);
    }(members...);
  }
}

template <class C, class V>
C class_of(V C::*);

template <auto first, auto... path>
Value at(const decltype(class_of(first))& of) {
  return value_at(of, first, path...);
}
template <auto first, auto... path>
Value or_null(const decltype(class_of(first))& of) {
  return value_at(of, first, path...).value_or(nullptr);
}

// How ranks are laid out.
template <class Of>
constexpr FigureOf<Of> kLayoutRows[] = {
    {"tensor_parallel", kCount, at<&Of::parallelism, &Parallelism::tensor>},
    {"pipeline_parallel", kCount, at<&Of::parallelism, &Parallelism::pipeline>},
    {"zero_stage", kCount, at<&Of::parallelism, &Parallelism::sharding, &Sharding::stage>},
    {"hybrid_shard", kCount, at<&Of::parallelism, &Parallelism::sharding, &Sharding::ranks>},
    {"micro_batch", kCount, at<&Of::parallelism, &Parallelism::micro_batch>},
    {"accumulation", kCount, at<&Of::parallelism, &Parallelism::accumulation>},
};

template <class Row, std::size_t... sizes>
constexpr auto joined(const Row (&... parts)[sizes]) {
  std::array<Row, (sizes + ...)> all{};
  auto place = all.begin();
  ((place = std::copy_n(parts, sizes, place)), ...);
  return all;
}

}  // namespace sim::figure_values
