#pragma once

#include "remote_buffers/buffer.hpp"
#include "wire/result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

/// What a file of rows looks like, in the byte order of this machine:
///
///     header    4096 bytes: magic, version, shape, handle, checksum
///     records   shape [replicas][rows][2], one for each slot: which write filled it, and a
///     checksum slots     shape [replicas][rows][2]: the bytes of a row
///
/// A write fills the slot that does not hold the row, then its record: until the record is there
/// the old row is, so that a write which is cut short at any point loses nothing. The slot with the
/// greater sequence is the row; a row with neither was never written. The file is sparse.
namespace copse::remote_buffers {

inline constexpr std::uint64_t kHeaderBytes = 4096;
inline constexpr std::uint32_t kFileVersion = 2;

struct SlotRecord {
  std::uint64_t sequence = 0; ///< counts the row's writes, from 1; 0: never filled
  std::uint64_t check = 0;    ///< checkOf()
};
static_assert(sizeof(SlotRecord) == 16);
/// Both slots of a row.
using RowRecord = std::array<SlotRecord, 2>;

/// Checksum of \p row as written by its write number \p sequence.
std::uint64_t checkOf(std::span<const std::byte> row, std::uint64_t sequence);

/// Where things are in the file of a buffer [bytes].
class FileLayout {
public:
  /// \returns OutOfMemory when no file could be that long
  static wire::Result<FileLayout> of(const BufferShape &shape, std::uint32_t replicas);

  std::uint64_t rows() const { return rows_; } ///< of all replicas; numbered [replica][row]
  std::uint64_t recordAt(std::uint64_t row) const { return kHeaderBytes + row * sizeof(RowRecord); }
  std::uint64_t recordAt(std::uint64_t row, unsigned slot) const {
    return recordAt(row) + slot * sizeof(SlotRecord);
  }
  std::uint64_t slotAt(std::uint64_t row, unsigned slot) const {
    return slots_ + (2 * row + slot) * stride_;
  }
  std::uint64_t fileBytes() const { return fileBytes_; }

private:
  std::uint64_t rows_ = 0, slots_ = 0, stride_ = 0, fileBytes_ = 0;
};

using HeaderBytes = std::array<std::byte, kHeaderBytes>;

/// \returns InvalidOption when the handle is too long
wire::Result<HeaderBytes> encodeHeader(const BufferShape &shape, std::uint32_t replicas);

/// Whether a file that begins with \p header holds this buffer.
/// \returns InvalidOption: not a file of rows, of another version, damaged, or of another buffer or
///          size; without the file's name
wire::Status checkHeader(const HeaderBytes &header, const BufferShape &shape,
                         std::uint32_t replicas);

/// "2 replicas of 10 rows of 64 bytes".
std::string sizeText(const BufferShape &shape, std::uint32_t replicas);

} // namespace copse::remote_buffers
