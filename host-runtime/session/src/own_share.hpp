#pragma once

#include "partition_endpoints.hpp"
#include "peer_hosts.hpp"
#include "requests.hpp"

#include "session/machine.hpp"
#include "wire/session.hpp"

#include <zmq.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace copse::session {

/// The replicas that this host program runs of a shared program. The share is announced to the
/// peer hosts, at its first IPU.
///
/// Life: join(), ready(), for each run a Watched; leave().
///
/// Thread: the thread of the requests.
class OwnShare {
public:
  using Clock = PeerHosts::Clock;

  /// \param options    with nodes; must outlive this object
  /// \param onTrouble  see PeerHosts
  OwnShare(zmq::context_t &context, const MachineOptions &options, Requests &requests,
           std::function<void()> onTrouble)
      : context_(context), options_(options), requests_(requests),
        onTrouble_(std::move(onTrouble)) {}

  /// Finds the peer hosts.
  /// \param images  ProgramLoading::hashes(), which must be equal in all host programs
  /// \param own     endpoints of this host program's IPUs
  /// \returns the endpoints of all IPUs of the partition, or the errors of PeerHosts::find()
  wire::Result<PartitionEndpoints> join(const Program &program,
                                        const std::vector<std::string> &images,
                                        PartitionEndpoints own, Clock::time_point deadline);
  /// Announces that this host program's IPUs are configured, and waits until the peer hosts' IPUs
  /// are. Only from then on may an IPU wait for another.
  wire::Status ready(Clock::time_point deadline);
  /// Ends the share, because a program is loaded that is not shared.
  void leave();

  /// Returns true between join() and leave().
  bool isJoined() const { return share_.has_value(); }
  /// Returns the epoch that the peer hosts have agreed on.
  std::uint32_t epoch() const { return share_->epoch; }

  /// Returns PeerHosts::trouble().
  wire::Status trouble() const { return peers_->trouble(); }
  /// Tells the peer hosts not to wait for this host program in their run or load. Code Cancelled
  /// says that the failure may be a consequence of another one.
  /// \returns \p why
  wire::Status fail(wire::Status why);
  /// Tells the peer hosts that a run has failed.
  /// \returns the failure that caused \p fault, possibly in another host program
  wire::Status failBy(wire::Status fault);

  /// A run for which the peer hosts must be present.
  class Watched {
  public:
    /// \param share  must be joined; null if the run does not meet the peer hosts
    explicit Watched(OwnShare *share) : peers_(share != nullptr ? &*share->peers_ : nullptr) {
      if (peers_ != nullptr)
        peers_->watch();
    }
    ~Watched() {
      if (peers_ != nullptr)
        peers_->rest();
    }
    Watched(const Watched &) = delete;
    Watched &operator=(const Watched &) = delete;

  private:
    PeerHosts *peers_;
  };

private:
  wire::session::Share shareOf(const Program &program, const std::vector<std::string> &images,
                               PartitionEndpoints own) const;
  wire::Status announce(const wire::session::Share &share, std::uint32_t ipu = 0,
                        std::chrono::milliseconds timeout = Requests::kAnswerTimeout);
  bool mayBeConsequence(const wire::Status &fault) const;

  zmq::context_t &context_;
  const MachineOptions &options_;
  Requests &requests_;
  std::function<void()> onTrouble_;
  std::optional<wire::session::Share> share_; ///< as announced
  std::optional<PeerHosts> peers_;
};

} // namespace copse::session
