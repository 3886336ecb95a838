#pragma once

#include "control_socket.hpp"
#include "host_mailbox.hpp"
#include "remote_rows.hpp"
#include "run_counters.hpp"

#include "fabric/link_node.hpp"
#include "ipud/environment.hpp"
#include "sync/barrier.hpp"
#include "wire/image.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

namespace copse::ipud {

/// The environment of one loaded image: the host over the session, and other IPUs over links and
/// barriers.
///
/// Thread: the run thread.
class SessionEnvironment : public Environment {
public:
  using Barriers = std::map<wire::SyncGroup, std::unique_ptr<sync::Barrier>>;

  /// \param image    loaded; must outlive the environment
  /// \param timeout  longest wait for another IPU [wall-clock]
  /// \param rows     null: the host serves remote buffers
  SessionEnvironment(const wire::Image &image, ControlSocket &host, HostMailbox &mailbox,
                     fabric::LinkNode &links, const Barriers &barriers,
                     std::chrono::milliseconds timeout, RunCounters &counters, RemoteRows *rows);

  /// Begins another run, whose host transfers are numbered from 0. Sequence numbers of streams
  /// continue.
  void beginRun();

  wire::Result<wire::Cycles> sync(wire::SyncGroup group, std::uint32_t step,
                                  wire::Cycles now) override;
  fabric::Payload payloadTo(wire::IpuId to, std::size_t bytes) override {
    return links_.payloadTo(to, bytes);
  }
  wire::Status send(wire::IpuId to, std::uint32_t tag, fabric::Payload payload) override;
  wire::Result<fabric::Payload> receive(wire::IpuId from, std::uint32_t tag) override;
  void noteTime(wire::Cycles now) override { now_ = now; }
  wire::Result<bool> readStream(std::uint32_t exchange, std::uint32_t transfer,
                                const Use &use) override;
  wire::Status writeStream(std::uint32_t exchange, std::uint32_t transfer,
                           const Part &part) override;
  wire::Status print(std::uint32_t print, const Part &part) override;
  wire::Status readRows(std::uint32_t copy, std::span<const std::uint32_t> rows,
                        const Use &use) override;
  wire::Status writeRows(std::uint32_t copy, std::span<const std::uint32_t> rows,
                         const Part &part) override;
  void awaitAllTaken() override { mailbox_.awaitAllTaken(); }
  bool stopRequested() const override { return mailbox_.stopped(); }

private:
  wire::Result<fabric::Payload> readRowsOfHost(std::uint32_t copy,
                                               std::span<const std::uint32_t> rows);
  wire::Result<fabric::Payload> packed(const wire::HostView &view, const Part &part);
  bool isWrittenNext(const wire::session::Transfer &taken) const;
  void sayTaken();

  const wire::Image &image_;
  ControlSocket &host_;
  HostMailbox &mailbox_;
  fabric::LinkNode &links_;
  const Barriers &barriers_;
  std::chrono::milliseconds timeout_;
  RunCounters &counters_;
  RemoteRows *rows_;
  std::uint64_t nextTransfer_ = 0;
  wire::Cycles now_; ///< time of the next host transfers
  std::uint64_t nextRequest_ = 1;
  struct Stream {
    std::uint64_t nextRow = 0;
    bool fedAhead = false; ///< the last row had arrived before it was requested
  };
  wire::Result<HostMailbox::Row> nextRow(std::uint32_t stream, Stream &state,
                                         const wire::session::Transfer &number);
  std::map<std::uint32_t, Stream> streams_;
  /// The transfer whose row is being used, or is in tile memory but not yet reported to the host.
  std::optional<wire::session::Transfer> taken_;
};

} // namespace copse::ipud
