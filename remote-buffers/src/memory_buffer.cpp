#include "memory_buffer.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace copse::remote_buffers {

using wire::Code;
using wire::Status;

wire::Result<std::shared_ptr<Buffer>> MemoryBuffer::make(BufferShape shape, std::uint32_t replicas,
                                                         std::shared_ptr<GrowthWatch> growth) {
  std::uint64_t bytes = 0;
  const bool overflows = __builtin_mul_overflow(shape.rowBytes, shape.rows, &bytes) ||
                         __builtin_mul_overflow(bytes, std::uint64_t{replicas}, &bytes);
  Pages pages = overflows ? Pages() : mapZeroes(bytes);
  Pages written = growth && pages ? mapZeroes(shape.rows * replicas) : Pages();
  if (!pages || (growth && !written))
    return Status{Code::OutOfMemory,
                  "remote buffer '" + shape.handle + "': no address space for " +
                      std::to_string(replicas) + " x " + std::to_string(shape.rows) + " rows of " +
                      std::to_string(shape.rowBytes) +
                      " bytes; make it smaller or raise the limit of the address space"};
  return std::shared_ptr<Buffer>(std::make_shared<MemoryBuffer>(
      std::move(shape), replicas, std::move(pages), std::move(growth), std::move(written)));
}

MemoryBuffer::MemoryBuffer(BufferShape shape, std::uint32_t replicas, Pages pages,
                           std::shared_ptr<GrowthWatch> growth, Pages written)
    : Buffer(std::move(shape), replicas), pages_(std::move(pages)), growth_(std::move(growth)),
      written_(std::move(written)) {}

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
    if (growth_)
      note(replica, part);
    std::copy_n(from, part.bytes, at(replica, part));
    from += part.bytes;
  }
  return Status::success();
}

std::byte *MemoryBuffer::at(std::uint32_t replica, const RowPart &part) const {
  return pages_.get() + (replica * shape().rows + part.row) * shape().rowBytes + part.offset;
}

/// Reports growth. Called before the row is written, so that the report comes before memory runs
/// out.
void MemoryBuffer::note(std::uint32_t replica, const RowPart &part) {
  std::byte &row = written_.get()[replica * shape().rows + part.row];
  if (std::atomic_ref(row).exchange(std::byte{1}, std::memory_order_relaxed) == std::byte{0})
    growth_->grew(shape().rowBytes);
}

} // namespace copse::remote_buffers
