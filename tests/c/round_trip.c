/* SPDX-License-Identifier: Apache-2.0
 * A C program that uses the library alone: every codec's values come back, feedback carries what was
 * lost, sums are sums, and wrong arguments are refused. Prints the first thing that is wrong. */
#include <gardenhose_codecs.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kElements = 10007 };

static int fail(const char* codec, const char* what) {
  fprintf(stderr, "%s: %s\n", codec, what);
  return 1;
}

static int check(const char* codec, const float* values) {
  size_t bytes = 0;
  float back[kElements], sums[kElements], residual[kElements] = {0};
  const gardenhose_random_key key = {1, 2, 3, 4, 0};
  const gardenhose_feedback usual = {1, 1, 0, 1};
  if (gardenhose_encoded_bytes(codec, kElements, &bytes) != GARDENHOSE_OK || bytes == 0)
    return fail(codec, "has no size");
  unsigned char* wires = malloc(2 * bytes);
  int bad = 0;
  if (gardenhose_encode(codec, values, kElements, &key, wires, bytes, 1) ||
      gardenhose_encode(codec, values, kElements, &key, wires + bytes, bytes, 3))
    bad = fail(codec, "does not encode");
  if (memcmp(wires, wires + bytes, bytes) != 0) bad = fail(codec, "depends on its threads");
  if (gardenhose_decode(codec, wires, bytes, back, kElements, 2))
    bad = fail(codec, "does not decode");
  memcpy(sums, back, sizeof sums);
  if (gardenhose_decode_add(codec, wires, bytes, sums, kElements, 1))
    bad = fail(codec, "does not add");
  for (int i = 0; i < kElements; ++i) {
    if (sums[i] != 2 * back[i]) bad = fail(codec, "adds something else");
  }
  const gardenhose_status summed =
      gardenhose_decode_reduce(codec, wires, 2 * bytes, 2, sums, kElements, 2);
  if (summed != GARDENHOSE_OK && summed != GARDENHOSE_UNSUPPORTED)
    bad = fail(codec, "does not sum");
  for (int i = 0; summed == GARDENHOSE_OK && i < kElements; ++i) {
    if (fabsf(sums[i] - 2 * back[i]) > 1e-4f * fabsf(values[0])) {
      bad = fail(codec, "sums something else");
    }
  }
  if (gardenhose_encode_feedback(codec, &usual, values, kElements, &key, residual, wires, bytes, 1))
    bad = fail(codec, "has no feedback");
  for (int i = 0; i < kElements; ++i) {
    if (residual[i] != values[i] - back[i]) bad = fail(codec, "loses what it does not send");
  }
  if (gardenhose_decode(codec, wires, bytes - 1, back, kElements, 1) != GARDENHOSE_WRONG_ARGUMENT ||
      gardenhose_encode(codec, NULL, kElements, &key, wires, bytes, 1) !=
          GARDENHOSE_WRONG_ARGUMENT ||
      gardenhose_encode(codec, values, kElements, &key, wires, bytes, 0) !=
          GARDENHOSE_WRONG_ARGUMENT)
    bad = fail(codec, "takes wrong arguments");
  memcpy(back, values, sizeof back);
  const gardenhose_status summed_in_place =
      gardenhose_decode_reduce(codec, back, bytes, 1, back, kElements, 1);
  if (gardenhose_encode(codec, back, kElements, &key, back, bytes, 1) !=
          GARDENHOSE_WRONG_ARGUMENT ||
      gardenhose_encode_feedback(codec, &usual, back, kElements, &key, back, wires, bytes, 1) !=
          GARDENHOSE_WRONG_ARGUMENT ||
      gardenhose_decode(codec, (char*)back + sizeof back - bytes, bytes, back, kElements, 1) !=
          GARDENHOSE_WRONG_ARGUMENT ||
      gardenhose_decode_add(codec, back, bytes, back, kElements, 1) != GARDENHOSE_WRONG_ARGUMENT ||
      (summed_in_place != GARDENHOSE_WRONG_ARGUMENT && summed_in_place != GARDENHOSE_UNSUPPORTED) ||
      memcmp(back, values, sizeof back) != 0)
    bad = fail(codec, "takes memory that overlaps");
  /* Their product with the bytes of a value or of a wire would overflow to something small. */
  const size_t many = SIZE_MAX / 2 + 2, wires_without_bytes = SIZE_MAX / 2 + 1;
  const gardenhose_status overflowed =
      gardenhose_decode_reduce(codec, wires, 0, wires_without_bytes, sums, kElements, 1);
  if (gardenhose_encoded_bytes(codec, many, &bytes) != GARDENHOSE_WRONG_ARGUMENT ||
      gardenhose_encode(codec, values, many, &key, wires, bytes, 1) != GARDENHOSE_WRONG_ARGUMENT ||
      gardenhose_decode(codec, wires, 2, back, many, 1) != GARDENHOSE_WRONG_ARGUMENT ||
      (overflowed != GARDENHOSE_WRONG_ARGUMENT && overflowed != GARDENHOSE_UNSUPPORTED))
    bad = fail(codec, "takes sizes that overflow");
  free(wires);
  return bad;
}

/* At the edge of what the codec takes, all values decode to finite ones. */
static int check_largest(const char* codec) {
  static float values[kElements], back[kElements];
  size_t bytes = 0;
  float largest = 0;
  int bad = 0;
  if (gardenhose_largest_magnitude(codec, kElements, &largest) != GARDENHOSE_OK || !(largest > 1) ||
      gardenhose_largest_magnitude(codec, kElements, NULL) != GARDENHOSE_WRONG_ARGUMENT ||
      gardenhose_largest_magnitude("none", kElements, &largest) != GARDENHOSE_UNKNOWN_CODEC)
    return fail(codec, "has no largest magnitude");
  for (int i = 0; i < kElements; ++i) values[i] = i % 3 == 0 ? -largest : largest;
  gardenhose_encoded_bytes(codec, kElements, &bytes);
  void* wire = malloc(bytes);
  if (gardenhose_encode(codec, values, kElements, NULL, wire, bytes, 1) ||
      gardenhose_decode(codec, wire, bytes, back, kElements, 1))
    bad = fail(codec, "does not encode its largest magnitude");
  for (int i = 0; i < kElements; ++i) {
    if (!isfinite(back[i])) bad = fail(codec, "overflows");
  }
  free(wire);
  return bad;
}

/* One sum of many wires, and one wire added after the other, agree but for roundings: one of each
 * product, and with a transform those of its block. */
static int check_sums(const char* codec, const float* values) {
  enum { kInputs = 8 };
  static float scaled[kElements], sums[kElements], chained[kElements], magnitudes[kElements];
  size_t bytes = 0;
  int bad = 0;
  gardenhose_encoded_bytes(codec, kElements, &bytes);
  unsigned char* wires = malloc(kInputs * bytes);
  memset(chained, 0, sizeof chained);
  memset(magnitudes, 0, sizeof magnitudes);
  float most = 0;
  for (int input = 0; input < kInputs; ++input) {
    unsigned char* wire = wires + (size_t)input * bytes;
    for (int i = 0; i < kElements; ++i) scaled[i] = values[i] * (float)(1 + input) / 3.0f;
    gardenhose_encode(codec, scaled, kElements, NULL, wire, bytes, 1);
    gardenhose_decode_add(codec, wire, bytes, chained, kElements, 1);
    gardenhose_decode(codec, wire, bytes, scaled, kElements, 1);
    for (int i = 0; i < kElements; ++i) magnitudes[i] += fabsf(scaled[i]);
  }
  for (int i = 0; i < kElements; ++i) most = fmaxf(most, magnitudes[i]);
  if (gardenhose_decode_reduce(codec, wires, kInputs * bytes, kInputs, sums, kElements, 1) ==
      GARDENHOSE_OK) {
    for (int i = 0; i < kElements; ++i) {
      if (fabsf(sums[i] - chained[i]) > kInputs * 0x1p-22f * most)
        bad = fail(codec, "sums wires to something else than it adds");
    }
  }
  free(wires);
  return bad;
}

int main(void) {
  float values[kElements];
  size_t bytes = 0;
  int bad = 0;
  for (int i = 0; i < kElements; ++i) values[i] = (float)((i * 7919) % 2003 - 1001) / 1024.0f;
  for (size_t i = 0; i < gardenhose_codec_count(); ++i) {
    bad |= check(gardenhose_codec_name(i), values);
    bad |= check_largest(gardenhose_codec_name(i));
    bad |= check_sums(gardenhose_codec_name(i), values);
  }
  if (gardenhose_codec_name(gardenhose_codec_count()) != NULL) bad = fail("names", "do not end");
  if (gardenhose_encoded_bytes("none", 1, &bytes) != GARDENHOSE_UNKNOWN_CODEC)
    bad = fail("none", "is known");
  printf("%zu codecs\n", gardenhose_codec_count());
  return bad;
}
