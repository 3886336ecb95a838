#pragma once

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>

namespace copse::wire {

/// Returns why the file that a user named cannot be read: "is a directory", "No such file or
/// directory"; empty if nothing speaks against it. Streams open directories, and fail at the first
/// byte without a name. A pipe may be read: a shell gives one for `<(command)`.
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
