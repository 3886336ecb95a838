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

/// Finds the bytes of a codelet module by its hash, as a file that can be opened (a memfd or a
/// cached file).
using ModuleSource = std::function<wire::Result<std::filesystem::path>(const wire::ModuleRef &)>;

/// Where an IPU stands in its partition.
struct PlaceInPartition {
  wire::IpuId self;
  wire::ReplicaId replica;
  std::uint32_t replicas = 1;
  std::uint32_t ipusPerReplica = 1;
  wire::Topology topology = wire::Topology::Mesh;
};

/// All that one IPU's control program needs of the world outside its chip. The daemon implements it
/// over sockets; tests implement it in memory.
///
/// Thread: called by the thread that runs the control program only, but for stopRequested(). Every
/// call has a deadline of the implementation's own and returns Cancelled soon after a stop was
/// asked for.
class Environment {
public:
  virtual ~Environment() = default;

  /// One sync point: says that this IPU is there at \p now, and waits for the others of the group.
  /// \param step  of the control program. Another step on another member means that their control
  /// programs have diverged
  /// \param work  of this IPU's vertices since the last sync point [modelled cycles of all of them together]
  /// \returns the time at which all leave, the same for every member (the latest arrival plus the
  /// group's latency)
  virtual wire::Result<wire::Cycles> sync(wire::SyncGroup group, std::uint32_t step,
                                          wire::Cycles now, std::uint64_t work) = 0;

  /// Memory for a message to \p to, for one send().
  virtual fabric::Payload payloadTo(wire::IpuId to, std::size_t bytes) {
    (void)to;
    return fabric::Payload(bytes);
  }
  /// Sends one message over the IPU-Links. \p tag is the number of the exchange in the image; the
  /// receiver expects the same, and a different one means that the control programs of the two have
  /// diverged.
  virtual wire::Status send(wire::IpuId to, std::uint32_t tag, fabric::Payload payload) = 0;
  /// Waits for the next message from \p from.
  virtual wire::Result<fabric::Payload> receive(wire::IpuId from, std::uint32_t tag) = 0;

  /// Says the IPU's modelled time of the host transfers that follow: when it asks for a row, or
  /// when a row has left.
  virtual void noteTime(wire::Cycles now) { (void)now; }

  /// This IPU's part of a row that goes out.
  struct Part {
    std::uint64_t bytes = 0;
    std::function<void(std::byte *to)> pack; ///< writes it into memory that travels
  };
  /// Uses a part that came; its memory is the environment's again afterwards.
  using Use = std::function<wire::Status(std::span<const std::byte>)>;

  /// Waits for this IPU's next row of transfer \p transfer of host exchange \p exchange (indices into
  /// the image), and calls \p use with this IPU's part if it has one. Then there is room for another
  /// row.
  /// \returns whether the row was at the IPU's side before it asked; or what \p use did
  virtual wire::Result<bool> readStream(std::uint32_t exchange, std::uint32_t transfer,
                                        const Use &use) = 0;
  /// Waits until there may be one more row on its way to the host, and packs
  /// and sends \p part if this IPU has one: rows that wait for room cost no memory. Returns as
  /// soon as the row is on its way; the order of rows and prints is kept.
  virtual wire::Status writeStream(std::uint32_t exchange, std::uint32_t transfer,
                                   const Part &part) = 0;
  /// As writeStream(), for prints[print].
  virtual wire::Status print(std::uint32_t print, const Part &part) = 0;

  /// Calls \p use with this IPU's parts of rows \p rows of a remote buffer, for remoteCopies[copy].
  virtual wire::Status readRows(std::uint32_t copy, std::span<const std::uint32_t> rows,
                                const Use &use) = 0;
  /// Packs and sends \p part; returns when the store has acknowledged the rows.
  virtual wire::Status writeRows(std::uint32_t copy, std::span<const std::uint32_t> rows,
                                 const Part &part) = 0;

  /// Waits until the host has taken all rows and prints, or the program must stop.
  virtual void awaitAllTaken() = 0;

  /// True when the program must stop: asked before each step and, by another thread, while codelets
  /// run.
  virtual bool stopRequested() const = 0;
};

} // namespace copse::ipud
