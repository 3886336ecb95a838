// Fuzzes tensors that were written by poplar::Graph::serializeTensors(). The first byte selects the
// format.
#include "fuzzing.hpp"

#include "graph/serialization.hpp"

#include <poplar/exceptions.hpp>
#include <sstream>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace copse;
  if (size == 0)
    return 0;
  std::istringstream in{std::string(fuzz::textOf(data + 1, size - 1))};
  const auto format =
      data[0] % 2 == 0 ? poplar::SerializationFormat::JSON : poplar::SerializationFormat::Binary;
  try {
    const auto bundle = graph::readTensors(in, format);
    for (const auto &tensor : bundle.tensors)
      for (const auto &run : tensor.runs)
        fuzz::require(run.variable < bundle.variables.size(), "each run has its variable");
  } catch (const poplar::poplar_error &) {
  }
  return 0;
}
