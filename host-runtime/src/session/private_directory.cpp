#include "session/private_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace copse::session {
namespace {

// The address of a Unix socket has 108 bytes; a file name of ours needs some of them.
constexpr std::size_t kLongestParent = 70;

std::string parentDirectory() {
  const char *given =
      std::getenv("TMPDIR"); // NOLINT(concurrency-mt-unsafe): nobody sets it meanwhile
  if (given != nullptr && *given != '\0' && std::string(given).size() <= kLongestParent)
    return given;
  return "/tmp";
}

} // namespace

PrivateDirectory::PrivateDirectory() {
  std::string name = parentDirectory() + "/copse-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(),
                            "cannot make the directory " + name + " (TMPDIR says where)");
  path_ = name;
}

PrivateDirectory::~PrivateDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

} // namespace copse::session
