// Fuzzes executables, from the end of their hash on.
#include "fuzzing.hpp"

#include "engine/executable_file.hpp"

#include <poplar/exceptions.hpp>
#include <sstream>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace copse;
  try {
    const auto executable = engine::readExecutableBody(fuzz::textOf(data, size));
    std::ostringstream again; // an executable that could be read is well-formed: it can be written
    engine::writeExecutable(*executable, again);
    for (std::uint32_t i = 0; i < executable->program.images.front().programs.size(); ++i)
      compiler::streamsUsed(executable->program, i);
  } catch (const poplar::poplar_error &) {
  }
  return 0;
}
