#include "modelled_clock.hpp"

#include "engine/assumptions.hpp"
#include "wire/environment.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace copse::tools {
namespace {

namespace fs = std::filesystem;

/// Returns the file of a program as a shell finds it; empty if it does not exist.
fs::path fileOf(const std::string &program) {
  if (program.find('/') != std::string::npos)
    return program;
  const char *const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path file = fs::path(folder.empty() ? "." : folder) / program;
        ::access(file.c_str(), X_OK) == 0)
      return file;
  return {};
}

/// Returns true if the file is a statically linked program, on which the dynamic linker has no
/// influence. For a script its interpreter counts, which is never linked statically.
bool isStatic(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!file.read(reinterpret_cast<char *>(&header), sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    return false;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + std::uint64_t{i} * header.e_phentsize));
    if (!file.read(reinterpret_cast<char *>(&part), sizeof part))
      return false;
    if (part.p_type == PT_INTERP)
      return false;
  }
  return true;
}

/// Returns the path of libcopse_clock.so, which lies in the folder beside the folder of this
/// program.
fs::path clockLibrary() {
  const fs::path self = fs::read_symlink("/proc/self/exe");
  return self.parent_path().parent_path() / "lib" / "libcopse_clock.so";
}

void preload(const fs::path &library) {
  const std::string others = wire::environmentVariable("LD_PRELOAD");
  if (others.find(library.string()) != std::string::npos)
    return;
  ::setenv("LD_PRELOAD", (library.string() + (others.empty() ? "" : ":" + others)).c_str(), 1);
}

} // namespace

std::string wrongHostTime(const std::string &text) {
  if (text == "real" || text == "none")
    return {};
  char *end = nullptr;
  const double factor = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0' && std::isfinite(factor) && factor > 0)
    return {};
  return "'" + text + "' is none of real, none and a factor above 0";
}

void setClocks(const ClockRequest &request, const std::vector<std::string> &command) {
  if (!request.clock.empty())
    ::setenv("COPSE_CLOCK", request.clock.c_str(), 1);
  if (wire::environmentVariable("COPSE_CLOCK") != "modelled") {
    if (request.hostTime.empty() && !request.summary)
      return;
    throw std::runtime_error("--host-time and --clock-summary have no effect on real clocks; give "
                             "--clock modelled, too");
  }
  if (!request.hostTime.empty())
    ::setenv("COPSE_HOST_TIME", request.hostTime.c_str(), 1);
  if (request.summary)
    ::setenv("COPSE_CLOCK_SUMMARY", "1", 1);
  if (const fs::path program = fileOf(command.front()); isStatic(program))
    throw std::runtime_error(program.string() +
                             " is linked statically, so its clocks cannot be reached; link it "
                             "dynamically, or run it without --clock modelled");
  const fs::path library = clockLibrary();
  if (std::error_code error; !fs::exists(library, error))
    throw std::runtime_error(library.string() +
                             " is missing, which has the program's clocks; install Copse again");
  preload(library);
}

void setAssumptions(const std::vector<std::string> &assumptions) {
  if (assumptions.empty())
    return;
  if (wire::environmentVariable("COPSE_EXECUTION") != "modelled")
    throw std::runtime_error("--assume has no effect on an execution, which has the data; give "
                             "--execution modelled, too");
  std::string all = wire::environmentVariable("COPSE_ASSUME");
  for (const std::string &assumption : assumptions)
    all += (all.empty() ? "" : ",") + assumption;
  try {
    (void)engine::Assumptions(all);
  } catch (const std::invalid_argument &error) {
    throw std::runtime_error(error.what());
  }
  ::setenv("COPSE_ASSUME", all.c_str(), 1);
}

} // namespace copse::tools
