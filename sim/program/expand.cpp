// SPDX-License-Identifier: Apache-2.0
#include "sim/program/expand.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <utility>

#include "sim/collectives/collectives.hpp"
#include "sim/program/alike_groups.hpp"
#include "sim/program/collisions.hpp"
#include "sim/program/host_issue.hpp"
#include "sim/program/kernel_block.hpp"
#include "sim/program/known_groups.hpp"
#include "sim/program/lay_out.hpp"
#include "sim/times/host_codecs.hpp"
#include "sim/topology/gpu_speeds.hpp"

namespace sim {
namespace {

class Expansion {
 public:
  Expansion(const Program& program, const StepContext& context, Ground ground,
            std::vector<double> slowdowns)
      : program_(program),
        context_(context),
        builder_(std::move(ground.builder)),
        groups_(std::move(ground.groups)),
        host_(builder_, host_of(context.calibration.hosts, context.parallelism.kernels)),
        roofline_(context.cluster.gpu, compute_efficiency(context.cluster), context.calibration),
        slowdown_(std::move(slowdowns)),
        blocks_(program.kernels.size()),
        held_(static_cast<std::size_t>(builder_.ranks())),
        gathered_(held_.size() * program.buckets, kNoOperation),
        activations_(held_.size() * program.activation_buffers, kNoOperation),
        sent_(program.messages),
        kernels_(program.communications.size()) {
    std::size_t parts = 0;
    for (const Communication& one : program.communications)
      parts = std::max(parts, one.parts.size());
    ready_.resize(parts + 1, Ids(held_.size(), kNoOperation));
  }

  Schedule run() && {
    builder_.expect(operations());
    start_hosts();
    builder_.leave_out(program_.left_out);
    for (const Instruction& instruction : program_.instructions) {
      builder_.begin_period(instruction.stage, instruction.period);
      std::visit([&](const auto& what) { expand(instruction.stage, what); }, instruction.what);
    }
    host_.finish();
    Schedule schedule = std::move(builder_).finish();
    schedule.product_rate = context_.calibration.product_rate;
    return schedule;
  }

 private:
  using Ids = std::vector<OperationId>;

  // Nearly all steps have fewer.
  [[nodiscard]] std::size_t operations() const {
    constexpr std::size_t kOfEach = 2;  // of an instruction on a rank
    std::size_t count = 0;
    for (const Instruction& one : program_.instructions) count += kOfEach * ranks(one.stage).size();
    return count;
  }

  [[nodiscard]] const std::vector<int>& ranks(int stage) const {
    return groups_.ranks[static_cast<std::size_t>(stage)];
  }

  void expand(int stage, const Compute& compute) {
    // Nearly all micro-batches and ranks have the same.
    auto& [slowdown, block] = blocks_[compute.kernels];
    for (const int rank : ranks(stage)) {
      if (slowdown != slowdown_[index(rank)]) {
        slowdown = slowdown_[index(rank)];
        block = block_of(program_.kernels[compute.kernels], slowdown);
      }
      run(rank, compute.phase, compute.label, block);
    }
  }

  void expand(int stage, const MemoryPass& pass) {
    const BlockTime time = time_of(pass);
    for (const int rank : ranks(stage)) {
      if (pass.beside) {
        Ids after = starts(rank, *pass.beside);
        after.push_back(host_.issue_beside(rank, time.launches));
        builder_.work(rank, Stream::weight_codec, pass.phase, name_of(pass.pass), time.seconds, 1,
                      after, pass.pass);
      } else {
        run_kernels(rank, pass.phase, name_of(pass.pass), {time}, pass.pass);
      }
    }
  }

  void expand(int stage, const Codec& codec) {
    const TimedKernel kernel = timed(codec.kernel);
    for (const int rank : ranks(stage)) {
      if (kernel.stream == Stream::compute && !kernel.on_host) {
        run_kernels(rank, kernel.phase, kernel.label, {kernel.time()});
      } else {
        Ids after = starts(rank, codec.start);
        if (kernel.stream == Stream::compute) take_held(rank, after);
        after.push_back(host_.issue_beside(rank, kernel.launches));
        launch(rank, kernel, after);
      }
    }
  }

  void expand(int stage, const Communicate& what) {
    const Communication& communication = program_.communications[what.communication];
    const std::vector<TimedKernel>& kernels = kernels_of(what.communication);
    const double launches = host_.is_ideal() ? 0 : launches_of(program_, what);
    for (const int rank : ranks(stage)) {
      if (communication.counted && host_.waits_for_counts()) {
        host_.wait(rank, starts(rank, {{Stream::compute}}));
      }
      const OperationId issued = host_.issue_beside(rank, launches);
      ready(kAtStart)[index(rank)] = start(rank, communication.start, issued);
    }
    for (std::size_t i = 0; i < communication.parts.size(); ++i) {
      const Part& part = communication.parts[i];
      const Ids& before = ready(part.after);
      Ids& ends = ready(static_cast<int>(i));
      if (const auto* transfer = std::get_if<Transfer>(&part.what)) {
        const std::string& label = what.label.empty() ? transfer->label : what.label;
        for (const Communicator& group :
             groups_.of({stage, communication.axis, transfer->among, communication.joined()})) {
          exchange(group, *transfer, label, before, ends);
        }
      } else {
        for (const int rank : ranks(stage)) {
          ends[index(rank)] = launch(rank, kernels[i], {&before[index(rank)], 1});
        }
      }
    }
    if (!what.bucket) return;
    const Ids& ends = ready(static_cast<int>(communication.parts.size()) - 1);
    for (const int rank : ranks(stage)) gathered(rank, *what.bucket) = ends[index(rank)];
  }

  void exchange(const Communicator& group, const Transfer& transfer, const std::string& label,
                const Ids& before, Ids& ends) {
    Ids after;
    for (const int rank : group.ranks) after.push_back(before[index(rank)]);
    append(builder_, group, order_of(transfer),
           {.stream = transfer.stream, .phase = transfer.phase, .label = label, .after = after});
    for (const int rank : group.ranks) ends[index(rank)] = builder_.last(rank, transfer.stream);
  }

  void expand(int stage, const Send& send) {
    Ids& flows = sent_[send.message];  // by destination
    flows.resize(held_.size());
    const TimedKernel encode = on_compute(program_.message_encode, Phase::encode);
    const std::vector<Groups::Message>& messages = groups_.messages.at({stage, send.to});
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const Groups::Message& message = messages[i];
      const int source = ranks(stage)[i];
      OperationId after = after_blocks(source, host_.issue_beside(source, 1 + encode.launches));
      if (program_.message_encode) after = launch(source, encode, {&after, 1});
      const Call call = call_of(send.forward);
      builder_.count_unfolded(message.alike);
      const OperationId flow = builder_.flow(message.route, 0, call.phase, call.label,
                                             message.latency_s, send.bytes, {&after, 1});
      flows[index(message.destination)] = flow;
      if (!send.holds) continue;
      hold(source, flow);
      wait_for_message(source, flow);
    }
  }

  void expand(int stage, const Receive& receive) {
    const Ids flows = std::exchange(sent_[receive.message], {});
    const Call call = call_of(receive.forward);
    const TimedKernel decode = on_compute(program_.message_decode, Phase::decode);
    for (const int rank : ranks(stage)) {
      const OperationId issued = host_.issue_beside(rank, 1);
      const OperationId arrival = builder_.member(rank, call.stream, call.phase, call.label,
                                                  {&issued, 1}, flows[index(rank)]);
      hold(rank, arrival);
      if (!context_.parallelism.overlap.pipeline) wait_for_message(rank, arrival);
      if (program_.message_decode) run_kernels(rank, decode.phase, decode.label, {decode.time()});
    }
  }

  void expand(int stage, const Hold& what) {
    for (const int rank : ranks(stage)) {
      for (const Stream stream : what.streams) hold(rank, builder_.last(rank, stream));
    }
  }

  void expand(int stage, const HoldWeights& what) {
    for (const int rank : ranks(stage)) hold(rank, gathered(rank, what.bucket));
  }

  void expand(int stage, const CopyActivations& copy) {
    const Stream stream = copy.to_host ? Stream::to_host : Stream::from_host;
    for (const int rank : ranks(stage)) {
      OperationId& last_use = activations(rank, copy.buffer);
      const OperationId before = copy.to_host ? builder_.last(rank, Stream::compute) : last_use;
      const std::array after{before, host_.issue_beside(rank, 1)};
      last_use = builder_.copy(rank, stream, copy.label, copy.seconds, after);
    }
  }

  void expand(int stage, const HoldBuffer& what) {
    for (const int rank : ranks(stage)) hold(rank, activations(rank, what.buffer));
  }

  void expand(int stage, const FreeBuffer& what) {
    for (const int rank : ranks(stage)) {
      activations(rank, what.buffer) = builder_.last(rank, Stream::compute);
    }
  }

  void expand(int /*stage*/, const SumNorm& /*norm*/) {
    if (!have_all_gradients()) sum_norm();
    for (int rank = 0; rank < static_cast<int>(held_.size()); ++rank) {
      hold(rank, builder_.last(rank, Stream::tensor));
      if (!host_.waits_for_norm()) continue;
      host_.wait(rank, starts(rank, {{Stream::compute, Stream::tensor}}));
    }
  }

  // Every rank, so that it knows their norm alone.
  [[nodiscard]] bool have_all_gradients() const {
    const Parallelism& p = context_.parallelism;
    return p.sharding.stage == 0 && p.tensor * p.pipeline * p.expert == 1;
  }

  void sum_norm() {
    Communicator world{.ranks = std::vector<int>(held_.size()),
                       .size = rank_count(context_.cluster),
                       .nodes = context_.cluster.nodes,
                       .id = builder_.add_communicator()};
    std::iota(world.ranks.begin(), world.ranks.end(), 0);
    Ids after;
    for (const int rank : world.ranks) {
      after.push_back(start(rank, {{Stream::compute}}, host_.issue_beside(rank, 1)));
    }
    all_reduce_scalar(context_.cluster, builder_, world,
                      {.stream = Stream::tensor,
                       .phase = Phase::norm_comm,
                       .label = "all_reduce gradient norm",
                       .after = after});
  }

  void expand(int stage, const SumTied& tied) {
    for (const Communicator& pair : groups_.of({stage, &axes::pipeline})) {
      Ids after;
      for (const int rank : pair.ranks) {
        after.push_back(start(rank, {tied.after}, host_.issue_beside(rank, 1)));
      }
      all_reduce(builder_, pair, tied.bytes,
                 {.stream = Stream::tensor,
                  .phase = Phase::pipeline_comm,
                  .label = "all_reduce tied embeddings",
                  .after = after});
      for (const int rank : pair.ranks) hold(rank, builder_.last(rank, Stream::tensor));
    }
  }

  // Kernels with their time, as one operation.
  struct TimedKernel {
    std::string label = {};
    Phase phase = Phase::none;
    Stream stream = Stream::codec;
    double seconds = 0;
    double launches = 0;
    bool on_host = false;
    [[nodiscard]] BlockTime time() const { return {seconds, seconds, launches}; }
  };

  [[nodiscard]] TimedKernel timed(const Kernel& kernel) const {
    TimedKernel timed{.phase = kernel.phase,
                      .stream = kernel.stream,
                      .seconds = kernel_seconds(context_, kernel)};
    for (const auto& [use, count] : kernel.launches) {
      timed.label = use.label();
      timed.launches += count;
      timed.on_host = hosts_encode_step(use.wire, context_.calibration);
    }
    return timed;
  }
  [[nodiscard]] TimedKernel on_compute(const std::optional<CodecUse>& use, Phase phase) const {
    return use ? timed(Kernel(*use, phase, Stream::compute)) : TimedKernel{};
  }
  // By part of the communication.
  const std::vector<TimedKernel>& kernels_of(std::uint32_t communication) {
    std::vector<TimedKernel>& kernels = kernels_[communication];
    if (!kernels.empty()) return kernels;
    for (const Part& part : program_.communications[communication].parts) {
      const auto* kernel = std::get_if<Kernel>(&part.what);
      kernels.push_back(kernel == nullptr ? TimedKernel{} : timed(*kernel));
    }
    return kernels;
  }
  OperationId launch(int rank, const TimedKernel& kernel, std::span<const OperationId> after) {
    if (kernel.on_host) {
      return builder_.host_work(rank, kernel.stream, kernel.phase, kernel.label, kernel.seconds,
                                after);
    }
    return builder_.work(rank, kernel.stream, kernel.phase, kernel.label, kernel.seconds, 1, after);
  }

  [[nodiscard]] BlockTime time_of(const MemoryPass& pass) const {
    return sim::time_of(context_, roofline_, pass, program_.times);
  }

  [[nodiscard]] KernelBlock block_of(const std::vector<BlockTime>& kernels, double slowdown) const {
    return kernel_block(kernels, slowdown, roofline_.products_beside_channels(), host_);
  }

  void run(int rank, Phase phase, std::string_view label, const KernelBlock& block,
           Pass pass = Pass::none) {
    hold(rank, host_.issue(rank, block.issued));
    Ids& held = held_[index(rank)];
    builder_.work(rank, Stream::compute, phase, label, block.seconds, block.parts, held, pass);
    held.clear();
  }

  void run_kernels(int rank, Phase phase, std::string_view label,
                   const std::vector<BlockTime>& kernels, Pass pass = Pass::none) {
    run(rank, phase, label, block_of(kernels, slowdown_[index(rank)]), pass);
  }

  // What the compute stream's next kernel waits for.
  void take_held(int rank, Ids& after) {
    Ids& held = held_[index(rank)];
    after.insert(after.end(), held.begin(), held.end());
    held.clear();
  }

  void hold(int rank, OperationId operation) {
    if (operation != kNoOperation) held_[index(rank)].push_back(operation);
  }

  [[nodiscard]] Ids starts(int rank, const Start& start) const {
    Ids ids;
    for (const Stream stream : start.streams) ids.push_back(builder_.last(rank, stream));
    const Ids& held = held_[index(rank)];
    if (start.holds) ids.insert(ids.end(), held.begin(), held.end());
    return ids;
  }
  // The same, and what the host has issued, as one operation.
  [[nodiscard]] OperationId start(int rank, const Start& start, OperationId issued) {
    Ids ids = starts(rank, start);
    if (issued != kNoOperation) ids.push_back(issued);
    if (ids.empty()) return kNoOperation;
    return ids.size() == 1 ? ids.front() : builder_.barrier(ids);
  }
  // With what the rank's last result is ready to be sent to another stage.
  OperationId after_blocks(int rank, OperationId issued) {
    Start results{program_.block_streams};
    if (!program_.blocks_end_exchanged) results.streams.add(Stream::compute);
    return start(rank, results, issued);
  }

  // As far ahead as they are when the step before ends.
  void start_hosts() {
    if (host_.is_ideal()) return;
    std::vector<std::vector<HostBlock>> blocks(groups_.ranks.size());  // by stage
    bool after_norm = false;
    for (const auto& [stage, what, period] : program_.instructions) {
      after_norm = after_norm || std::holds_alternative<SumNorm>(what);
      if (!after_norm) continue;
      auto& of_stage = blocks[static_cast<std::size_t>(stage)];
      if (const auto* pass = std::get_if<MemoryPass>(&what)) {
        HostBlock block = host_block(time_of(*pass), host_);
        if (pass->beside) block = {.issue_s = block.issue_s};
        of_stage.push_back(block);
      } else if (const auto* codec = std::get_if<Codec>(&what)) {
        of_stage.push_back({.issue_s = timed(codec->kernel).launches * host_.issue_s()});
      }
    }
    for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
      const double ahead_s = host_.ahead_after(blocks[stage]);
      for (const int rank : groups_.ranks[stage]) host_.start(rank, ahead_s);
    }
  }

  // Without overlap the host waits for all that is on its GPU, as Megatron's does.
  void wait_for_message(int rank, OperationId message) {
    if (!host_.waits_for_messages()) return;
    host_.wait(rank, std::array{builder_.last(rank, Stream::compute), message});
  }

  [[nodiscard]] static Call call_of(bool forward) {
    return {.stream = forward ? Stream::receive_forward : Stream::receive_backward,
            .phase = Phase::pipeline_comm,
            .label = forward ? "activations" : "gradients of activations"};
  }
  [[nodiscard]] static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  // By rank, the operation that what follows a communication's part waits for.
  Ids& ready(int part) { return ready_[index(part + 1)]; }
  OperationId& gathered(int rank, std::size_t bucket) {
    return gathered_[index(rank) * program_.buckets + bucket];
  }

  // What used a buffer last.
  OperationId& activations(int rank, std::uint32_t buffer) {
    return activations_[index(rank) * program_.activation_buffers + buffer];
  }

  const Program& program_;
  const StepContext& context_;
  ScheduleBuilder builder_;
  Groups groups_;
  HostIssue host_;
  Roofline roofline_;
  std::vector<double> slowdown_;  // by rank, for matrix products
  std::vector<std::pair<double, KernelBlock>>
      blocks_;                                     // by kernels of Compute: of the last slowdown
  std::vector<Ids> held_;                          // by rank, what its next kernel waits for
  Ids gathered_;                                   // by rank, then bucket
  Ids activations_;                                // by rank, then buffer
  std::vector<Ids> sent_;                          // by message, then destination
  std::vector<Ids> ready_;                         // of the communication at hand, by part and rank
  std::vector<std::vector<TimedKernel>> kernels_;  // by communication, then part
};

// Without classes where each rank is asked for.
DraftedGroups groups_of(const Program& program, const StepContext& context, Detail detail) {
  if (detail == Detail::folded && !context.whole) {
    return context.known != nullptr ? context.known->of(program, context)
                                    : KnownGroups().of(program, context);
  }
  const auto topology = std::make_shared<const Topology>(context.cluster);
  return {topology,
          std::make_shared<const GroupDrafts>(
              draft_groups(*topology, groups_needed(program), context, detail)),
          nullptr};
}

// One rank for all that do the same, at the speed at which all wait for each other.
PlannedStep expand_alike(const Program& program, const StepContext& context, AlikeGround alike) {
  const auto ranks = static_cast<std::size_t>(alike.ground.builder.ranks());
  const Parallelism& p = context.parallelism;
  const Turns turns{p.pipeline, p.accumulation * p.virtual_stages, p.tensor};
  const std::vector<double> slowdowns(ranks, slowdown_of_step(context.cluster, turns));
  Wiring wiring = std::move(alike.wiring);
  Schedule schedule = Expansion(program, context, std::move(alike.ground), slowdowns).run();
  wiring.routes.resize(schedule.routes.size());  // the others are of no hops
  return {std::move(schedule), std::move(wiring)};
}

}  // namespace

PlannedStep expand(const Program& program, const StepContext& context, Detail detail) {
  const Cluster& cluster = context.cluster;
  const auto [topology, drafts, classes] = groups_of(program, context, detail);
  if (classes != nullptr) {
    PlannedStep step = expand_alike(program, context, alike_ground(*topology, *drafts, *classes));
    if (cluster.speed_spread <= 0 || !replicas_collide(*topology, *drafts, *classes)) return step;
    step.schedule.in_phase = true;
    const double stands_for = static_cast<double>(rank_count(cluster)) / step.schedule.ranks;
    if (step.schedule.operations_of_step() * stands_for > kMostInPhase) return step;
  }
  Schedule schedule =
      Expansion(program, context, every_group(*topology, *drafts, detail), rank_slowdowns(cluster))
          .run();
  Wiring wiring = wire(schedule, *topology);
  return {std::move(schedule), std::move(wiring)};
}

}  // namespace sim
