#include "codecs/codec.hpp"

#include <stdexcept>

#include "codecs/group/group.hpp"

namespace codecs {

void require(bool condition, const char* why) {
  if (!condition) throw std::invalid_argument(why);
}

std::size_t encoded_bytes(const Format& format, std::size_t elements) {
  require(format.bits > 0 && format.group > 0, "a format has bits and a group of at least 1");
  if (format.group > 1) return group_wire(format, elements).bytes;
  const auto bits = static_cast<std::size_t>(format.bits);
  return elements / 8 * bits + (elements % 8 * bits + 7) / 8;  // whole octets first: no overflow
}

double encoded_bytes_per_element(const Format& format) {
  require(format.bits > 0 && format.group > 0, "a format has bits and a group of at least 1");
  const double payload = format.bits / 8.0;
  return format.group > 1 ? payload + 4.0 / static_cast<double>(format.group) : payload;
}

Traffic memory_traffic(const KernelShape& shape) {
  const double wire = encoded_bytes_per_element(shape.wire);
  const double value = shape.value_bytes;
  switch (shape.operation) {
    case Operation::encode:
      return {.read = value, .written = wire};
    case Operation::encode_difference:
      return {.read = value + 2, .written = wire};
    case Operation::decode:
      return {.read = wire, .written = value};
    case Operation::decode_add:
      return {.read = wire + value, .written = value};
    case Operation::decode_reduce:
      return {.read = shape.inputs * wire, .written = value};
    case Operation::decode_reduce_encode:
      return {.read = shape.inputs * wire, .written = encoded_bytes_per_element(shape.wire_out)};
  }
  throw std::invalid_argument("an operation outside the enumeration");
}

}  // namespace codecs
