// Fuzzes .gp files. A hash over the whole file would reject every change, so it is computed here:
// the input is what the hash covers.
#include "fuzzing.hpp"

#include "disk_cache/digest.hpp"
#include "popc/popc.hpp"

#include <sstream>
#include <string>

namespace {

std::string written(const std::vector<copse::popc::Module> &modules) {
  std::ostringstream out;
  copse::popc::writeGp(out, modules);
  return std::move(out).str();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace copse;
  const std::string body(fuzz::textOf(data, size));
  std::istringstream file("COPSE-GP 4\n" + disk_cache::sha256(body) + "\n" + body);
  std::vector<popc::Module> modules;
  try {
    modules = popc::readGp(file, "input");
  } catch (const popc::FileError &) {
    return 0;
  }
  const std::string once = written(modules);
  std::istringstream again(once);
  fuzz::require(written(popc::readGp(again, "written")) == once,
                "what was read can be written and read again");
  return 0;
}
