// SPDX-License-Identifier: Apache-2.0
// An index of points by all inputs but one, so that points that differ in a single input are found
// without a scan of all points.
#pragma once

#include <map>
#include <string>

#include "apps/check/results.hpp"

namespace apps {

class Neighbours {
 public:
  // The point must outlive this.
  void add(const Result& point);
  // The first added point whose inputs differ in exactly one of them, or have one more or one less;
  // null if there is none. No added point has all of these inputs.
  [[nodiscard]] const Result* of(const Inputs& inputs) const;

 private:
  struct Known {
    std::size_t place;  // among those added
    const Result* point;
  };
  void know(const std::string& key, const Result& point);

  std::size_t count_ = 0;
  std::map<std::string, Known> known_;
};

}  // namespace apps
