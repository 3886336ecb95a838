#include "file_io.hpp"

#include <cerrno>
#include <string>
#include <system_error>
#include <unistd.h>

namespace copse::remote_buffers {

using wire::Code;
using wire::Status;

Status fileFault(const char *what, const std::filesystem::path &path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return {full ? Code::OutOfMemory : Code::InvalidOption,
          std::string("cannot ") + what + " " + path.string() + ": " +
              std::generic_category().message(error) + (full ? "; make room on that disk" : "")};
}

Status readAt(int descriptor, std::uint64_t offset, std::span<std::byte> bytes,
              const std::filesystem::path &path) {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return fileFault("read", path, errno);
    if (got == 0)
      return {Code::InvalidOption, path.string() + " ends before it should"};
    offset += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return Status::success();
}

Status writeAt(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes,
               const std::filesystem::path &path) {
  while (!bytes.empty()) {
    const ssize_t put =
        ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return fileFault("write", path, put < 0 ? errno : EIO);
    offset += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return Status::success();
}

} // namespace copse::remote_buffers
