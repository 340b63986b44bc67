// Where a kernel's values come from and go to: a tensor, a difference of two, a sum of wires. A
// kernel is one of encode.cuh or decode.cuh with a source and a sink; fusing two steps is naming
// them.
#pragma once

#include "codecs/cuda/codes.cuh"

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

// The sum of wires in their own domain, one fused multiply-add for each in their order.
template <int kBits, int kGroup>
struct SumSource {
  const std::byte* wires = nullptr;
  std::size_t wire_bytes = 0;
  std::size_t payload_bytes = 0;
  int inputs = 1;

  // Loads of this many wires are in flight together: one INT4 load alone is 8 bytes a lane, too few
  // to keep the memory busy.
  static constexpr int kBatch = 4;

  __device__ void load(std::size_t tile, float (&x)[kLaneElements]) const {
    const std::size_t element = tile + threadIdx.x % kWarpLanes * kLaneElements;
    const std::size_t code = element * kBits / 8;
    const std::size_t scale = payload_bytes + element / kGroup * sizeof(float);
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) x[i] = 0;
    if (code >= payload_bytes) return;
    int input = 0;
    for (; input + kBatch <= inputs; input += kBatch) add<kBatch>(input, code, scale, x);
    for (; input < inputs; ++input) add<1>(input, code, scale, x);
  }

 private:
  template <int kCount>
  __device__ void add(int first, std::size_t code, std::size_t scale,
                      float (&x)[kLaneElements]) const {
    Packed<kBits> codes[kCount];
    float scales[kCount];
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      const std::byte* wire = wires + static_cast<std::size_t>(first + k) * wire_bytes;
      codes[k] = __ldg(reinterpret_cast<const Packed<kBits>*>(wire + code));
      scales[k] = __ldg(reinterpret_cast<const float*>(wire + scale));
    }
#pragma unroll
    for (int k = 0; k < kCount; ++k) add_codes(codes[k], scales[k], x);
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
