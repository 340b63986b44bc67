// Points by what their inputs are but for one, so that those which differ in a single input are
// found without looking at all of them.
#pragma once

#include <map>
#include <string>

#include "apps/check/results.hpp"

namespace apps {

class Neighbours {
 public:
  // The point has to outlive this.
  void add(const Result& point);
  // The first of those added whose inputs are another in one of them alone, or have one more, or
  // one less; none: null. None of those added has all of these inputs.
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
