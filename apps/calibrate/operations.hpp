// Which kernels are measured: every encode and decode of the CUDA registry, and those of the
// SDP4Bit schemes with the numbers of inputs that clusters have.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/calibrate/workspace.hpp"
#include "codecs/codec.hpp"

namespace calibrate {

struct Measured {
  const codecs::Codec* codec = nullptr;
  const codecs::Codec* to = nullptr;  // of decode_reduce_encode alone
  std::string operation = {};         // as enum Operation spells it
  std::string variant = {};           // "" for an operation of the table
  codecs::KernelShape shape = {};     // for the bytes that it moves
  std::size_t elements = 0;           // of one input
  bool in_place = false;              // so that only the first launch after prepare() is checked
  std::function<void(cudaStream_t)> prepare = {};  // fills what it reads
  std::function<void(cudaStream_t)> launch = {};
  std::function<bool(const Piece&)> agrees = {};  // with the reference, in this piece of the output
};

// For `elements` values over all inputs. The workspace must outlive the result.
[[nodiscard]] std::vector<Measured> all_operations(const Workspace& workspace,
                                                   std::size_t elements);

}  // namespace calibrate
