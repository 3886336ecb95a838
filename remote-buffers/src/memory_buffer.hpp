#pragma once

#include "pages.hpp"

#include "remote_buffers/buffer.hpp"
#include "remote_buffers/growth_watch.hpp"

#include <memory>

namespace copse::remote_buffers {

/// Stores rows in anonymous memory of this process.
class MemoryBuffer : public Buffer {
public:
  /// \param growth  is notified of growth; may be null
  static wire::Result<std::shared_ptr<Buffer>> make(BufferShape shape, std::uint32_t replicas,
                                                    std::shared_ptr<GrowthWatch> growth = {});

  wire::Status read(std::uint32_t replica, std::span<const RowPart> parts,
                    std::span<std::byte> bytes) override;
  wire::Status write(std::uint32_t replica, std::span<const RowPart> parts,
                     std::span<const std::byte> bytes) override;

  /// \param written  a byte for each row, if there is a growth watch
  MemoryBuffer(BufferShape shape, std::uint32_t replicas, Pages pages,
               std::shared_ptr<GrowthWatch> growth, Pages written);

private:
  std::byte *at(std::uint32_t replica, const RowPart &part) const;
  void note(std::uint32_t replica, const RowPart &part);

  Pages pages_;
  std::shared_ptr<GrowthWatch> growth_;
  Pages written_; ///< one byte per row: 1 if the row has been written
};

} // namespace copse::remote_buffers
