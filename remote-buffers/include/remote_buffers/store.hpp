#pragma once

#include "wire/image.hpp"
#include "wire/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace copse::remote_buffers {

struct BufferShape {
  std::string handle; ///< for messages
  std::uint64_t rowBytes = 0;
  std::uint64_t rows = 1; ///< of each replica
};

/// The rows of all remote buffers of one program: shape [buffers][replicas][rows], each row
/// rowBytes long. Memory is mapped, not allocated: a row costs nothing until it is touched, and
/// reads as zeroes until it is written. Source: guide, 2.6.2.
///
/// Rows are not locked. Readers and writers of different rows never wait for each other; who reads
/// a row while another writes it may see a part of both.
///
/// Thread: any number at a time.
class RemoteBufferStore {
public:
  /// \returns OutOfMemory naming the buffer when the address space or the memory limit does not
  /// hold it
  static wire::Result<RemoteBufferStore> create(std::vector<BufferShape> buffers,
                                                std::uint32_t replicas);

  /// A whole row. \p bytes must be rowBytes long: InvalidOption.
  /// \returns NotFound naming buffer, row and rows when there is no such row
  wire::Status read(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row,
                    std::span<std::byte> bytes) const;
  wire::Status write(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row,
                     std::span<const std::byte> bytes);

  /// Parts of several rows: \p rows one after another make one long row, of which \p pieces,
  /// concatenated, are read into \p bytes or written from it. Nothing is written when a row or a
  /// piece is out of range.
  wire::Status gather(std::uint32_t buffer, std::uint32_t replica,
                      std::span<const std::uint32_t> rows, std::span<const wire::HostPiece> pieces,
                      std::span<std::byte> bytes) const;
  wire::Status scatter(std::uint32_t buffer, std::uint32_t replica,
                       std::span<const std::uint32_t> rows, std::span<const wire::HostPiece> pieces,
                       std::span<const std::byte> bytes);

private:
  struct Unmap {
    std::uint64_t length = 0;
    void operator()(std::byte *base) const;
  };
  struct Mapping {
    BufferShape shape;
    std::unique_ptr<std::byte, Unmap> base;
  };
  RemoteBufferStore() = default;

  wire::Status checkRow(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row) const;
  wire::Status checkRow(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row,
                        std::uint64_t bytes) const;
  wire::Status checkPieces(std::uint32_t buffer, std::uint32_t replica,
                           std::span<const std::uint32_t> rows,
                           std::span<const wire::HostPiece> pieces, std::uint64_t bytes) const;
  std::byte *rowAt(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row) const;

  std::vector<Mapping> buffers_;
  std::uint32_t replicas_ = 1;
};

} // namespace copse::remote_buffers
