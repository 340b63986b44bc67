// SPDX-License-Identifier: Apache-2.0
// Parts of the error table's list of cells.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <utility>

#include "codecs/error/error.hpp"
#include "codecs/error/table.hpp"

namespace codecs {

inline constexpr std::size_t kGpusPerNode = 8;
inline constexpr std::size_t kNodes = 4;

// A value computed on first use, by whichever cell needs it first.
template <typename T>
class Shared {
 public:
  explicit Shared(std::function<T()> make) : state_(std::make_shared<State>(std::move(make))) {}
  const T& operator*() const {
    std::call_once(state_->once, [this] { state_->value = state_->make(); });
    return *state_->value;
  }

 private:
  struct State {
    explicit State(std::function<T()> how) : make(std::move(how)) {}
    std::function<T()> make;
    std::once_flag once;
    std::optional<T> value;
  };
  std::shared_ptr<State> state_;
};

[[nodiscard]] nlohmann::ordered_json to_json(const ErrorMetrics& metrics);
[[nodiscard]] nlohmann::ordered_json to_json(const AllReduceErrors& errors);

void add_reductions(const ErrorTableSize& size, std::uint64_t seed,
                    std::span<const Tensor> recorded, std::vector<ErrorCell>& cells);
void add_other_shapes(const ErrorTableSize& size, std::uint64_t seed,
                      std::vector<ErrorCell>& cells);
void add_fed_reductions(const ErrorTableSize& size, std::uint64_t seed,
                        std::vector<ErrorCell>& cells);
void add_feedback(const ErrorTableSize& size, std::uint64_t seed, std::vector<ErrorCell>& cells);
void add_all_reduces(const ErrorTableSize& size, std::uint64_t seed, std::vector<ErrorCell>& cells);
void add_weights(const ErrorTableSize& size, std::uint64_t seed, std::vector<ErrorCell>& cells);

}  // namespace codecs
