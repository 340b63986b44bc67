// SPDX-License-Identifier: Apache-2.0
// LoCo, SparseLoCo's aggregation, 1-bit Adam and DGC. What a step keeps lies in the workspace's
// residual, and DGC's second state where the wires of decodes lie otherwise.
#include "apps/calibrate/gpu/method_steps.hpp"

#include "apps/calibrate/gpu/operations.hpp"
#include "codecs/aggregate/kernels.hpp"
#include "codecs/dgc/kernels.hpp"
#include "codecs/loco/kernels.hpp"
#include "codecs/one_bit/kernels.hpp"
#include "codecs/top_k/top_k.hpp"

namespace calibrate {
namespace {

using codecs::Dgc;
using codecs::OneBit;
using codecs::cuda::Encoding;

constexpr float kLearningRate = 0.7f;

float* floats(std::byte* memory) { return reinterpret_cast<float*>(memory); }

Scratch scratch_of(std::size_t bytes) {
  return std::make_shared<codecs::cuda::DeviceBuffer<std::byte>>(bytes);
}

template <typename T>
bool holds(const void* memory, const std::vector<T>& expected) {
  return from_device<T>(memory, {0, expected.size()}) == expected;
}

// Signs of the input, a wire for each server, as those of all ranks to one of them.
void encode_sign_wires(const StepCase& one, const Scratch& scratch, cudaStream_t stream) {
  const OneBit shape = codecs::one_bit_of(one.shape);
  one.w.residual.clear(stream);
  codecs::cuda::encode_to_servers_async(shape, one.w.input.at(0), one.w.residual.at(0),
                                        {.wires = one.w.wires.at(0), .scratch = scratch->get()},
                                        stream);
  one.w.wires.repeat_first(shape.ranks * shape.wire_bytes(), stream);
  one.w.residual.clear(stream);
}

// Those of one rank step after step, as those of all ranks: no two are equal.
void encode_dgc_wires(const StepCase& one, const Scratch& scratch, cudaStream_t stream) {
  const std::size_t bytes = codecs::dgc_wire(Dgc{}, one.shape.elements).bytes;
  one.w.residual.clear(stream);
  one.w.output.clear(stream);
  for (std::size_t rank = 0; rank < one.shape.ranks; ++rank) {
    codecs::cuda::encode_dgc_async(
        Dgc{},
        {one.w.input.at(0), one.w.residual.at(0), floats(one.w.output.at(0)), one.shape.elements},
        {.wires = one.w.wires.at(0) + rank * bytes, .scratch = scratch->get()}, stream);
  }
  one.w.wires.repeat_first(one.shape.ranks * bytes, stream);
}

// Every other peer's values are small: the others are scaled down to them.
void encode_sparse_wires(const StepCase& one, cudaStream_t stream) {
  const auto& codec = cuda_codec(codecs::sparseloco.name);
  const std::size_t bytes = codecs::encoded_bytes(codecs::sparseloco.format, one.shape.elements);
  const Scratch scratch = scratch_for(codec, one.shape.elements);
  one.w.reset_residual();
  for (std::size_t peer = 0; peer < one.shape.ranks; ++peer) {
    const float* const values = peer % 2 == 0 ? one.w.residual.at(0) : one.w.input.at(0);
    codec.encode_async(codecs::sparseloco.format, {values, one.shape.elements},
                       {.wires = one.w.wires.at(0) + peer * bytes, .scratch = scratch->get()},
                       stream);
  }
  one.w.wires.repeat_first(one.shape.ranks * bytes, stream);
  // The scratch is freed at the end of this scope.
  codecs::cuda::check(cudaStreamSynchronize(stream));
}

}  // namespace

StepKernels loco_encode(const StepCase& one) {
  const codecs::Loco loco = codecs::measured_loco();
  return {.prepare = [one](cudaStream_t stream) { one.w.residual.clear(stream); },
          .launch =
              [one, loco](std::size_t i, cudaStream_t stream) {
                codecs::cuda::encode_loco_async(
                    loco, codecs::cuda::Tensor<const float>{one.w.input.at(i), one.shape.elements},
                    reinterpret_cast<std::byte*>(one.w.residual.at(i)),
                    {.wires = one.w.output.at(i)}, stream);
              },
          .agrees =
              [one, loco] {
                const std::size_t n = one.shape.elements;
                const std::vector<float> values = one.w.pattern.input({0, n});
                std::vector<std::byte> wire(codecs::encoded_bytes(loco.wire, n));
                std::vector<std::byte> residual(
                    codecs::encoded_bytes(codecs::residual_format(loco), n));
                for (int step = 0; step < kCheckedLaunches; ++step) {
                  codecs::encode_loco(loco, values, {}, residual, wire);
                }
                return holds(one.w.output.at(0), wire) && holds(one.w.residual.at(0), residual);
              }};
}

StepKernels sparse_aggregate(const StepCase& one) {
  const std::size_t n = one.shape.elements, peers = one.shape.ranks;
  const Scratch scratch = scratch_of(
      codecs::cuda::aggregate_scratch_bytes(codecs::sparseloco.format, n, static_cast<int>(peers)));
  return {.prepare = [one](cudaStream_t stream) { encode_sparse_wires(one, stream); },
          .launch =
              [one, scratch](std::size_t i, cudaStream_t stream) {
                codecs::cuda::aggregate_async(
                    codecs::sparseloco.format, {},
                    {one.w.wires.at(i), static_cast<int>(one.shape.ranks)},
                    {.parameters = one.w.residual.at(i),
                     .elements = one.shape.elements,
                     .learning_rate = kLearningRate,
                     .scratch = scratch->get()},
                    stream);
              },
          .agrees =
              [one, n, peers] {
                const auto wires = from_device<std::byte>(
                    one.w.wires.at(0),
                    {0, peers * codecs::encoded_bytes(codecs::sparseloco.format, n)});
                std::vector<float> averages(n), parameters = one.w.pattern.residual({0, n});
                codecs::aggregate(codecs::sparseloco.format, {}, wires, peers, averages);
                for (int step = 0; step < kCheckedLaunches; ++step) {
                  codecs::outer_step(kLearningRate, averages, parameters);
                }
                return holds(one.w.residual.at(0), parameters);
              }};
}

StepKernels one_bit_encode(const StepCase& one) {
  const OneBit shape = codecs::one_bit_of(one.shape);
  const Scratch scratch = scratch_of(codecs::cuda::one_bit_scratch_bytes(shape));
  return {.prepare = [one](cudaStream_t stream) { one.w.residual.clear(stream); },
          .launch =
              [one, shape, scratch](std::size_t i, cudaStream_t stream) {
                codecs::cuda::encode_to_servers_async(
                    shape, one.w.input.at(i), one.w.residual.at(i),
                    {.wires = one.w.output.at(i), .scratch = scratch->get()}, stream);
              },
          .agrees =
              [one, shape] {
                const std::vector<float> values = one.w.pattern.input({0, shape.elements});
                std::vector<float> residual(shape.elements);
                std::vector<std::byte> wires(shape.ranks * shape.wire_bytes());
                for (int step = 0; step < kCheckedLaunches; ++step) {
                  codecs::encode_to_servers(shape, values, residual, wires);
                }
                return holds(one.w.output.at(0), wires) && holds(one.w.residual.at(0), residual);
              }};
}

StepKernels one_bit_reduce(const StepCase& one) {
  const OneBit shape = codecs::one_bit_of(one.shape);
  const Scratch scratch = scratch_of(codecs::cuda::one_bit_scratch_bytes(shape));
  return {
      .prepare = [one, scratch](cudaStream_t stream) { encode_sign_wires(one, scratch, stream); },
      .launch =
          [one, shape, scratch](std::size_t i, cudaStream_t stream) {
            codecs::cuda::reduce_on_server_async(
                shape, one.w.wires.at(i), one.w.residual.at(i),
                {.wires = one.w.output.at(i), .scratch = scratch->get()}, stream);
          },
      .agrees =
          [one, shape] {
            const auto wires =
                from_device<std::byte>(one.w.wires.at(0), {0, shape.ranks * shape.wire_bytes()});
            std::vector<float> residual(shape.shard_elements());
            std::vector<std::byte> wire(shape.wire_bytes());
            for (int step = 0; step < kCheckedLaunches; ++step) {
              codecs::reduce_on_server(shape, wires, residual, wire);
            }
            return holds(one.w.output.at(0), wire) && holds(one.w.residual.at(0), residual);
          }};
}

StepKernels one_bit_decode(const StepCase& one) {
  const OneBit shape = codecs::one_bit_of(one.shape);
  const Scratch scratch = scratch_of(codecs::cuda::one_bit_scratch_bytes(shape));
  return {
      .prepare = [one, scratch](cudaStream_t stream) { encode_sign_wires(one, scratch, stream); },
      .launch =
          [one, shape](std::size_t i, cudaStream_t stream) {
            codecs::cuda::decode_from_servers_async(shape, one.w.wires.at(i),
                                                    floats(one.w.output.at(i)), stream);
          },
      .agrees =
          [one, shape] {
            const auto wires =
                from_device<std::byte>(one.w.wires.at(0), {0, shape.ranks * shape.wire_bytes()});
            std::vector<float> mean(shape.elements);
            codecs::decode_from_servers(shape, wires, mean);
            return holds(one.w.output.at(0), mean);
          }};
}

StepKernels dgc_encode(const StepCase& one) {
  const Scratch scratch = scratch_of(codecs::cuda::dgc_scratch_bytes(one.shape.elements));
  return {.prepare =
              [one](cudaStream_t stream) {
                one.w.residual.clear(stream);
                one.w.wires.clear(stream);
              },
          .launch =
              [one, scratch](std::size_t i, cudaStream_t stream) {
                codecs::cuda::encode_dgc_async(
                    Dgc{},
                    {one.w.input.at(i), one.w.residual.at(i), floats(one.w.wires.at(i)),
                     one.shape.elements},
                    {.wires = one.w.output.at(i), .scratch = scratch->get()}, stream);
              },
          .agrees =
              [one] {
                const std::size_t n = one.shape.elements;
                const std::vector<float> gradient = one.w.pattern.input({0, n});
                std::vector<float> momentum(n), gathered(n);
                std::vector<std::byte> wire(codecs::dgc_wire(Dgc{}, n).bytes);
                for (int step = 0; step < kCheckedLaunches; ++step) {
                  codecs::encode_dgc(Dgc{}, gradient, {momentum, gathered}, wire);
                }
                return holds(one.w.output.at(0), wire) && holds(one.w.residual.at(0), momentum) &&
                       holds(one.w.wires.at(0), gathered);
              }};
}

StepKernels dgc_decode_mean(const StepCase& one) {
  const std::size_t n = one.shape.elements, ranks = one.shape.ranks;
  const Scratch scratch = scratch_of(codecs::cuda::dgc_scratch_bytes(n));
  return {
      .prepare = [one, scratch](cudaStream_t stream) { encode_dgc_wires(one, scratch, stream); },
      .launch =
          [one, n, ranks](std::size_t i, cudaStream_t stream) {
            codecs::cuda::decode_mean_dgc_async(Dgc{}, {one.w.wires.at(i), static_cast<int>(ranks)},
                                                {floats(one.w.output.at(i)), n}, stream);
          },
      .agrees =
          [one, n, ranks] {
            const auto wires = from_device<std::byte>(
                one.w.wires.at(0), {0, ranks * codecs::dgc_wire(Dgc{}, n).bytes});
            std::vector<float> means(n);
            codecs::decode_mean_dgc(Dgc{}, wires, ranks, means);
            return holds(one.w.output.at(0), means);
          }};
}

}  // namespace calibrate
