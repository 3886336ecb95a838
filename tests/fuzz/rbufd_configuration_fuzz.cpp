// Fuzzes configurations of rbufd.
#include "fuzzing.hpp"
#include "temporary_folder.hpp"

#include "remote_buffers/daemon.hpp"

#include <fstream>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace copse;
  static const test::TemporaryFolder folder;
  const std::string file = folder.file("rbufd.json");
  std::ofstream(file, std::ios::binary) << fuzz::textOf(data, size);
  (void)remote_buffers::readConfiguration(file);
  return 0;
}
