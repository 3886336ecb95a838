#pragma once

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>

namespace copse::wire {

/// Returns why a file that the user named cannot be read, for example "is a directory"; empty if it
/// seems readable. Needed because a stream opens a directory without an error and then fails at the
/// first byte. A pipe is readable: a shell creates one for `<(command)`.
inline std::string whyUnreadable(const std::filesystem::path &path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status))
    return "is a directory";
  if (std::filesystem::is_socket(status))
    return "is a socket";
  if (::access(path.c_str(), R_OK) != 0)
    return std::generic_category().message(errno);
  return {};
}

} // namespace copse::wire
