// SPDX-License-Identifier: Apache-2.0
// The numbers that only the speed of kernels depends on, so that a GPU can choose them, as CUB's
// policies are chosen (cccl, docs/cub/tuning.rst). tests/gpu/tune.py reads the lines "tune:": it
// compiles kernels with each of the values, checks that no byte changes, and times the operations
// after the bar. docs/commands/calibrate.md says how.
//
// One number serves all architectures: the host computes grids from it, and is compiled once.
#pragma once

namespace codecs::cuda {

// Threads of a block of kernels whose warps work alone: dense encodes and decodes, and others.
// tune: 128 256 512 | encode int8_g128, encode nf4_g64, decode int8_g128, decode_reduce int4_g128 8
inline constexpr int kThreadsPerBlock = 256;

// Tiles of 512 values that a warp encodes at once, of groups of up to 512 whose encode instructions
// bind.
// tune: 1 2 4 | encode int4_g128_sr, encode int8_g128_sr, encode nf4_g64
inline constexpr int kSmallGroupTiles = 2;

// Registers of a thread for values that are fetched before any is taken: 96 leave a thread of two
// blocks on a multiprocessor enough for the rest.
// tune: 32 64 96 128 | encode int8_g2048, encode bnb8_g4096
inline constexpr int kFetchRegisters = 96;

// Blocks of a sum of wires that a multiprocessor must hold. Without such a number, the compiler
// saves registers and loads each wire when its turn comes.
// tune: 1 2 3 4 | decode int8_g128, decode_reduce int8_g128 8, decode_reduce int4_g128 8
inline constexpr int kSumBlocks = 2;

// Wires whose loads are in flight together, of codes of less than a byte and of bytes.
// tune: 2 4 8 16 | decode_reduce int4_g128 8, decode_reduce int4_g128 16
inline constexpr int kWiresInFlight = 8;
// tune: 2 4 8 | decode_reduce int8_g128 4, decode_reduce int8_g128 8
inline constexpr int kByteWiresInFlight = 4;

// Tiles that a warp has in flight while it only reads, for the largest magnitude of a tensor; and
// the most blocks that do so: several waves on every GPU, few atomics.
// tune: 1 2 4 | encode nvfp4, encode fp8_e4m3
inline constexpr int kAmaxTiles = 2;
// tune: 1024 2048 4096 8192 | encode nvfp4, encode fp8_e4m3
inline constexpr unsigned kMostAmaxBlocks = 4096;

// Blocks of signs on a multiprocessor, so that one loads while the other stores.
// tune: 1 2 3 | encode sign_g2048, decode_reduce sign_g2048 8
inline constexpr int kSignBlocks = 2;

// Wires of signs whose loads are in flight together where a warp has one scale; with more, half as
// many.
// tune: 4 8 16 | decode_reduce sign_g2048 8, decode_reduce sign_g2048 16
inline constexpr int kSignWiresInFlight = 8;

// Blocks that add sparse wires, and wait at a barrier for each: several on a multiprocessor keep
// its memory busy.
// tune: 4 5 6 7 8 | decode topk64, decode_reduce topk64 8
inline constexpr int kSparseSumBlocks = 6;

// Values that a block of threads rotates, at least, in blocks of values of their own.
// tune: 2048 4096 8192 | encode int4_g128_rht128_sr, encode nvfp4_rht16
inline constexpr int kRotationElements = 4096;

// Threads of EDEN's kernels on a multiprocessor, at least, so that each has enough registers and
// not more: 96 in an encode, and 128 in a decode, which has loads of several wires in flight.
// tune: 512 640 768 1024 | encode eden4_g4096
inline constexpr int kEdenEncodeThreads = 640;
// tune: 384 512 640 768 | decode eden4_g4096, decode_reduce eden4_g4096 8
inline constexpr int kEdenDecodeThreads = 512;

// Wires of EDEN whose loads are in flight together; of 1 or 2 bits, twice as many.
// tune: 2 4 8 | decode_reduce eden4_g4096 8
inline constexpr int kEdenWiresInFlight = 4;

// Vectors of 16 bytes that a thread of random-k's feedback moves.
// tune: 1 2 4 8 | encode_feedback random_k64
inline constexpr int kRandomKVectors = 4;

static_assert(kThreadsPerBlock % 32 == 0 && kRotationElements % (64 * 32) == 0, "whole warps");
static_assert((kWiresInFlight & (kWiresInFlight - 1)) == 0 &&
                  (kByteWiresInFlight & (kByteWiresInFlight - 1)) == 0,
              "sums halve what is left");
static_assert(kSignWiresInFlight >= 2, "half as many are some");

}  // namespace codecs::cuda
