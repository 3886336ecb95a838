#include "remote_buffers/store.hpp"

#include <algorithm>
#include <sys/mman.h>

namespace copse::remote_buffers {
namespace {

using wire::Code;
using wire::Status;

/// Calls \p each(row, offsetInRow, bytes) for the parts that a piece of the concatenated rows is
/// made of.
template <class Each>
void forEachPart(const wire::HostPiece &piece, std::uint64_t rowBytes,
                 std::span<const std::uint32_t> rows, Each &&each) {
  std::uint64_t offset = piece.offset;
  const std::uint64_t end = piece.offset + piece.bytes;
  while (offset < end) {
    const std::uint64_t inRow = offset % rowBytes;
    const std::uint64_t bytes = std::min(rowBytes - inRow, end - offset);
    each(rows[offset / rowBytes], inRow, bytes);
    offset += bytes;
  }
}

} // namespace

wire::Result<RemoteBufferStore> RemoteBufferStore::create(std::vector<BufferShape> buffers,
                                                          std::uint32_t replicas) {
  RemoteBufferStore store;
  store.replicas_ = replicas;
  for (BufferShape &shape : buffers) {
    std::uint64_t bytes = 0;
    const bool overflows = __builtin_mul_overflow(shape.rowBytes, shape.rows, &bytes) ||
                           __builtin_mul_overflow(bytes, std::uint64_t{replicas}, &bytes);
    const std::uint64_t length = std::max<std::uint64_t>(bytes, 1);
    // Not reserved: most programs touch a part of what they declare, and pages come when they are
    // written.
    void *base = overflows ? MAP_FAILED
                           : ::mmap(nullptr, length, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
      return Status{Code::OutOfMemory,
                    "remote buffer '" + shape.handle + "': no address space for " +
                        std::to_string(replicas) + " x " + std::to_string(shape.rows) +
                        " rows of " + std::to_string(shape.rowBytes) +
                        " bytes; make it smaller or raise the limit of the address space"};
    store.buffers_.push_back({std::move(shape), {static_cast<std::byte *>(base), Unmap{length}}});
  }
  return store;
}

Status RemoteBufferStore::read(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row,
                               std::span<std::byte> bytes) const {
  if (Status status = checkRow(buffer, replica, row, bytes.size()); !status.ok())
    return status;
  std::copy_n(rowAt(buffer, replica, row), bytes.size(), bytes.data());
  return Status::success();
}

Status RemoteBufferStore::write(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row,
                                std::span<const std::byte> bytes) {
  if (Status status = checkRow(buffer, replica, row, bytes.size()); !status.ok())
    return status;
  std::copy_n(bytes.data(), bytes.size(), rowAt(buffer, replica, row));
  return Status::success();
}

Status RemoteBufferStore::gather(std::uint32_t buffer, std::uint32_t replica,
                                 std::span<const std::uint32_t> rows,
                                 std::span<const wire::HostPiece> pieces,
                                 std::span<std::byte> bytes) const {
  if (Status status = checkPieces(buffer, replica, rows, pieces, bytes.size()); !status.ok())
    return status;
  std::byte *to = bytes.data();
  for (const wire::HostPiece &piece : pieces)
    forEachPart(piece, buffers_[buffer].shape.rowBytes, rows,
                [&](std::uint32_t row, std::uint64_t offset, std::uint64_t count) {
                  to = std::copy_n(rowAt(buffer, replica, row) + offset, count, to);
                });
  return Status::success();
}

Status RemoteBufferStore::scatter(std::uint32_t buffer, std::uint32_t replica,
                                  std::span<const std::uint32_t> rows,
                                  std::span<const wire::HostPiece> pieces,
                                  std::span<const std::byte> bytes) {
  if (Status status = checkPieces(buffer, replica, rows, pieces, bytes.size()); !status.ok())
    return status;
  const std::byte *from = bytes.data();
  for (const wire::HostPiece &piece : pieces)
    forEachPart(piece, buffers_[buffer].shape.rowBytes, rows,
                [&](std::uint32_t row, std::uint64_t offset, std::uint64_t count) {
                  std::copy_n(from, count, rowAt(buffer, replica, row) + offset);
                  from += count;
                });
  return Status::success();
}

Status RemoteBufferStore::checkRow(std::uint32_t buffer, std::uint32_t replica,
                                   std::uint64_t row) const {
  if (buffer >= buffers_.size())
    return {Code::NotFound, "there is no remote buffer " + std::to_string(buffer) + ", only " +
                                std::to_string(buffers_.size())};
  const BufferShape &shape = buffers_[buffer].shape;
  if (replica >= replicas_)
    return {Code::NotFound, "remote buffer '" + shape.handle + "': there is no replica " +
                                std::to_string(replica) + ", only " + std::to_string(replicas_)};
  if (row >= shape.rows)
    return {Code::NotFound, "remote buffer '" + shape.handle + "': there is no row " +
                                std::to_string(row) + ", only " + std::to_string(shape.rows) +
                                " rows"};
  return Status::success();
}

Status RemoteBufferStore::checkRow(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row,
                                   std::uint64_t bytes) const {
  if (Status status = checkRow(buffer, replica, row); !status.ok())
    return status;
  const BufferShape &shape = buffers_[buffer].shape;
  if (bytes != shape.rowBytes)
    return {Code::InvalidOption, "remote buffer '" + shape.handle + "': a row has " +
                                     std::to_string(shape.rowBytes) + " bytes, not " +
                                     std::to_string(bytes)};
  return Status::success();
}

Status RemoteBufferStore::checkPieces(std::uint32_t buffer, std::uint32_t replica,
                                      std::span<const std::uint32_t> rows,
                                      std::span<const wire::HostPiece> pieces,
                                      std::uint64_t bytes) const {
  if (rows.empty())
    return checkRow(buffer, replica, 0);
  for (const std::uint32_t row : rows)
    if (Status status = checkRow(buffer, replica, row); !status.ok())
      return status;
  const BufferShape &shape = buffers_[buffer].shape;
  const std::uint64_t all = shape.rowBytes * rows.size();
  std::uint64_t wanted = 0;
  for (const wire::HostPiece &piece : pieces) {
    if (piece.offset > all || piece.bytes > all - piece.offset)
      return {Code::InvalidImage,
              "remote buffer '" + shape.handle + "': a copy asks for bytes beyond its rows"};
    wanted += piece.bytes;
  }
  if (wanted != bytes)
    return {Code::BadFrame, "remote buffer '" + shape.handle + "': a copy of " +
                                std::to_string(wanted) + " bytes came with " +
                                std::to_string(bytes)};
  return Status::success();
}

std::byte *RemoteBufferStore::rowAt(std::uint32_t buffer, std::uint32_t replica,
                                    std::uint64_t row) const {
  const Mapping &mapping = buffers_[buffer];
  return mapping.base.get() + (replica * mapping.shape.rows + row) * mapping.shape.rowBytes;
}

void RemoteBufferStore::Unmap::operator()(std::byte *base) const { ::munmap(base, length); }

} // namespace copse::remote_buffers
