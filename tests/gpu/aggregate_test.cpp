// SPDX-License-Identifier: Apache-2.0
// The aggregation of sparse wires against its reference.
#include "codecs/aggregate/kernels.hpp"
#include "codecs/top_k/top_k.hpp"
#include "tests/gpu/device.hpp"

namespace codecs::cuda {
namespace {

struct Outcome {
  std::vector<float> averages;
  std::vector<float> parameters;
  unsigned nonfinite = 0;
};

Outcome on_gpu(const Format& format, const Aggregation& aggregation,
               const std::vector<std::byte>& wires, int peers,
               const std::vector<float>& parameters) {
  const std::size_t elements = parameters.size();
  const DeviceBuffer<std::byte> input{std::span(wires)};
  const GuardedBytes averages(elements * sizeof(float));
  const GuardedBytes scratch(aggregate_scratch_bytes(format, elements, peers));
  const DeviceBuffer<float> moved{std::span(parameters)};
  const DeviceBuffer<unsigned> flag{std::vector<unsigned>{0}};
  aggregate_async(format, aggregation, {input.get(), peers},
                  {.averages = reinterpret_cast<float*>(averages.get()),
                   .parameters = moved.get(),
                   .elements = elements,
                   .learning_rate = 0.7f,
                   .scratch = scratch.get(),
                   .nonfinite = flag.get()},
                  nullptr);
  (void)scratch.to_host();
  return {as_values<float>(averages.to_host()), moved.to_host(), flag.to_host().front()};
}

// `tensors`: so many peers have largest values at other places.
void expect_reference(const Codec& codec, const Aggregation& aggregation, int peers,
                      std::size_t elements, bool finite, int tensors = 255) {
  std::vector<std::byte> wires;
  for (int peer = 0; peer < peers; ++peer) {
    std::vector<float> values = draw(distribution_named("student_t3"),
                                     static_cast<std::uint64_t>(peer % tensors), elements);
    for (float& value : values) value *= static_cast<float>(1 + peer % 3);
    if (!finite && peer == 1) values[elements / 2] = std::numeric_limits<float>::infinity();
    const auto wire = encoded(codec, values);
    wires.insert(wires.end(), wire.begin(), wire.end());
  }
  const std::vector<float> parameters = normal_values(elements);
  const Outcome outcome = on_gpu(codec.format, aggregation, wires, peers, parameters);
  std::vector<float> averages(elements), moved = parameters;
  aggregate(codec.format, aggregation, wires, static_cast<std::size_t>(peers), averages);
  outer_step(0.7f, averages, moved);
  EXPECT_EQ(first_difference(outcome.averages, averages), elements) << codec.name << " " << peers;
  EXPECT_EQ(first_difference(outcome.parameters, moved), elements) << codec.name << " " << peers;
  EXPECT_EQ(outcome.nonfinite, finite || peers < 2 ? 0u : 1u);
}

TEST(AggregateKernels, EqualTheReference) {
  for (const Codec* codec : {&sparseloco, &topk64, &topk64_sign_magnitude}) {
    for (const int peers : {0, 1, 4, 20}) {
      expect_reference(*codec, {}, peers, 9001, true);
    }
    expect_reference(*codec, {.average = Average::peers, .clip = false}, 5, 4096, true);
    expect_reference(*codec, {}, 5, 10'003, false);
    expect_reference(*codec, {.average = Average::peers}, 2, 1, false);
    for (const Average average : {Average::senders, Average::peers}) {
      expect_reference(*codec, {.average = average}, 255, 4096 + 7, true, 2);
      expect_reference(*codec, {.average = average}, 6, 4096, true, 2);
    }
  }
}

}  // namespace
}  // namespace codecs::cuda
