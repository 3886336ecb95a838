// Fuzzes ONNX models, and the checks before anything is built.
#include "errors.hpp"
#include "fuzzing.hpp"
#include "operators.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace copse;
  try {
    const onnx::Model model = onnx::parseModel(fuzz::textOf(data, size), "input");
    for (const auto &[name, tensor] : model.initializers)
      fuzz::require(tensor->elements() == tensor->reals.size() + tensor->integers.size(),
                    "a tensor has the elements of its shape");
    onnx::checkOperators(model);
  } catch (const onnx::ModelError &) {
  }
  return 0;
}
