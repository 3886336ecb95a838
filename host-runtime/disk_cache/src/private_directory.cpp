#include "disk_cache/private_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace copse::disk_cache {
namespace {

namespace fs = std::filesystem;

// The address of a Unix socket is limited to 108 bytes, some of which our file names need.
constexpr std::size_t kLongestParent = 70;

// mkdtemp() replaces the Xs.
constexpr const char *kName = "copse-XXXXXX";
constexpr const char *kOwner = ".copse-owner";

std::string parentDirectory() {
  const char *given =
      std::getenv("TMPDIR"); // NOLINT(concurrency-mt-unsafe): it is not set meanwhile
  if (given != nullptr && *given != '\0' && std::string(given).size() <= kLongestParent)
    return given;
  return "/tmp";
}

/// Locks the owner's file. The file gets its name only once it is locked, so no process ever finds
/// it unlocked while its owner lives.
/// \returns the descriptor of the file
int lockAsOwner(const fs::path &directory) {
  const fs::path file = directory / kOwner, unnamed = directory / ".new";
  const int lock = ::open(unnamed.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) == 0 &&
      ::rename(unnamed.c_str(), file.c_str()) == 0)
    return lock;
  const std::error_code why(errno, std::generic_category());
  if (lock >= 0)
    ::close(lock);
  throw std::system_error(why, "cannot make the file " + file.string());
}

/// Removes a directory of this user, if its owner has certainly ended.
void removeIfLeft(const fs::path &directory) {
  struct stat info {};
  if (::lstat(directory.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) ||
      info.st_uid != ::geteuid())
    return;
  const int lock = ::open((directory / kOwner).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (lock < 0)
    return; // not one of ours
  std::error_code ignored;
  if (::flock(lock, LOCK_EX | LOCK_NB) == 0)
    fs::remove_all(directory, ignored);
  ::close(lock);
}

void removeLeftDirectories(const fs::path &parent) {
  const std::string name = kName, prefix = name.substr(0, name.find('X'));
  std::error_code error;
  std::vector<fs::path> candidates;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string found = entry->path().filename().string();
    if (found.size() == name.size() && found.starts_with(prefix))
      candidates.push_back(entry->path());
  }
  for (const fs::path &candidate : candidates)
    removeIfLeft(candidate);
}

} // namespace

PrivateDirectory::PrivateDirectory() {
  std::string name = parentDirectory() + "/" + kName;
  if (::mkdtemp(name.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(),
                            "cannot make the directory " + name + " (TMPDIR says where)");
  path_ = name;
  lock_ = lockAsOwner(path_);
  removeLeftDirectories(path_.parent_path());
}

PrivateDirectory::~PrivateDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  ::close(lock_);
}

} // namespace copse::disk_cache
