#include "fabric/file_limit.hpp"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/resource.h>

namespace copse::fabric {
namespace {

using wire::Code;
using wire::Status;

/// Returns how many descriptors below the number \p most this process has open; the limit is about
/// these.
std::size_t openFiles(std::size_t most) {
  std::error_code error;
  std::size_t open = 0;
  for (std::filesystem::directory_iterator file("/proc/self/fd", error), end; !error && file != end;
       file.increment(error))
    open += std::stoul(file->path().filename()) < most ? 1 : 0;
  if (open > 0)
    return open - 1; // the directory that is being listed is open, too
  for (std::size_t number = 0; number < most; ++number)
    open += ::fcntl(static_cast<int>(number), F_GETFD) >= 0 ? 1 : 0;
  return open;
}

Status tooFew(std::size_t open, std::size_t most, const std::string &what, std::size_t files) {
  return {Code::OutOfMemory, "too few open files are allowed: a process has " +
                                 std::to_string(open) + " of at most " + std::to_string(most) +
                                 ", and " + what + " may need " + std::to_string(files) +
                                 " more; raise the limit with ulimit -n " +
                                 std::to_string(std::max<std::size_t>(1024, open + files))};
}

} // namespace

void raiseFileLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

Status checkFileLimit(std::size_t files, const std::string &what) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return Status::success();
  constexpr rlim_t kMost = 1 << 20; // more than any system allows
  const auto most = static_cast<std::size_t>(std::min(limit.rlim_cur, kMost));
  const std::size_t open = openFiles(most);
  if (open + files <= most)
    return Status::success();
  return tooFew(open, most, what, files);
}

Status checkFileLimitOfChild(std::size_t files, const std::string &what) {
  constexpr std::size_t kStandard = 4; // input, output, errors, and the pipe to its parent
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max >= kStandard + files)
    return Status::success();
  return tooFew(kStandard, limit.rlim_max, what, files);
}

Status checkProc() {
  std::error_code error;
  if (std::filesystem::exists("/proc/self/fd", error))
    return Status::success();
  return {Code::NotFound, "/proc is missing, by which a process knows the memory that another one "
                          "shares with it; mount it: mount -t proc proc /proc"};
}

} // namespace copse::fabric
