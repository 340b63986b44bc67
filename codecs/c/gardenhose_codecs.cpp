// SPDX-License-Identifier: Apache-2.0
// The C interface of codecs/cpu: names to rows, pointers to spans, exceptions to statuses. Codecs
// without kernels there run their references, in one thread.
#include "codecs/c/gardenhose_codecs.h"

#include "codecs/c/arguments.hpp"
#include "codecs/cpu/or_reference.hpp"
#include "codecs/magnitude.hpp"

namespace {

using codecs::key_of;
using codecs::cpu::CpuCodec;
using codecs::cpu::Run;

template <typename T>
std::span<T> span_of(T* first, std::size_t count) {
  codecs::require(first != nullptr || count == 0, "a pointer is null");
  return {first, count};
}

template <typename Value>
std::span<Value> values_of(Value* values, std::size_t elements) {
  codecs::require_in_memory(elements);
  return span_of(values, elements);
}

std::span<const std::byte> wire_of(const void* wire, std::size_t bytes) {
  return span_of(static_cast<const std::byte*>(wire), bytes);
}
std::span<std::byte> wire_of(void* wire, std::size_t bytes) {
  return span_of(static_cast<std::byte*>(wire), bytes);
}

std::span<const CpuCodec> all_rows() { return codecs::cpu::all_codecs_or_references(); }

template <typename Work>
gardenhose_status with_codec(const char* name, const Work& work) {
  return codecs::with_row(all_rows(), name, work);
}

Run run_of(int threads) {
  codecs::require(threads > 0, "at least one thread");
  return {.threads = threads};
}

}  // namespace

size_t gardenhose_codec_count() { return all_rows().size(); }

const char* gardenhose_codec_name(size_t index) { return codecs::name_at(all_rows(), index); }

gardenhose_status gardenhose_encoded_bytes(const char* codec, size_t elements, size_t* bytes) {
  return with_codec(codec, [&](const CpuCodec& row) {
    codecs::require(bytes != nullptr, "a pointer is null");
    codecs::require_in_memory(elements);
    *bytes = codecs::encoded_bytes(row.codec->format, elements);
    return GARDENHOSE_OK;
  });
}

gardenhose_status gardenhose_largest_magnitude(const char* codec, size_t elements, float* largest) {
  return with_codec(codec, [&](const CpuCodec& row) {
    codecs::require(largest != nullptr, "a pointer is null");
    codecs::require_in_memory(elements);
    *largest = codecs::largest_magnitude(row.codec->format, elements);
    return GARDENHOSE_OK;
  });
}

gardenhose_status gardenhose_encode(const char* codec, const float* values, size_t elements,
                                    const gardenhose_random_key* key, void* wire, size_t wire_bytes,
                                    int threads) {
  return with_codec(codec, [&](const CpuCodec& row) {
    const auto from = values_of(values, elements);
    const auto to = wire_of(wire, wire_bytes);
    codecs::require_apart({std::as_bytes(from), to});
    codecs::cpu::encode(row, from, key_of(key), to, run_of(threads));
    return GARDENHOSE_OK;
  });
}

gardenhose_status gardenhose_encode_feedback(const char* codec, const gardenhose_feedback* feedback,
                                             const float* values, size_t elements,
                                             const gardenhose_random_key* key, float* residual,
                                             void* wire, size_t wire_bytes, int threads) {
  return with_codec(codec, [&](const CpuCodec& row) {
    const auto from = values_of(values, elements);
    const auto kept = values_of(residual, elements);
    const auto to = wire_of(wire, wire_bytes);
    codecs::require_apart({std::as_bytes(from), std::as_bytes(kept), to});
    codecs::cpu::encode_feedback(row, codecs::rule_of(feedback), from, key_of(key), kept, to,
                                 run_of(threads));
    return GARDENHOSE_OK;
  });
}

gardenhose_status gardenhose_decode(const char* codec, const void* wire, size_t wire_bytes,
                                    float* values, size_t elements, int threads) {
  return with_codec(codec, [&](const CpuCodec& row) {
    const auto from = wire_of(wire, wire_bytes);
    const auto to = values_of(values, elements);
    codecs::require_apart({from, std::as_bytes(to)});
    codecs::cpu::decode(row, from, to, run_of(threads));
    return GARDENHOSE_OK;
  });
}

gardenhose_status gardenhose_decode_add(const char* codec, const void* wire, size_t wire_bytes,
                                        float* values, size_t elements, int threads) {
  return with_codec(codec, [&](const CpuCodec& row) {
    const auto from = wire_of(wire, wire_bytes);
    const auto to = values_of(values, elements);
    codecs::require_apart({from, std::as_bytes(to)});
    codecs::cpu::decode_add(row, from, to, run_of(threads));
    return GARDENHOSE_OK;
  });
}

gardenhose_status gardenhose_decode_reduce(const char* codec, const void* wires, size_t wires_bytes,
                                           size_t inputs, float* sums, size_t elements,
                                           int threads) {
  return with_codec(codec, [&](const CpuCodec& row) {
    // One decode_add after the other would round differently from the GPU's sum.
    if (row.decode_reduce == nullptr) return GARDENHOSE_UNSUPPORTED;
    const auto from = wire_of(wires, wires_bytes);
    const auto to = values_of(sums, elements);
    codecs::require_apart({from, std::as_bytes(to)});
    row.decode_reduce(row.codec->format, from, inputs, to, run_of(threads));
    return GARDENHOSE_OK;
  });
}
