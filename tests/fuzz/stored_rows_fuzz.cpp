// Fuzzes files of rows, as rbufd finds them when it starts. If the first byte of the input is odd,
// the following bytes are put after a valid header, whose checksum would otherwise reject every
// change.
#include "file_buffer.hpp"
#include "file_format.hpp"
#include "fuzzing.hpp"
#include "temporary_folder.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace copse;
namespace rows = copse::remote_buffers;

constexpr std::uint32_t kReplicas = 2;
const rows::BufferShape kShape{"b", 40, 3};

std::string fileOf(std::span<const std::byte> input) {
  const bool goodHeader = (input[0] & std::byte{1}) != std::byte{0};
  const std::span rest = input.subspan(1);
  std::string file;
  const auto append = [&file](std::span<const std::byte> bytes) {
    file.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  };
  if (goodHeader)
    append(*rows::encodeHeader(kShape, kReplicas));
  append(rest);
  if (goodHeader)
    file.resize(rows::FileLayout::of(kShape, kReplicas)->fileBytes());
  return file;
}

/// Whatever the file contains, a row that is written can be read from then on.
void useRow(rows::Buffer &buffer, std::uint32_t replica, std::uint64_t number) {
  const rows::RowPart whole{number, 0, kShape.rowBytes};
  std::vector<std::byte> row(kShape.rowBytes), back(kShape.rowBytes);
  static_cast<void>(buffer.read(replica, {&whole, 1}, row)); // a damaged one says so
  std::fill(row.begin(), row.end(), static_cast<std::byte>(number + 1));
  fuzz::require(buffer.write(replica, {&whole, 1}, row).ok(), "any row can be written");
  fuzz::require(buffer.read(replica, {&whole, 1}, back).ok() && back == row,
                "a row that was written can be read");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const test::TemporaryFolder folder;
  if (size == 0)
    return 0;
  const std::string path = folder.file("b.rows");
  std::filesystem::remove(path); // a file that is cut instead would be flushed to the disk
  std::ofstream(path, std::ios::binary) << fileOf(fuzz::bytesOf(data, size));
  const auto buffer = rows::FileBuffer::open(path, kShape, kReplicas);
  if (!buffer)
    return 0;
  for (std::uint32_t replica = 0; replica < kReplicas; ++replica)
    for (std::uint64_t number = 0; number < kShape.rows; ++number)
      useRow(**buffer, replica, number);
  return 0;
}
