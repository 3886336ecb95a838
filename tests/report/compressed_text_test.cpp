#include "compressed_text.hpp"

#include <gmock/gmock.h>

#include <openssl/evp.h>
#include <random>
#include <vector>
#include <zlib.h>

namespace copse::report {
namespace {

/// Unpacks by OpenSSL and zlib, with other calls than the code under test.
std::string unpacked(const std::string &text) {
  std::vector<unsigned char> bytes(text.size());
  const int decoded =
      EVP_DecodeBlock(bytes.data(), reinterpret_cast<const unsigned char *>(text.data()),
                      static_cast<int>(text.size()));
  EXPECT_GE(decoded, 0);
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
  stream.next_in = bytes.data();
  stream.avail_in = static_cast<uInt>(decoded);
  std::string result(std::size_t{8} << 20, '\0');
  stream.next_out = reinterpret_cast<Bytef *>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  result.resize(stream.total_out);
  inflateEnd(&stream);
  return result;
}

TEST(CompressedText, IsUnpackedUnchanged) {
  std::mt19937 random(1);
  for (const std::size_t size : {0, 1, 2, 3, 100, 1 << 20, (1 << 20) + 1, 5'000'001}) {
    std::string text(size, ' ');
    for (char &letter : text)
      letter = static_cast<char>(random());
    EXPECT_TRUE(unpacked(compressedText(text)) == text) << size << " bytes";
  }
}

TEST(CompressedText, IsSmallIfTheTextRepeatsItself) {
  EXPECT_LT(compressedText(std::string(1'000'000, 'x')).size(), 5'000u);
}

} // namespace
} // namespace copse::report
