// SPDX-License-Identifier: Apache-2.0
// The C interface of codecs/cpu: names to rows, pointers to spans, exceptions to statuses.
#include "codecs/c/gardenhose_codecs.h"

#include <stdexcept>
#include <vector>

#include "codecs/cpu/cpu.hpp"

namespace {

using codecs::cpu::CpuCodec;
using codecs::cpu::Run;

const CpuCodec* row_named(const char* name) {
  if (name == nullptr) return nullptr;
  for (const CpuCodec& row : codecs::cpu::all_cpu_codecs()) {
    if (row.codec->name == name) return &row;
  }
  return nullptr;
}

codecs::RandomKey key_of(const gardenhose_random_key* key) {
  if (key == nullptr) return {};
  codecs::require(key->first_element % 16 == 0, "the first element is a multiple of 16");
  return {.seed = key->seed,
          .step = key->step,
          .tensor = key->tensor,
          .rank = key->rank,
          .first_element = key->first_element};
}

template <typename T>
std::span<T> span_of(T* first, std::size_t count) {
  codecs::require(first != nullptr || count == 0, "a pointer is null");
  return {first, count};
}

std::span<const std::byte> wire_of(const void* wire, std::size_t bytes) {
  return span_of(static_cast<const std::byte*>(wire), bytes);
}

// work(row) for the codec of the name.
template <typename Work>
gardenhose_status with_codec(const char* name, const Work& work) {
  const CpuCodec* const row = row_named(name);
  if (row == nullptr) return GARDENHOSE_UNKNOWN_CODEC;
  try {
    return work(*row);
  } catch (const std::invalid_argument&) {
    return GARDENHOSE_WRONG_ARGUMENT;
  } catch (const std::exception&) {
    return GARDENHOSE_FAILED;
  }
}

Run run_of(int threads) {
  codecs::require(threads > 0, "at least one thread");
  return {.threads = threads};
}

}  // namespace

size_t gardenhose_codec_count() { return codecs::cpu::all_cpu_codecs().size(); }

const char* gardenhose_codec_name(size_t index) {
  // Names are literals: they end in a zero.
  return index < gardenhose_codec_count() ? codecs::cpu::all_cpu_codecs()[index].codec->name.data()
                                          : nullptr;
}

gardenhose_status gardenhose_encoded_bytes(const char* codec, size_t elements, size_t* bytes) {
  return with_codec(codec, [&](const CpuCodec& row) {
    codecs::require(bytes != nullptr, "a pointer is null");
    *bytes = codecs::encoded_bytes(row.codec->format, elements);
    return GARDENHOSE_OK;
  });
}

gardenhose_status gardenhose_encode(const char* codec, const float* values, size_t elements,
                                    const gardenhose_random_key* key, void* wire, size_t wire_bytes,
                                    int threads) {
  return with_codec(codec, [&](const CpuCodec& row) {
    row.encode(row.codec->format, span_of(values, elements), key_of(key),
               span_of(static_cast<std::byte*>(wire), wire_bytes), run_of(threads));
    return GARDENHOSE_OK;
  });
}

gardenhose_status gardenhose_encode_feedback(const char* codec, const gardenhose_feedback* feedback,
                                             const float* values, size_t elements,
                                             const gardenhose_random_key* key, float* residual,
                                             void* wire, size_t wire_bytes, int threads) {
  return with_codec(codec, [&](const CpuCodec& row) {
    codecs::require(feedback != nullptr, "a pointer is null");
    const codecs::Feedback rule{.gain = feedback->gain,
                                .carry = feedback->carry,
                                .keep = feedback->keep,
                                .take = feedback->take};
    row.encode_feedback(row.codec->format, rule, span_of(values, elements), key_of(key),
                        span_of(residual, elements),
                        span_of(static_cast<std::byte*>(wire), wire_bytes), run_of(threads));
    return GARDENHOSE_OK;
  });
}

gardenhose_status gardenhose_decode(const char* codec, const void* wire, size_t wire_bytes,
                                    float* values, size_t elements, int threads) {
  return with_codec(codec, [&](const CpuCodec& row) {
    row.decode(row.codec->format, wire_of(wire, wire_bytes), span_of(values, elements),
               run_of(threads));
    return GARDENHOSE_OK;
  });
}

gardenhose_status gardenhose_decode_add(const char* codec, const void* wire, size_t wire_bytes,
                                        float* values, size_t elements, int threads) {
  return with_codec(codec, [&](const CpuCodec& row) {
    const std::span<float> sums = span_of(values, elements);
    std::vector<float> decoded(elements);
    row.decode(row.codec->format, wire_of(wire, wire_bytes), decoded, run_of(threads));
    for (std::size_t i = 0; i < elements; ++i) sums[i] += decoded[i];
    return GARDENHOSE_OK;
  });
}

gardenhose_status gardenhose_decode_reduce(const char* codec, const void* wires, size_t wires_bytes,
                                           size_t inputs, float* sums, size_t elements,
                                           int threads) {
  return with_codec(codec, [&](const CpuCodec& row) {
    if (row.decode_reduce == nullptr) return GARDENHOSE_UNSUPPORTED;
    row.decode_reduce(row.codec->format, wire_of(wires, wires_bytes), inputs,
                      span_of(sums, elements), run_of(threads));
    return GARDENHOSE_OK;
  });
}
