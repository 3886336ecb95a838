// .gp files. A hash over all of it would stop every change, so it is computed here: the input is
// what the hash covers.
#include "codelets/digest.hpp"
#include "codelets/popc.hpp"
#include "fuzzing.hpp"

#include <sstream>
#include <string>

namespace {

std::string written(const std::vector<copse::codelets::Module> &modules) {
  std::ostringstream out;
  copse::codelets::writeGp(out, modules);
  return std::move(out).str();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace copse;
  const std::string body(fuzz::textOf(data, size));
  std::istringstream file("COPSE-GP 2\n" + codelets::sha256(body) + "\n" + body);
  std::vector<codelets::Module> modules;
  try {
    modules = codelets::readGp(file, "input");
  } catch (const codelets::FileError &) {
    return 0;
  }
  const std::string once = written(modules);
  std::istringstream again(once);
  fuzz::require(written(codelets::readGp(again, "written")) == once,
                "what was read can be written and read again");
  return 0;
}
