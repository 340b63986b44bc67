// Where a kernel's values come from and go to: a tensor, a difference of two, a sum of wires. A
// kernel is one of encode.cuh or decode.cuh with a source and a sink; fusing two steps is naming
// them.
#pragma once

#include "codecs/cuda/scales.cuh"

namespace codecs::cuda {

template <typename Value>
struct TensorSource {
  const Value* values = nullptr;
  std::size_t elements = 0;

  __device__ void load(std::size_t tile, float (&x)[kLaneElements]) const {
    load_lane(values, elements, tile, x);
  }
};

// bf16(master) - model, rounded to bfloat16 once.
template <typename Value>
struct DifferenceSource {
  const Value* master = nullptr;
  const Bf16* model = nullptr;
  std::size_t elements = 0;

  __device__ void load(std::size_t tile, float (&x)[kLaneElements]) const {
    float old[kLaneElements];
    load_lane(master, elements, tile, x);
    load_lane(model, elements, tile, old);
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) {
      x[i] = round_to_bf16(round_to_bf16(x[i]) - old[i]);
    }
  }
};

// Where the codes and scales of each wire lie; all wires are equal.
struct WireReader {
  const std::byte* wires = nullptr;
  std::size_t wire_bytes = 0;
  std::size_t payload_bytes = 0;
  std::size_t scales_offset = 0;
  int group_log2 = 63;  // 63: the group is the tensor
  int inputs = 1;
};

// The sum of wires in their own domain, one fused multiply-add for each in their order.
template <Element kElement, Coding kCoding>
struct SumSource {
  WireReader reader;
  std::size_t elements = 0;

  // Loads of this many wires are in flight together: one INT4 load alone is 8 bytes a lane, too few
  // to keep the memory busy.
  static constexpr int kBatch = 4;

  __device__ void load(std::size_t tile, float (&x)[kLaneElements]) const {
    const std::size_t element = tile + threadIdx.x % kWarpLanes * kLaneElements;
    const std::size_t code = element * kBitsOf<kElement> / 8;
    const std::size_t scale =
        reader.scales_offset + (element >> reader.group_log2) * sizeof(Stored<kCoding>);
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) x[i] = 0;
    if (code >= reader.payload_bytes || scale >= reader.wire_bytes) return;
    int input = 0;
    for (; input + kBatch <= reader.inputs; input += kBatch) add<kBatch>(input, code, scale, x);
    for (; input < reader.inputs; ++input) add<1>(input, code, scale, x);
  }

 private:
  template <int kCount>
  __device__ void add(int first, std::size_t code, std::size_t scale,
                      float (&x)[kLaneElements]) const {
    Packed<kElement> codes[kCount];
    Stored<kCoding> stored[kCount];
    float tensor[kCount];
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      const std::byte* wire =
          reader.wires + static_cast<std::size_t>(first + k) * reader.wire_bytes;
      codes[k] = __ldg(reinterpret_cast<const Packed<kElement>*>(wire + code));
      stored[k] = __ldg(reinterpret_cast<const Stored<kCoding>*>(wire + scale));
      tensor[k] = kCoding == Coding::nested
                      ? __ldg(reinterpret_cast<const float*>(wire + reader.payload_bytes))
                      : 1.0f;
    }
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      add_codes<kElement, kCoding>(codes[k], decoded_step<kElement, kCoding>(stored[k], tensor[k]),
                                   x);
    }
  }
};

template <typename Value>
struct TensorSink {
  Value* values = nullptr;
  std::size_t elements = 0;

  __device__ void store(std::size_t tile, const float (&x)[kLaneElements]) const {
    store_lane(x, elements, tile, values);
  }
};

// model = bf16(model + bf16(x)).
struct AddSink {
  Bf16* model = nullptr;
  std::size_t elements = 0;

  __device__ void store(std::size_t tile, const float (&x)[kLaneElements]) const {
    float sum[kLaneElements];
    load_lane(model, elements, tile, sum);
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) sum[i] += round_to_bf16(x[i]);
    store_lane(sum, elements, tile, model);
  }
};

}  // namespace codecs::cuda
