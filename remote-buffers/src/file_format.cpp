#include "file_format.hpp"

#include "wire/envelope.hpp"

#include <cstring>
#include <limits>
#include <sys/types.h>

namespace copse::remote_buffers {
namespace {

using wire::Code;
using wire::Status;

constexpr char kMagic[8] = {'c', 'o', 'p', 's', 'e', 'r', 'o', 'w'};
constexpr std::size_t kMaxHandle = 2048;
constexpr std::uint64_t kSlotAlignment = 64;
constexpr std::uint64_t kPage = 4096;

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t replicas;
  std::uint64_t rowBytes, rows;
  std::uint64_t handleBytes;
  char handle[kMaxHandle];
  std::uint64_t check; ///< checksum of all preceding bytes
};
static_assert(sizeof(Header) <= kHeaderBytes && std::is_trivially_copyable_v<Header>);

std::uint64_t checkOf(const Header &header) {
  return wire::payloadHash(std::as_bytes(std::span(&header, 1)).first(offsetof(Header, check)));
}

bool addMultiple(std::uint64_t &to, std::uint64_t count, std::uint64_t bytes) {
  std::uint64_t product = 0;
  return !__builtin_mul_overflow(count, bytes, &product) &&
         !__builtin_add_overflow(to, product, &to) &&
         to <= static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());
}

std::uint64_t roundedUp(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

} // namespace

std::uint64_t checkOf(std::span<const std::byte> row, std::uint64_t sequence) {
  return wire::payloadHash(row) ^ (sequence * 0x9e3779b97f4a7c15);
}

wire::Result<FileLayout> FileLayout::of(const BufferShape &shape, std::uint32_t replicas) {
  FileLayout layout;
  const Status tooLong{Code::OutOfMemory, "remote buffer '" + shape.handle +
                                              "': no file can hold " + sizeText(shape, replicas)};
  if (__builtin_mul_overflow(shape.rows, std::uint64_t{replicas}, &layout.rows_) ||
      shape.rowBytes > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()))
    return tooLong;
  layout.stride_ = roundedUp(shape.rowBytes, kSlotAlignment);
  std::uint64_t end = kHeaderBytes;
  if (!addMultiple(end, layout.rows_, sizeof(RowRecord)))
    return tooLong;
  layout.slots_ = end = roundedUp(end, kPage);
  if (!addMultiple(end, layout.rows_, layout.stride_) ||
      !addMultiple(end, layout.rows_, layout.stride_))
    return tooLong;
  layout.fileBytes_ = end;
  return layout;
}

wire::Result<HeaderBytes> encodeHeader(const BufferShape &shape, std::uint32_t replicas) {
  if (shape.handle.size() > kMaxHandle)
    return Status{Code::InvalidOption,
                  "a remote buffer that is kept in a file has a handle of at most " +
                      std::to_string(kMaxHandle) + " bytes, not " +
                      std::to_string(shape.handle.size())};
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kFileVersion;
  header.replicas = replicas;
  header.rowBytes = shape.rowBytes;
  header.rows = shape.rows;
  header.handleBytes = shape.handle.size();
  shape.handle.copy(header.handle, kMaxHandle);
  header.check = checkOf(header);
  HeaderBytes bytes{};
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

Status checkHeader(const HeaderBytes &bytes, const BufferShape &shape, std::uint32_t replicas) {
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const auto bad = [](const std::string &why) { return Status{Code::InvalidOption, why}; };
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0)
    return bad("is not a file of remote-buffer rows");
  if (header.version != kFileVersion)
    return bad("is of version " + std::to_string(header.version) + ", this program reads version " +
               std::to_string(kFileVersion) +
               "; use the release that wrote it, or remove the file to begin with zeroes");
  if (header.check != checkOf(header) || header.handleBytes > kMaxHandle)
    return bad("has a damaged header");
  const BufferShape there{{header.handle, header.handleBytes}, header.rowBytes, header.rows};
  if (there.handle != shape.handle)
    return bad("holds remote buffer '" + there.handle + "'");
  if (there != shape || header.replicas != replicas)
    return bad("holds " + sizeText(there, header.replicas) + ", not the " +
               sizeText(shape, replicas) +
               " that are asked for; remove the file or use another store name");
  return Status::success();
}

std::string sizeText(const BufferShape &shape, std::uint32_t replicas) {
  return std::to_string(replicas) + " x " + std::to_string(shape.rows) + " rows of " +
         std::to_string(shape.rowBytes) + " bytes";
}

} // namespace copse::remote_buffers
