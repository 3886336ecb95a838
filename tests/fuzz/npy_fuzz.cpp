// Fuzzes NumPy's files of one array.
#include "errors.hpp"
#include "fuzzing.hpp"
#include "npy.hpp"

#include <new>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace copse;
  try {
    const onnx::HostTensor tensor = onnx::parseNpy(std::string(fuzz::textOf(data, size)), "input");
    fuzz::require(tensor.elements() == tensor.reals.size() + tensor.integers.size(),
                  "a tensor has the elements of its shape");
    fuzz::require(tensor.elements() <= size, "each element has bytes of its own");
  } catch (const onnx::ModelError &) {
  }
  return 0;
}
