// Fuzzes files in the folder of a cache, under the name of an entry. If the first byte of the input
// is odd, the rest is stored as an entry, whose bytes must be read again; then one byte of the file
// is changed.
#include "fuzzing.hpp"
#include "temporary_folder.hpp"

#include "disk_cache/file_cache.hpp"

#include <cstdlib>
#include <fstream>
#include <ostream>
#include <string>

namespace {

using namespace copse;

constexpr const char *kName = "entry";

/// A cache in a folder that is removed with the program.
class Cache {
public:
  Cache() { ::setenv("COPSE_CACHE_DIR", folder_.path().c_str(), 1); }
  std::string file() const { return folder_.file(std::string("things/") + kName); }
  std::optional<std::string> find() const { return disk_cache::FileCache("things").find(kName); }
  void keep(std::string_view bytes) const {
    disk_cache::FileCache("things").keep(kName, [&](std::ostream &out) { out << bytes; });
  }

private:
  test::TemporaryFolder folder_;
};

void changeByte(const std::string &file, std::size_t at) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(at));
  const int byte = stream.get();
  stream.seekp(static_cast<std::streamoff>(at));
  stream.put(static_cast<char>(byte ^ 1));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const Cache cache;
  if (size == 0)
    return 0;
  const std::string_view bytes = fuzz::textOf(data + 1, size - 1);
  cache.keep(bytes);
  if (data[0] % 2 != 0) {
    fuzz::require(cache.find() == bytes, "an entry has the bytes that it was given");
    changeByte(cache.file(), (data[0] * 37U + size) % std::filesystem::file_size(cache.file()));
    fuzz::require(!cache.find(), "a damaged entry is none");
  } else {
    std::ofstream(cache.file(), std::ios::binary) << bytes;
    fuzz::require(!cache.find(), "what no cache has written is no entry");
  }
  return 0;
}
