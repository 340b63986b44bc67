// SPDX-License-Identifier: Apache-2.0
// Calls of the C library in a CUDA graph, for every codec: a capture fails where a call allocates or
// waits, and a replay gives the bytes of the same calls without a graph.
#include <map>
#include <string>

#include "codecs/c/gardenhose_codecs_cuda.h"
#include "codecs/cuda/registry.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

constexpr std::size_t kCaptured = 1337, kSummed = 3;

// Of what was captured on a stream; the capture begins with the first and ends with the second.
class Graph {
 public:
  template <typename Work>
  Graph(const Stream& stream, const Work& work) {
    check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal));
    work();
    check(cudaStreamEndCapture(stream.get(), &graph_));
    check(cudaGraphInstantiate(&executable_, graph_, 0));
  }
  ~Graph() {
    cudaGraphExecDestroy(executable_);
    cudaGraphDestroy(graph_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  void launch(const Stream& stream) const { check(cudaGraphLaunch(executable_, stream.get())); }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

// Each operation of a codec once, into memory of its own.
class Operations {
 public:
  explicit Operations(const Codec& codec)
      : name_(codec.name.data()),
        wire_bytes_(encoded_bytes(codec.format, kCaptured)),
        wire_(wire_bytes_),
        fed_(wire_bytes_),
        again_(wire_bytes_),
        wires_(kSummed * wire_bytes_) {}

  void set(const std::vector<float>& values, const std::vector<float>& residual) const {
    upload<float>(values, values_.get());
    upload<float>(residual, residual_.get());
  }

  void spoil_results() const {
    for (const auto& [memory, bytes] : results()) check(cudaMemset(memory, 0xA5, bytes));
    check(cudaDeviceSynchronize());
  }

  // The status of each; what is updated starts anew.
  std::vector<gardenhose_status> enqueue(const Stream& stream) const {
    const gardenhose_random_key key{1, 2, 3, 4, 32};
    const gardenhose_feedback rule{0.5f, 0.9f, 0.25f, 0.75f};
    copy(kept_, residual_, stream);
    copy(added_, values_, stream);
    std::vector<gardenhose_status> found{
        gardenhose_cuda_encode(name_, values_.get(), kCaptured, &key, wire_.get(), wire_bytes_,
                               encode_scratch_.get(), encode_scratch_.size(), stream.get()),
        gardenhose_cuda_encode_feedback(name_, &rule, values_.get(), kCaptured, &key, kept_.get(),
                                        fed_.get(), wire_bytes_, feedback_scratch_.get(),
                                        feedback_scratch_.size(), stream.get()),
        gardenhose_cuda_decode(name_, wire_.get(), wire_bytes_, back_.get(), kCaptured,
                               stream.get()),
        gardenhose_cuda_decode_add(name_, fed_.get(), wire_bytes_, added_.get(), kCaptured,
                                   add_scratch_.get(), add_scratch_.size(), stream.get())};
    check(cudaMemcpyAsync(model_.get(), values_.get(), model_.size_bytes(),
                          cudaMemcpyDeviceToDevice, stream.get()));
    found.push_back(gardenhose_cuda_decode_add_bf16(name_, wire_.get(), wire_bytes_, model_.get(),
                                                    kCaptured, add_bf16_scratch_.get(),
                                                    add_bf16_scratch_.size(), stream.get()));
    for (std::size_t i = 0; i < kSummed; ++i) {
      check(cudaMemcpyAsync(wires_.get() + i * wire_bytes_, (i == 1 ? fed_ : wire_).get(),
                            wire_bytes_, cudaMemcpyDeviceToDevice, stream.get()));
    }
    found.push_back(gardenhose_cuda_decode_reduce(name_, wires_.get(), wires_.size(), kSummed,
                                                  sums_.get(), kCaptured, stream.get()));
    found.push_back(gardenhose_cuda_decode_reduce_encode(
        name_, name_, wires_.get(), wires_.size(), kSummed, kCaptured, &key, again_.get(),
        wire_bytes_, 1, encode_scratch_.get(), encode_scratch_.size(), stream.get()));
    return found;
  }

  [[nodiscard]] std::vector<std::vector<std::byte>> download() const {
    std::vector<std::vector<std::byte>> all;
    for (const auto& [memory, bytes] : results()) {
      all.emplace_back(bytes);
      check(cudaMemcpy(all.back().data(), memory, bytes, cudaMemcpyDeviceToHost));
    }
    return all;
  }

 private:
  static void copy(const DeviceBuffer<float>& to, const DeviceBuffer<float>& from,
                   const Stream& stream) {
    check(cudaMemcpyAsync(to.get(), from.get(), from.size_bytes(), cudaMemcpyDeviceToDevice,
                          stream.get()));
  }
  [[nodiscard]] DeviceBuffer<std::byte> scratch(gardenhose_cuda_operation operation) const {
    std::size_t bytes = 0;
    EXPECT_EQ(gardenhose_cuda_scratch_bytes(name_, operation, kCaptured, &bytes), GARDENHOSE_OK);
    return DeviceBuffer<std::byte>(bytes);
  }
  [[nodiscard]] std::map<void*, std::size_t> results() const {
    std::map<void*, std::size_t> all;
    for (const auto* floats : {&kept_, &back_, &added_, &sums_}) {
      all[floats->get()] = floats->size_bytes();
    }
    for (const auto* wire : {&wire_, &fed_, &again_}) all[wire->get()] = wire->size();
    all[model_.get()] = model_.size_bytes();
    return all;
  }

  const char* name_;
  std::size_t wire_bytes_;
  DeviceBuffer<float> values_{kCaptured}, residual_{kCaptured}, kept_{kCaptured};
  DeviceBuffer<float> back_{kCaptured}, added_{kCaptured}, sums_{kCaptured};
  DeviceBuffer<std::uint16_t> model_{kCaptured};
  DeviceBuffer<std::byte> wire_, fed_, again_, wires_;
  DeviceBuffer<std::byte> encode_scratch_ = scratch(GARDENHOSE_CUDA_ENCODE);
  DeviceBuffer<std::byte> feedback_scratch_ = scratch(GARDENHOSE_CUDA_ENCODE_FEEDBACK);
  DeviceBuffer<std::byte> add_scratch_ = scratch(GARDENHOSE_CUDA_DECODE_ADD);
  DeviceBuffer<std::byte> add_bf16_scratch_ = scratch(GARDENHOSE_CUDA_DECODE_ADD_BF16);
};

void expect_the_same_bytes(const Codec& codec) {
  const Operations operations(codec);
  const Stream stream;
  const auto without_graph = [&](std::uint64_t seed) {
    operations.set(awkward_values(kCaptured, seed), awkward_values(kCaptured, seed + 1));
    operations.spoil_results();
    const auto statuses = operations.enqueue(stream);
    stream.wait();
    EXPECT_EQ(statuses[0], GARDENHOSE_OK);
    return std::pair{statuses, operations.download()};
  };
  const auto first = without_graph(1), second = without_graph(3);
  EXPECT_TRUE(first.second != second.second);

  std::vector<gardenhose_status> captured;
  const Graph graph(stream, [&] { captured = operations.enqueue(stream); });
  EXPECT_EQ(captured, first.first);
  for (const std::uint64_t seed : {3u, 1u}) {
    operations.set(awkward_values(kCaptured, seed), awkward_values(kCaptured, seed + 1));
    operations.spoil_results();
    graph.launch(stream);
    stream.wait();
    EXPECT_TRUE(operations.download() == (seed == 1 ? first : second).second);
  }
}

TEST(CapturedGraph, GivesTheBytesOfTheSameCallsForEveryCodec) {
  for (const CudaCodec& row : all_cuda_codecs()) {
    SCOPED_TRACE(row.codec->name);
    expect_the_same_bytes(*row.codec);
  }
}

}  // namespace
}  // namespace codecs::cuda
