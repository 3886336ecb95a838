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

/// The rows of one remote buffer, wherever they are kept: shape [replicas][rows]. Reads as zeroes
/// what was never written.
///
/// Different rows never wait for each other. Who reads a row while another writes it may see a part
/// of both.
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

  /// The \p parts of \p replica's rows, concatenated, are \p bytes. Callers have checked that there
  /// are such parts, and that they are as long as \p bytes: RemoteBufferStore does.
  /// \returns HostFault for a row whose bytes are not those that were written, OutOfMemory when the
  ///          disk is full, Timeout when they are elsewhere and nobody answers
  virtual wire::Status read(std::uint32_t replica, std::span<const RowPart> parts,
                            std::span<std::byte> bytes) = 0;
  virtual wire::Status write(std::uint32_t replica, std::span<const RowPart> parts,
                             std::span<const std::byte> bytes) = 0;

private:
  BufferShape shape_;
  std::uint32_t replicas_;
};

} // namespace copse::remote_buffers
