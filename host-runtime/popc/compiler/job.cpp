#include "job.hpp"

#include "popc/arch.hpp"

#include <array>
#include <stdexcept>
#include <string_view>

namespace copse::popc {
namespace {

[[noreturn]] void refuse(std::string_view argument) {
  throw std::runtime_error("error: codelet-compiler: what is '" + std::string(argument) + "'?\n");
}

void set(Job &job, std::string_view argument) {
  const std::size_t equals = argument.find('=');
  const std::string_view key = argument.substr(0, equals);
  const std::string value(equals == std::string_view::npos ? "" : argument.substr(equals + 1));
  if (key == "source")
    job.source = value;
  else if (key == "folder")
    job.folder = value;
  else if (const auto arch = archNamed(value); key == "arch" && arch)
    job.arch = *arch;
  else if (argument == "arithmetic=saturating")
    job.arithmetic = TileArithmetic::Saturating;
  else if (argument == "arithmetic=program")
    job.arithmetic = TileArithmetic::OfProgram;
  else if (key == "info")
    job.moduleInfo = value;
  else if (argument == "counted=no")
    job.isCounted = false;
  else if (key == "builtins")
    job.headerOfBuiltins = value;
  else if (key == "checks")
    job.checksWithHeaders = value;
  else if (argument == "debugged=yes")
    job.isDebugged = true;
  else if (argument == "write=assembly")
    job.writesAssembly = true;
  else
    refuse(argument);
}

} // namespace

Job jobOf(std::span<char *const> arguments) {
  Job job;
  const std::array lists{&job.preprocessor, &job.frontEnd, &job.simplifier, &job.generator};
  std::size_t list = 0;
  for (const std::string_view argument : arguments) {
    if (argument == "--")
      ++list;
    else if (list == 0)
      set(job, argument);
    else if (list <= lists.size())
      lists[list - 1]->emplace_back(argument);
  }
  if (list != lists.size() || job.folder.empty())
    throw std::runtime_error(
        "usage: codelet-compiler KEY=VALUE... -- PREPROCESSOR... -- FRONT END... -- "
        "SIMPLIFIER... -- GENERATOR...\npopc starts this program; its README describes it\n");
  return job;
}

} // namespace copse::popc
