// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <stdexcept>
#include <utility>

#include "codecs/codec.hpp"

namespace codecs {
namespace {

constexpr std::array kOperations{
    std::pair{Operation::encode, "encode"},
    std::pair{Operation::encode_difference, "encode_difference"},
    std::pair{Operation::encode_feedback, "encode_feedback"},
    std::pair{Operation::decode, "decode"},
    std::pair{Operation::decode_add, "decode_add"},
    std::pair{Operation::decode_reduce, "decode_reduce"},
    std::pair{Operation::decode_reduce_encode, "decode_reduce_encode"}};

}  // namespace

std::string_view name_of(Operation operation) {
  for (const auto& [known, name] : kOperations) {
    if (known == operation) return name;
  }
  throw std::invalid_argument("an operation outside the enumeration");
}

std::optional<Operation> operation_named(std::string_view name) {
  for (const auto& [operation, known] : kOperations) {
    if (name == known) return operation;
  }
  return std::nullopt;
}

}  // namespace codecs
