#pragma once

#include "file_format.hpp"
#include "pages.hpp"

#include "remote_buffers/buffer.hpp"
#include "wire/descriptor.hpp"

#include <atomic>
#include <filesystem>
#include <memory>

namespace copse::remote_buffers {

/// Stores rows in a file (file_format.hpp). Rows are read through a mapping but written with
/// pwrite(), because pwrite() reports a full disk, whereas a store to a mapping raises SIGBUS.
///
/// Writers of one row take turns; readers take no lock.
class FileBuffer : public Buffer {
public:
  /// Opens the file, and creates it if it does not exist.
  /// \returns the errors of Storage::open()
  static wire::Result<std::shared_ptr<Buffer>> open(const std::filesystem::path &path,
                                                    BufferShape shape, std::uint32_t replicas);

  wire::Status read(std::uint32_t replica, std::span<const RowPart> parts,
                    std::span<std::byte> bytes) override;
  wire::Status write(std::uint32_t replica, std::span<const RowPart> parts,
                     std::span<const std::byte> bytes) override;

  FileBuffer(BufferShape shape, std::uint32_t replicas, std::filesystem::path path,
             wire::Descriptor file, FileLayout layout, Pages mapping, Pages states);

private:
  class RowLock;
  /// The state of a row in one word: sequence << 3 | kVerified | kLocked | slot; 0: never written.
  using State = std::atomic<std::uint64_t>;

  wire::Status readRecords();
  wire::Status note(std::uint64_t row, const RowRecord &record);
  wire::Status readPart(std::uint64_t row, const RowPart &part, std::byte *to);
  wire::Status verify(std::uint64_t row);
  wire::Status writeRow(std::uint64_t row, std::span<const RowPart> parts, const std::byte *from);
  wire::Status put(std::uint64_t row, RowLock &lock, std::span<const std::byte> bytes);
  wire::Status fault(wire::Code code, std::uint64_t row, const std::string &what) const;
  wire::Status damaged(std::uint64_t row) const;
  State &state(std::uint64_t row) const;
  std::span<const std::byte> slot(std::uint64_t row, std::uint64_t state) const;

  std::filesystem::path path_;
  wire::Descriptor file_;
  FileLayout layout_;
  Pages mapping_; ///< mapping of the whole file
  Pages states_;  ///< a State for each row
};

} // namespace copse::remote_buffers
