#include "popc/temporary_folder.hpp"

#include "popc/popc.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace copse::popc {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "copse-codelet-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw CompileError("cannot make a temporary folder in " + fs::temp_directory_path().string());
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<std::byte> bytesOf(const fs::path &file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto *data = reinterpret_cast<const std::byte *>(text.data());
  return {data, data + text.size()};
}

} // namespace copse::popc
