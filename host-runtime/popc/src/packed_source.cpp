#include "packed_source.hpp"

#include "popc/popc.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <zlib.h>

namespace copse::popc {
namespace {

using std::string;
using std::string_view;

// The packed form: the size of the text in 8 bytes; then the compressed text. The text has fields
// that end with a zero each, of which the third is the number of flags, and then the source.
constexpr std::size_t kSizeBytes = sizeof(std::uint64_t);
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMostFlags = 10'000;

[[noreturn]] void refuse() {
  throw FileError("the sources in a .gp file are damaged; compile it again");
}

string inflated(const string &bytes) {
  std::uint64_t size = 0;
  if (bytes.size() < kSizeBytes)
    refuse();
  std::memcpy(&size, bytes.data(), kSizeBytes);
  if (size > kMostBytes)
    refuse();
  string text(size, '\0');
  uLongf got = size;
  const int result = ::uncompress(reinterpret_cast<Bytef *>(text.data()), &got,
                                  reinterpret_cast<const Bytef *>(bytes.data()) + kSizeBytes,
                                  bytes.size() - kSizeBytes);
  if (result != Z_OK || got != size)
    refuse();
  return text;
}

string takeField(string_view &text) {
  const std::size_t end = text.find('\0');
  if (end == string_view::npos)
    refuse();
  string field(text.substr(0, end));
  text.remove_prefix(end + 1);
  return field;
}

} // namespace

string packed(const PackedSource &source) {
  string text;
  const auto put = [&text](const string &field) { text.append(field).push_back('\0'); };
  put(source.path);
  put(source.directory);
  put(std::to_string(source.flags.size()));
  for (const string &flag : source.flags)
    put(flag);
  text += source.text;
  uLongf bytes = ::compressBound(text.size());
  string result(kSizeBytes + bytes, '\0');
  const std::uint64_t size = text.size();
  std::memcpy(result.data(), &size, kSizeBytes);
  ::compress2(reinterpret_cast<Bytef *>(result.data()) + kSizeBytes, &bytes,
              reinterpret_cast<const Bytef *>(text.data()), text.size(), Z_BEST_SPEED);
  result.resize(kSizeBytes + bytes);
  return result;
}

PackedSource unpacked(const string &bytes) {
  const string all = inflated(bytes);
  string_view text = all;
  PackedSource source;
  source.path = takeField(text);
  source.directory = takeField(text);
  const string count = takeField(text);
  if (count.empty() || count.size() > 5 || count.find_first_not_of("0123456789") != string::npos ||
      std::stoul(count) > kMostFlags)
    refuse();
  for (std::size_t flags = std::stoul(count); flags > 0; --flags)
    source.flags.push_back(takeField(text));
  source.text = text;
  return source;
}

} // namespace copse::popc
