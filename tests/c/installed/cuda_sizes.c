/* SPDX-License-Identifier: Apache-2.0 */
#include <gardenhose_codecs_cuda.h>

int main(void) {
  size_t bytes = 0;
  return gardenhose_cuda_encoded_bytes("int8_g128", 128, &bytes) != GARDENHOSE_OK || bytes < 128;
}
