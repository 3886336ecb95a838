#pragma once

#include "fabric/payload.hpp"
#include "wire/ids.hpp"
#include "wire/result.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace copse::wire {
struct ModuleRef;
} // namespace copse::wire

namespace copse::ipud {

/// Finds a codelet module by its hash and returns a path that dlopen() accepts (a memfd or a cached
/// file).
using ModuleSource = std::function<wire::Result<std::filesystem::path>(const wire::ModuleRef &)>;

/// An IPU's position in its partition.
struct PlaceInPartition {
  wire::IpuId self;
  wire::ReplicaId replica;
  std::uint32_t replicas = 1;
  std::uint32_t ipusPerReplica = 1;
  wire::Topology topology = wire::Topology::Mesh;
};

/// Everything outside of its chip that an IPU's control program needs: other IPUs, the host, and
/// remote buffers. The daemon implements it over sockets; tests implement it in memory.
///
/// Thread: the thread of the control program; any thread may call stopRequested().
///
/// Errors: every call has a deadline that the implementation chooses, and returns Cancelled soon
/// after a stop was requested.
class Environment {
public:
  virtual ~Environment() = default;

  /// Executes one sync point: announces that this IPU has arrived at \p now, and waits for the
  /// other members of the group.
  /// \param step  step of the control program; if members are at different steps, their control
  ///   programs have diverged
  /// \returns the time at which all members leave, which is the latest arrival plus the group's
  ///   latency
  virtual wire::Result<wire::Cycles> sync(wire::SyncGroup group, std::uint32_t step,
                                          wire::Cycles now) = 0;

  /// Returns memory for one message to \p to, for the next send().
  virtual fabric::Payload payloadTo(wire::IpuId to, std::size_t bytes) {
    (void)to;
    return fabric::Payload(bytes);
  }
  /// Sends one message over the IPU-Links.
  /// \param tag  number of the exchange in the image. The receiver expects this tag; a different
  ///   one means that the two control programs have diverged
  virtual wire::Status send(wire::IpuId to, std::uint32_t tag, fabric::Payload payload) = 0;
  /// Waits for the next message from \p from.
  virtual wire::Result<fabric::Payload> receive(wire::IpuId from, std::uint32_t tag) = 0;

  /// Sets the IPU's modelled time for the host transfers that follow: when it asks for a row, or
  /// when a row has left.
  virtual void noteTime(wire::Cycles now) { (void)now; }

  /// The part of this IPU in an outgoing row.
  struct Part {
    std::uint64_t bytes = 0;
    std::function<void(std::byte *to)> pack; ///< writes the part to memory for sending
  };
  /// Consumes a received part, whose memory is valid only during the call.
  using Use = std::function<wire::Status(std::span<const std::byte>)>;

  /// Waits for this IPU's next row of transfer \p transfer of host exchange \p exchange (indices
  /// into the image). Calls \p use if this IPU has a part of the row, and then frees the row's
  /// buffer.
  /// \returns true if the row had arrived before the IPU asked for it; or the error of \p use
  virtual wire::Result<bool> readStream(std::uint32_t exchange, std::uint32_t transfer,
                                        const Use &use) = 0;
  /// Waits until another row may be in flight to the host, then packs and sends \p part if this IPU
  /// has one. Packing comes last so that waiting rows use no memory. Does not wait until the host
  /// has received the row. Rows and prints stay in order.
  virtual wire::Status writeStream(std::uint32_t exchange, std::uint32_t transfer,
                                   const Part &part) = 0;
  /// Sends this IPU's part of a printed tensor, prints[print], like writeStream().
  virtual wire::Status print(std::uint32_t print, const Part &part) = 0;

  /// Reads this IPU's parts of rows \p rows of a remote buffer, for remoteCopies[copy], and calls
  /// \p use with them.
  virtual wire::Status readRows(std::uint32_t copy, std::span<const std::uint32_t> rows,
                                const Use &use) = 0;
  /// Packs and sends \p part, and waits until the store has acknowledged the rows.
  virtual wire::Status writeRows(std::uint32_t copy, std::span<const std::uint32_t> rows,
                                 const Part &part) = 0;

  /// Waits until the host has processed all rows and prints, or the program must stop.
  virtual void awaitAllTaken() = 0;

  /// Returns true if the program must stop. Called before each step and, on another thread, while
  /// codelets run.
  virtual bool stopRequested() const = 0;
};

} // namespace copse::ipud
