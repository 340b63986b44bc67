// SPDX-License-Identifier: Apache-2.0
// Program: what the ranks of each pipeline stage do in a step, in order, without ranks or routes.
// lay_out() makes it, expand() turns it into a schedule, and passes over it say what it keeps in
// memory, what it loses, and where the times of its kernels come from.
//
// All ranks of a stage do the same. Instructions of one stage follow each other; those of several
// stages are listed so that a message is sent before it is received.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/base/pass.hpp"
#include "sim/program/communication.hpp"
#include "sim/times/roofline.hpp"

namespace sim {

// Kernels of the model, consecutive on the compute stream.
struct Compute {
  Phase phase = Phase::forward;
  std::string label;
  std::uint32_t kernels = 0;  // index into Program::kernels
};

// A kernel outside the model: bytes over memory and FP32 arithmetic beside them.
struct MemoryPass {
  Pass pass = Pass::none;
  Phase phase = Phase::memory_pass;
  double bytes = 0;
  double flop = 0;
  std::optional<std::uint32_t> time = {};  // in Program::times, where it is not that of the bytes
  // On the weight_codec stream, beside the compute stream; else on that.
  std::optional<Start> beside = {};
};

// A codec's kernel on every rank. On the compute stream it waits for what holds that; else for
// `start`.
struct Codec {
  Kernel kernel;
  Start start = {};
};

struct Communicate {
  std::uint32_t communication = 0;  // index into Program::communications
  std::string label = {};           // of its transfers, instead of theirs
  // Of the weights of a bucket: what HoldWeights waits for.
  std::optional<std::size_t> bucket = {};
};

// Of one pass of a micro-batch, from each rank of the stage to its neighbour in another one.
struct Send {
  std::uint32_t message = 0;  // from 0 in a program
  int to = 0;                 // stage
  double bytes = 0;
  bool forward = true;
  bool holds = false;  // the compute stream waits for the arrival
};
struct Receive {
  std::uint32_t message = 0;
  int from = 0;
  bool forward = true;
};

// The stage's next kernel of the compute stream waits for the last operations of these streams, or
// for the bucket's weights.
struct Hold {
  StreamSet streams;
};
struct HoldWeights {
  std::size_t bucket = 0;
};

// Buffers of the stage's GPUs through which activations of layers go to the hosts and come back
// (sim/program/offload.hpp).
//
// A copy to the host starts after the compute stream's last kernel; one from it, when what used the
// buffer before is through.
struct CopyActivations {
  std::uint32_t buffer = 0;
  bool to_host = true;
  double seconds = 0;
  std::string label;
};
// The next kernel of the compute stream waits for the buffer's last copy.
struct HoldBuffer {
  std::uint32_t buffer = 0;
};
// The compute stream's last kernel is what used the buffer.
struct FreeBuffer {
  std::uint32_t buffer = 0;
};

// All ranks of all stages sum a scalar.
struct SumNorm {};
// Ranks of this stage and their neighbours in the last one sum what both have of a tied embedding.
struct SumTied {
  double bytes = 0;
  StreamSet after;  // on both, what brings and sums gradients
};

struct Instruction {
  int stage = 0;
  std::variant<Compute, MemoryPass, Codec, Communicate, Send, Receive, Hold, HoldWeights,
               CopyActivations, HoldBuffer, FreeBuffer, SumNorm, SumTied>
      what;
  int period = -1;  // of the stage's order (sim/workload/pipeline_tasks.hpp), if it is of one
};

struct Program {
  std::vector<Instruction> instructions;
  std::vector<std::vector<BlockTime>> kernels;  // of Compute
  std::vector<BlockTime> times;                 // of MemoryPass
  std::vector<Communication> communications;
  // Of each message between stages, if it has a codec: on the compute streams of who sends and receives it.
  std::optional<CodecUse> message_encode = {}, message_decode = {};
  StreamSet block_streams;            // on which exchanges between a layer's blocks end
  bool blocks_end_exchanged = false;  // what a block gives comes from these, not from its kernels
  std::size_t buckets = 0;            // of the stage that has most, each group's part for itself
  std::uint32_t messages = 0;
  std::uint32_t activation_buffers = 0;  // of the stage that has most
  int left_out = 0;                      // periods of each stage's order
};

}  // namespace sim
