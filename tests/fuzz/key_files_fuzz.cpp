// Fuzzes files of keys: a node's own pair, and the public keys of all. The first byte of the input
// says where the second file begins.
#include "cluster/key_files.hpp"
#include "fuzzing.hpp"
#include "temporary_folder.hpp"

#include <algorithm>
#include <fstream>

namespace {

using namespace copse;

void write(const std::string &file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
  std::filesystem::permissions(file, std::filesystem::perms::owner_read |
                                         std::filesystem::perms::owner_write);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const test::TemporaryFolder folder;
  if (size == 0)
    return 0;
  const std::string_view bytes = fuzz::textOf(data + 1, size - 1);
  const std::size_t end = std::min<std::size_t>(data[0] * 4U, bytes.size());
  write(folder.file("ipu-0.key"), bytes.substr(0, end));
  write(folder.file("public.json"), bytes.substr(end));
  cluster::Cluster cluster;
  cluster.keys = folder.path();
  const auto keys = cluster::keysOf(cluster, "ipu-0");
  fuzz::require(!keys || *keys != nullptr, "a node with keys has them");
  return 0;
}
