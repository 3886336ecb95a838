#pragma once

#include "pages.hpp"

#include "remote_buffers/buffer.hpp"

#include <memory>

namespace copse::remote_buffers {

/// Rows in anonymous memory of this process.
class MemoryBuffer : public Buffer {
public:
  static wire::Result<std::shared_ptr<Buffer>> make(BufferShape shape, std::uint32_t replicas);

  wire::Status read(std::uint32_t replica, std::span<const RowPart> parts,
                    std::span<std::byte> bytes) override;
  wire::Status write(std::uint32_t replica, std::span<const RowPart> parts,
                     std::span<const std::byte> bytes) override;

  MemoryBuffer(BufferShape shape, std::uint32_t replicas, Pages pages);

private:
  std::byte *at(std::uint32_t replica, const RowPart &part) const;

  Pages pages_;
};

} // namespace copse::remote_buffers
