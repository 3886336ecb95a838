#include "memory_buffer.hpp"

#include <algorithm>
#include <utility>

namespace copse::remote_buffers {

using wire::Code;
using wire::Status;

wire::Result<std::shared_ptr<Buffer>> MemoryBuffer::make(BufferShape shape,
                                                         std::uint32_t replicas) {
  std::uint64_t bytes = 0;
  const bool overflows = __builtin_mul_overflow(shape.rowBytes, shape.rows, &bytes) ||
                         __builtin_mul_overflow(bytes, std::uint64_t{replicas}, &bytes);
  Pages pages = overflows ? Pages() : mapZeroes(bytes);
  if (!pages)
    return Status{Code::OutOfMemory,
                  "remote buffer '" + shape.handle + "': no address space for " +
                      std::to_string(replicas) + " x " + std::to_string(shape.rows) + " rows of " +
                      std::to_string(shape.rowBytes) +
                      " bytes; make it smaller or raise the limit of the address space"};
  return std::shared_ptr<Buffer>(
      std::make_shared<MemoryBuffer>(std::move(shape), replicas, std::move(pages)));
}

MemoryBuffer::MemoryBuffer(BufferShape shape, std::uint32_t replicas, Pages pages)
    : Buffer(std::move(shape), replicas), pages_(std::move(pages)) {}

Status MemoryBuffer::read(std::uint32_t replica, std::span<const RowPart> parts,
                          std::span<std::byte> bytes) {
  std::byte *to = bytes.data();
  for (const RowPart &part : parts)
    to = std::copy_n(at(replica, part), part.bytes, to);
  return Status::success();
}

Status MemoryBuffer::write(std::uint32_t replica, std::span<const RowPart> parts,
                           std::span<const std::byte> bytes) {
  const std::byte *from = bytes.data();
  for (const RowPart &part : parts) {
    std::copy_n(from, part.bytes, at(replica, part));
    from += part.bytes;
  }
  return Status::success();
}

std::byte *MemoryBuffer::at(std::uint32_t replica, const RowPart &part) const {
  return pages_.get() + (replica * shape().rows + part.row) * shape().rowBytes + part.offset;
}

} // namespace copse::remote_buffers
