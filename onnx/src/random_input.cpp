#include "random_input.hpp"

#include "errors.hpp"

#include <random>

namespace copse::onnx {

HostTensor randomInput(const ModelInput &input, unsigned replicas, std::uint64_t seed) {
  Shape shape;
  for (std::size_t d = 0; d < input.shape.size(); ++d) {
    if (d > 0 && !input.shape[d])
      throw ModelError("input '" + input.name + "': dimension " + std::to_string(d) +
                       " is open, so no elements can be drawn; give a file");
    shape.push_back(input.shape[d].value_or(replicas));
  }
  HostTensor tensor = makeTensor(input.type, shape);
  std::mt19937_64 draw(seed);
  for (float &real : tensor.reals)
    real = static_cast<float>(static_cast<double>(draw() >> 40) / (1 << 23) - 1);
  for (std::int64_t &integer : tensor.integers)
    integer = static_cast<std::int64_t>(draw() & 1);
  return tensor;
}

} // namespace copse::onnx
