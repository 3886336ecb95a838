#include "remote_buffers/store.hpp"

#include "memory_buffer.hpp"

#include <algorithm>
#include <utility>

namespace copse::remote_buffers {
namespace {

using wire::Code;
using wire::Status;

/// Returns the row parts that make up \p pieces of the concatenated \p rows.
std::vector<RowPart> partsOf(std::span<const wire::HostPiece> pieces, std::uint64_t rowBytes,
                             std::span<const std::uint32_t> rows) {
  std::vector<RowPart> parts;
  for (const wire::HostPiece &piece : pieces)
    for (std::uint64_t offset = piece.offset, end = offset + piece.bytes; offset < end;) {
      const std::uint64_t inRow = offset % rowBytes;
      const std::uint64_t bytes = std::min(rowBytes - inRow, end - offset);
      parts.push_back({rows[offset / rowBytes], inRow, bytes});
      offset += bytes;
    }
  return parts;
}

std::string named(const Buffer &buffer) {
  return "remote buffer '" + buffer.shape().handle + "': ";
}

} // namespace

RemoteBufferStore::RemoteBufferStore(std::vector<std::shared_ptr<Buffer>> buffers,
                                     std::uint32_t replicas)
    : buffers_(std::move(buffers)), replicas_(replicas) {}

wire::Result<RemoteBufferStore>
RemoteBufferStore::create(std::vector<BufferShape> shapes, std::uint32_t replicas,
                          const std::shared_ptr<GrowthWatch> &growth) {
  std::vector<std::shared_ptr<Buffer>> buffers;
  for (BufferShape &shape : shapes) {
    auto buffer = MemoryBuffer::make(std::move(shape), replicas, growth);
    if (!buffer)
      return buffer.status();
    buffers.push_back(std::move(*buffer));
  }
  return RemoteBufferStore(std::move(buffers), replicas);
}

Status RemoteBufferStore::read(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row,
                               std::span<std::byte> bytes) const {
  if (Status status = checkRow(buffer, replica, row, bytes.size()); !status.ok())
    return status;
  const RowPart whole[] = {{row, 0, bytes.size()}};
  return buffers_[buffer]->read(replica, whole, bytes);
}

Status RemoteBufferStore::write(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row,
                                std::span<const std::byte> bytes) {
  if (Status status = checkRow(buffer, replica, row, bytes.size()); !status.ok())
    return status;
  const RowPart whole[] = {{row, 0, bytes.size()}};
  return buffers_[buffer]->write(replica, whole, bytes);
}

Status RemoteBufferStore::gather(std::uint32_t buffer, std::uint32_t replica,
                                 std::span<const std::uint32_t> rows,
                                 std::span<const wire::HostPiece> pieces,
                                 std::span<std::byte> bytes) const {
  if (Status status = checkPieces(buffer, replica, rows, pieces, bytes.size()); !status.ok())
    return status;
  return buffers_[buffer]->read(replica, partsOf(pieces, buffers_[buffer]->shape().rowBytes, rows),
                                bytes);
}

Status RemoteBufferStore::scatter(std::uint32_t buffer, std::uint32_t replica,
                                  std::span<const std::uint32_t> rows,
                                  std::span<const wire::HostPiece> pieces,
                                  std::span<const std::byte> bytes) {
  if (Status status = checkPieces(buffer, replica, rows, pieces, bytes.size()); !status.ok())
    return status;
  return buffers_[buffer]->write(replica, partsOf(pieces, buffers_[buffer]->shape().rowBytes, rows),
                                 bytes);
}

Status RemoteBufferStore::readParts(std::uint32_t buffer, std::uint32_t replica,
                                    std::span<const RowPart> parts,
                                    std::span<std::byte> bytes) const {
  if (Status status = checkParts(buffer, replica, parts, bytes.size()); !status.ok())
    return status;
  return buffers_[buffer]->read(replica, parts, bytes);
}

Status RemoteBufferStore::writeParts(std::uint32_t buffer, std::uint32_t replica,
                                     std::span<const RowPart> parts,
                                     std::span<const std::byte> bytes) {
  if (Status status = checkParts(buffer, replica, parts, bytes.size()); !status.ok())
    return status;
  return buffers_[buffer]->write(replica, parts, bytes);
}

Status RemoteBufferStore::checkRow(std::uint32_t buffer, std::uint32_t replica,
                                   std::uint64_t row) const {
  if (buffer >= buffers_.size())
    return {Code::NotFound, "there is no remote buffer " + std::to_string(buffer) + ", only " +
                                std::to_string(buffers_.size())};
  const Buffer &in = *buffers_[buffer];
  if (replica >= replicas_)
    return {Code::NotFound, named(in) + "there is no replica " + std::to_string(replica) +
                                ", only " + std::to_string(replicas_)};
  if (row >= in.shape().rows)
    return {Code::NotFound, named(in) + "there is no row " + std::to_string(row) + ", only " +
                                std::to_string(in.shape().rows) + " rows"};
  return Status::success();
}

Status RemoteBufferStore::checkRow(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row,
                                   std::uint64_t bytes) const {
  if (Status status = checkRow(buffer, replica, row); !status.ok())
    return status;
  const Buffer &in = *buffers_[buffer];
  if (bytes != in.shape().rowBytes)
    return {Code::InvalidOption, named(in) + "a row has " + std::to_string(in.shape().rowBytes) +
                                     " bytes, not " + std::to_string(bytes)};
  return Status::success();
}

Status RemoteBufferStore::checkPieces(std::uint32_t buffer, std::uint32_t replica,
                                      std::span<const std::uint32_t> rows,
                                      std::span<const wire::HostPiece> pieces,
                                      std::uint64_t bytes) const {
  // A buffer that does not exist is an error even if no rows are requested.
  if (rows.empty())
    if (Status status = checkRow(buffer, replica, 0); !status.ok())
      return status;
  for (const std::uint32_t row : rows)
    if (Status status = checkRow(buffer, replica, row); !status.ok())
      return status;
  const std::uint64_t all = buffers_[buffer]->shape().rowBytes * rows.size();
  std::uint64_t wanted = 0;
  for (const wire::HostPiece &piece : pieces) {
    if (piece.offset > all || piece.bytes > all - piece.offset)
      return {Code::InvalidImage,
              named(*buffers_[buffer]) + "a copy asks for bytes beyond its rows"};
    wanted += piece.bytes;
    if (wanted > bytes) // stop before the sum can overflow
      break;
  }
  return otherSize(buffer, wanted, bytes);
}

Status RemoteBufferStore::checkParts(std::uint32_t buffer, std::uint32_t replica,
                                     std::span<const RowPart> parts, std::uint64_t bytes) const {
  if (parts.empty()) // as in checkPieces()
    if (Status status = checkRow(buffer, replica, 0); !status.ok())
      return status;
  std::uint64_t wanted = 0;
  for (const RowPart &part : parts) {
    if (Status status = checkRow(buffer, replica, part.row); !status.ok())
      return status;
    const std::uint64_t all = buffers_[buffer]->shape().rowBytes;
    if (part.offset > all || part.bytes > all - part.offset)
      return {Code::NotFound, named(*buffers_[buffer]) + "a part of row " +
                                  std::to_string(part.row) + " is beyond its end"};
    wanted += part.bytes;
    if (wanted > bytes) // stop before the sum can overflow
      break;
  }
  return otherSize(buffer, wanted, bytes);
}

Status RemoteBufferStore::otherSize(std::uint32_t buffer, std::uint64_t wanted,
                                    std::uint64_t got) const {
  if (wanted == got)
    return Status::success();
  return {Code::BadFrame, named(*buffers_[buffer]) + "a copy of " + std::to_string(wanted) +
                              " bytes came with " + std::to_string(got)};
}

} // namespace copse::remote_buffers
