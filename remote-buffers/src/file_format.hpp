#pragma once

#include "remote_buffers/buffer.hpp"
#include "wire/result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

/// The format of a row file, in the byte order of this machine:
///
///     header    4096 bytes: magic, version, shape, handle, checksum
///     records   shape [replicas][rows][2], one per slot: number of the write that filled the slot,
///               and a checksum
///     slots     shape [replicas][rows][2]: the bytes of a row
///
/// A write fills the slot that does not contain the current row, and then its record. The old row
/// stays valid until the new record is complete, so an interrupted write loses nothing. The slot
/// with the greater sequence number is the current row; a row without a filled slot was never
/// written. The file is sparse.
namespace copse::remote_buffers {

inline constexpr std::uint64_t kHeaderBytes = 4096;
inline constexpr std::uint32_t kFileVersion = 2;

struct SlotRecord {
  std::uint64_t sequence = 0; ///< number of the write to this row, from 1; 0: never filled
  std::uint64_t check = 0;    ///< checkOf()
};
static_assert(sizeof(SlotRecord) == 16);
/// The records of both slots of a row.
using RowRecord = std::array<SlotRecord, 2>;

/// Returns the checksum of the bytes \p row of write number \p sequence.
std::uint64_t checkOf(std::span<const std::byte> row, std::uint64_t sequence);

/// Computes positions in a buffer's file [bytes].
class FileLayout {
public:
  /// \returns OutOfMemory if the file would be too long for any file system
  static wire::Result<FileLayout> of(const BufferShape &shape, std::uint32_t replicas);

  std::uint64_t rows() const { return rows_; } ///< over all replicas; numbered [replica][row]
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

/// \returns InvalidOption if the handle is too long
wire::Result<HeaderBytes> encodeHeader(const BufferShape &shape, std::uint32_t replicas);

/// Checks that a file that begins with \p header stores this buffer.
/// \returns InvalidOption if the file is not a row file, has another version, is damaged, or stores
///   another buffer or size; the message lacks the file's name
wire::Status checkHeader(const HeaderBytes &header, const BufferShape &shape,
                         std::uint32_t replicas);

/// Returns a text such as "2 replicas of 10 rows of 64 bytes".
std::string sizeText(const BufferShape &shape, std::uint32_t replicas);

} // namespace copse::remote_buffers
