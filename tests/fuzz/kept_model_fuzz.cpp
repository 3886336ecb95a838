// Fuzzes compiled ONNX models, as the cache returns them.
#include "fuzzing.hpp"
#include "kept_models.hpp"

#include <exception>
#include <new>
#include <sstream>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace copse;
  std::istringstream in{std::string(fuzz::textOf(data, size))};
  try {
    (void)onnx::readCompiled(in, {});
  } catch (const std::bad_alloc &) {
    fuzz::require(false, "a damaged model takes no more memory than there is");
  } catch (const std::exception &) {
  }
  return 0;
}
