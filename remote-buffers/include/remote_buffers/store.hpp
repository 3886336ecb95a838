#pragma once

#include "remote_buffers/buffer.hpp"
#include "remote_buffers/growth_watch.hpp"
#include "wire/image.hpp"
#include "wire/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace copse::remote_buffers {

/// The remote buffers of one program, numbered: shape [buffers][replicas][rows], each row rowBytes
/// long. It checks what it is asked for; where rows are kept is the buffers' own affair.
/// Source: guide, 2.6.2.
///
/// Thread: any number at a time.
class RemoteBufferStore {
public:
  /// \param buffers  all of \p replicas replicas
  RemoteBufferStore(std::vector<std::shared_ptr<Buffer>> buffers, std::uint32_t replicas);
  /// In memory of this process: a row costs nothing until it is written.
  /// \param growth  is told of it then, if it is not null
  /// \returns OutOfMemory naming the buffer when the address space does not hold it
  static wire::Result<RemoteBufferStore> create(std::vector<BufferShape> buffers,
                                                std::uint32_t replicas,
                                                const std::shared_ptr<GrowthWatch> &growth = {});

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

  /// The same by parts.
  wire::Status readParts(std::uint32_t buffer, std::uint32_t replica,
                         std::span<const RowPart> parts, std::span<std::byte> bytes) const;
  wire::Status writeParts(std::uint32_t buffer, std::uint32_t replica,
                          std::span<const RowPart> parts, std::span<const std::byte> bytes);

private:
  wire::Status checkRow(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row) const;
  wire::Status checkRow(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row,
                        std::uint64_t bytes) const;
  wire::Status checkPieces(std::uint32_t buffer, std::uint32_t replica,
                           std::span<const std::uint32_t> rows,
                           std::span<const wire::HostPiece> pieces, std::uint64_t bytes) const;
  wire::Status checkParts(std::uint32_t buffer, std::uint32_t replica,
                          std::span<const RowPart> parts, std::uint64_t bytes) const;
  wire::Status otherSize(std::uint32_t buffer, std::uint64_t wanted, std::uint64_t got) const;

  std::vector<std::shared_ptr<Buffer>> buffers_;
  std::uint32_t replicas_ = 1;
};

} // namespace copse::remote_buffers
