#include "compressed_text.hpp"

#include <algorithm>
#include <cassert>
#include <memory>
#include <new>
#include <openssl/evp.h>
#include <zlib.h>

namespace copse::report {
namespace {

constexpr int kGzip = 16 + MAX_WBITS; // makes zlib write gzip's header

/// Compresses in pieces, because zlib counts bytes in 32 bits.
std::string gzipOf(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream *)> end(&stream, deflateEnd);
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::string packed;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (stream.avail_in == 0 && !text.empty()) {
      const std::string_view piece = text.substr(0, kPiece);
      text.remove_prefix(piece.size());
      stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(piece.data()));
      stream.avail_in = static_cast<uInt>(piece.size());
    }
    const std::size_t before = packed.size();
    packed.resize(before + kPiece / 4);
    stream.next_out = reinterpret_cast<Bytef *>(packed.data() + before);
    stream.avail_out = kPiece / 4;
    state = deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
    assert(state == Z_OK || state == Z_STREAM_END || state == Z_BUF_ERROR);
    packed.resize(packed.size() - stream.avail_out);
  }
  return packed;
}

std::string base64Of(std::string_view bytes) {
  constexpr std::size_t kPiece = std::size_t{3}
                                 << 20; // a multiple of three needs no padding inside
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4 + 1);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kPiece, bytes.size()))) {
    const std::string_view piece = bytes.substr(0, kPiece);
    const std::size_t before = text.size();
    text.resize(before + (piece.size() + 2) / 3 * 4 + 1); // plus the zero that OpenSSL appends
    const int written = EVP_EncodeBlock(reinterpret_cast<unsigned char *>(text.data() + before),
                                        reinterpret_cast<const unsigned char *>(piece.data()),
                                        static_cast<int>(piece.size()));
    text.resize(before + static_cast<std::size_t>(written));
  }
  return text;
}

} // namespace

std::string compressedText(std::string_view text) { return base64Of(gzipOf(text)); }

} // namespace copse::report
