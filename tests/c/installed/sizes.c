/* SPDX-License-Identifier: Apache-2.0 */
#include <gardenhose_codecs.h>

int main(void) {
  size_t bytes = 0;
  return gardenhose_encoded_bytes("int8_g128", 128, &bytes) != GARDENHOSE_OK || bytes < 128;
}
