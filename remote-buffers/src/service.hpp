#pragma once

#include "fabric/payload.hpp"
#include "remote_buffers/storage.hpp"
#include "wire/rows.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace copse::remote_buffers {

/// An answer and the raw frame behind it.
struct Reply {
  wire::rows::Body body;
  fabric::Payload payload;
};

/// What an rbufd does with a request, whoever asks: it knows nothing of sockets.
///
/// Thread: one at a time.
class Service {
public:
  /// \param firstStore       number of the first store; another one in each process, so that a host
  ///                         notices when a daemon was started anew
  /// \param maxMessageBytes  rows of more bytes in all are refused
  Service(std::unique_ptr<Storage> storage, std::uint64_t firstStore,
          std::uint64_t maxMessageBytes);

  Reply serve(const wire::rows::Body &request, std::span<const std::byte> payload);

  wire::rows::Report report() const;
  void countDropped() { ++dropped_; }
  std::uint64_t dropped() const { return dropped_; }

private:
  Reply open(const wire::rows::Open &request);
  Reply read(const wire::rows::Read &request);
  Reply write(const wire::rows::Write &request, std::span<const std::byte> payload);
  Reply fault(wire::Status status);
  RemoteBufferStore *find(std::uint64_t number);

  std::unique_ptr<Storage> storage_;
  std::uint64_t firstStore_, maxMessageBytes_;
  /// Each with what it was opened by: who asks for the same gets the same.
  std::vector<std::pair<wire::rows::Open, RemoteBufferStore>> stores_;
  std::uint64_t opens_ = 0, reads_ = 0, writes_ = 0, readBytes_ = 0, writtenBytes_ = 0, faults_ = 0,
                dropped_ = 0;
};

} // namespace copse::remote_buffers
