#pragma once

#include "group_memory.hpp"
#include "locks/mutex.hpp"
#include "message_sockets.hpp"

#include "sync/barrier.hpp"
#include "wire/envelope.hpp"

#include <atomic>
#include <functional>

namespace copse::sync {

/// Owns the sockets behind a SyncPort and dispatches messages to the barriers.
class SyncPort::Impl {
public:
  using Clock = std::chrono::steady_clock;
  /// \p attached is the descriptor that came with the message, if any.
  using Handler = std::function<void(const wire::Envelope &, fabric::Descriptor attached)>;
  using Reset = std::function<void()>;

  explicit Impl(zmq::context_t &context);
  ~Impl();
  Impl(const Impl &) = delete;
  Impl &operator=(const Impl &) = delete;

  wire::Status bind(const fabric::Endpoint &endpoint, std::shared_ptr<const fabric::Keyring> keys,
                    std::shared_ptr<fabric::Refusals> refusals);
  const fabric::Endpoint &endpoint() const { return sockets_->endpoint(); }
  void connect(wire::IpuId self, std::map<wire::IpuId, fabric::Endpoint> endpoints,
               std::uint32_t epoch, std::map<wire::IpuId, std::string> names);
  void stop(wire::Status status);
  void reset(std::uint32_t epoch);
  std::uint64_t malformed() const { return malformed_; }

  // For barriers

  wire::IpuId self() const { return self_; }
  void enlist(wire::SyncGroup group, Handler onMessage, Reset onReset);
  void dismiss(wire::SyncGroup group);
  /// Opens the channel to \p peer unless it is open.
  wire::Status open(wire::IpuId peer);
  /// Sends one header frame, which may be lost.
  /// \param attached  memory to share with the peer, if carriesMemory()
  void send(wire::IpuId peer, wire::Envelope envelope,
            std::shared_ptr<const fabric::SharedMemory> attached = {});
  bool carriesMemory() const { return sockets_->carriesMemory(); }
  /// Makes stop() wake the members that sleep in \p memory of \p group too. Null ends this.
  void meetsIn(wire::SyncGroup group, std::shared_ptr<GroupMemory> memory);
  /// Waits for a message or stop() until \p deadline, and dispatches all messages that have
  /// arrived.
  void poll(Clock::time_point deadline);
  void answer();
  /// Returns the status that stop() was called with; success if it was not called.
  wire::Status stopped();

private:
  struct Member {
    Handler onMessage;
    Reset onReset;
  };
  bool receiveAll(); // returns true if there were messages
  bool receiveOne();
  void dispatch(MessageSockets::Received message);
  std::string nameAmongKeys(wire::IpuId ipu) const;
  void malformed(const std::string &why);

  zmq::context_t &context_;
  std::unique_ptr<MessageSockets> sockets_; // null until bound
  std::shared_ptr<const fabric::Keyring> keys_;
  wire::IpuId self_;
  std::uint32_t epoch_ = 0;
  std::map<wire::IpuId, fabric::Endpoint> endpoints_;
  std::map<wire::IpuId, std::string> names_;
  std::map<wire::SyncGroup, Member> groups_;
  std::atomic<std::uint64_t> malformed_{0};
  int wakeUp_; // an eventfd, readable from stop() to reset()

  locks::Mutex mutex_;
  std::atomic<bool> isStopped_{false}; ///< spares stopped() the mutex in the common case
  wire::Status stopped_ COPSE_GUARDED_BY(mutex_);
  std::map<wire::SyncGroup, std::shared_ptr<GroupMemory>> memories_ COPSE_GUARDED_BY(mutex_);
};

} // namespace copse::sync
