#include "idle_assembly.hpp"

#include <algorithm>
#include <charconv>

namespace copse::popc {
namespace {

constexpr std::string_view kComment = "# copse: cycles "; // the statement's only text

} // namespace

std::string idleAssembly(unsigned cycles) {
  return "  call void asm sideeffect \"" + std::string(kComment) + std::to_string(cycles) +
         "\", \"~{dirflag},~{fpsr},~{flags}\"()\n";
}

std::optional<unsigned> cyclesOfAssembly(std::string_view call) {
  if (call.substr(0, call.find('"')).find(" asm ") == std::string_view::npos)
    return std::nullopt;
  const std::size_t comment = call.find(kComment);
  unsigned cycles = 0;
  if (comment != std::string_view::npos)
    std::from_chars(call.data() + comment + kComment.size(), call.data() + call.size(), cycles);
  return cycles;
}

} // namespace copse::popc
