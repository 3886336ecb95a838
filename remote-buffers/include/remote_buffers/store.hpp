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

/// The remote buffers of one program, by number: shape [buffers][replicas][rows], each row rowBytes
/// long. The store checks every request; the buffers decide where rows are stored. Source: guide,
/// 2.6.2.
///
/// Thread: any number at a time.
class RemoteBufferStore {
public:
  /// \param buffers  each has \p replicas replicas
  RemoteBufferStore(std::vector<std::shared_ptr<Buffer>> buffers, std::uint32_t replicas);
  /// Creates a store in the memory of this process. A row uses no memory until it is written.
  /// \param growth  null, or is notified of each row that is written for the first time
  /// \returns OutOfMemory naming the buffer if the address space is too small
  static wire::Result<RemoteBufferStore> create(std::vector<BufferShape> buffers,
                                                std::uint32_t replicas,
                                                const std::shared_ptr<GrowthWatch> &growth = {});

  /// Reads a whole row into \p bytes.
  /// \returns InvalidOption if \p bytes is not rowBytes long, NotFound naming buffer, row and
  ///   number of rows if the row does not exist
  wire::Status read(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row,
                    std::span<std::byte> bytes) const;
  wire::Status write(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row,
                     std::span<const std::byte> bytes);

  /// Reads parts of several rows: the rows \p rows form one long row, of which the \p pieces are
  /// read, concatenated, into \p bytes. scatter() writes them; it writes nothing if a row or piece
  /// is out of range.
  wire::Status gather(std::uint32_t buffer, std::uint32_t replica,
                      std::span<const std::uint32_t> rows, std::span<const wire::HostPiece> pieces,
                      std::span<std::byte> bytes) const;
  wire::Status scatter(std::uint32_t buffer, std::uint32_t replica,
                       std::span<const std::uint32_t> rows, std::span<const wire::HostPiece> pieces,
                       std::span<const std::byte> bytes);

  /// Do the same for parts that are given row by row.
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
