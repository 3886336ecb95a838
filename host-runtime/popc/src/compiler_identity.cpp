#include "compiler_identity.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace copse::popc {
namespace {

namespace fs = std::filesystem;

// Variables that change what g++ and clang read, write or report.
constexpr std::array kVariables{
    "PATH",          "CPATH",        "C_INCLUDE_PATH",    "CPLUS_INCLUDE_PATH",   "GCC_EXEC_PREFIX",
    "COMPILER_PATH", "LIBRARY_PATH", "SOURCE_DATE_EPOCH", "CCC_OVERRIDE_OPTIONS", "CCC_ADD_ARGS",
    "LANG",          "LC_ALL",       "LC_CTYPE",          "LC_MESSAGES"};

/// Finds a program as a shell does: on the PATH, unless the word has a slash.
fs::path programNamed(const std::string &word) {
  if (word.find('/') != std::string::npos)
    return word;
  const char *path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path file = fs::path(folder) / word; ::access(file.c_str(), X_OK) == 0)
      return file;
  return word;
}

} // namespace

std::string compilerIdentity(const std::vector<std::string> &command) {
  std::ostringstream text;
  for (const std::string &word : command) {
    const fs::path program = programNamed(word);
    struct stat status {};
    text << program.string();
    if (::stat(program.c_str(), &status) == 0)
      text << ' ' << status.st_dev << ' ' << status.st_ino << ' ' << status.st_size << ' '
           << status.st_mtim.tv_sec << '.' << status.st_mtim.tv_nsec;
    text << '\n';
  }
  for (const char *variable : kVariables) {
    const char *value = std::getenv(variable);
    text << variable << (value != nullptr ? std::string("=") + value : " is not set") << '\n';
  }
  return text.str();
}

} // namespace copse::popc
