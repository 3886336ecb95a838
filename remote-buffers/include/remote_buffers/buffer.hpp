#pragma once

#include "wire/result.hpp"
#include "wire/rows.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace copse::remote_buffers {

using wire::rows::BufferShape;
using wire::rows::RowPart;

/// The rows of one remote buffer, shape [replicas][rows]; subclasses decide where they are stored.
/// Rows that were never written read as zeroes.
///
/// Accesses to different rows never wait for each other. A read of a row during a write to that row
/// may return a part of the old and a part of the new bytes.
///
/// Thread: any number at a time.
class Buffer {
public:
  Buffer(BufferShape shape, std::uint32_t replicas)
      : shape_(std::move(shape)), replicas_(replicas) {}
  virtual ~Buffer() = default;
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  const BufferShape &shape() const { return shape_; }
  std::uint32_t replicas() const { return replicas_; }

  /// Reads the \p parts of \p replica's rows, concatenated, into \p bytes. Callers must have
  /// checked that the parts exist and are as long as \p bytes, as RemoteBufferStore does.
  /// \returns HostFault if the bytes of a row are not those that were written, OutOfMemory if the
  ///   disk is full, Timeout if another process stores the rows and does not answer
  virtual wire::Status read(std::uint32_t replica, std::span<const RowPart> parts,
                            std::span<std::byte> bytes) = 0;
  virtual wire::Status write(std::uint32_t replica, std::span<const RowPart> parts,
                             std::span<const std::byte> bytes) = 0;

private:
  BufferShape shape_;
  std::uint32_t replicas_;
};

} // namespace copse::remote_buffers
