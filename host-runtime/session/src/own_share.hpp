#pragma once

#include "partition_endpoints.hpp"
#include "partners.hpp"
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

/// The replicas that this host program runs of a program of which others run the rest, announced to
/// them at its first IPU.
///
/// Life: join(), ready(), for each run a Watched; leave(). Thread: that of the requests.
class OwnShare {
public:
  using Clock = Partners::Clock;

  /// \param options    of nodes; outlives this
  /// \param onTrouble  as Partners takes it
  OwnShare(zmq::context_t &context, const MachineOptions &options, Requests &requests,
           std::function<void()> onTrouble)
      : context_(context), options_(options), requests_(requests),
        onTrouble_(std::move(onTrouble)) {}

  /// Finds the partners.
  /// \param images  ProgramLoading::hashes(), which must be the same everywhere
  /// \param own     of this host program's IPUs
  /// \returns the endpoints of all IPUs of the partition; or as Partners::find()
  wire::Result<PartitionEndpoints> join(const Program &program,
                                        const std::vector<std::string> &images,
                                        PartitionEndpoints own, Clock::time_point deadline);
  /// This host program's IPUs are configured. Waits until those of the others are: an IPU may be
  /// waited for from then on, but not before.
  wire::Status ready(Clock::time_point deadline);
  /// A program is loaded that nobody shares.
  void leave();

  /// From join() to leave().
  bool isJoined() const { return share_.has_value(); }
  /// That the partners have agreed on.
  std::uint32_t epoch() const { return share_->epoch; }

  /// As Partners::trouble().
  wire::Status trouble() const { return partners_->trouble(); }
  /// Lets the partners know that their run, or their load, need not wait for this host program. Code
  /// Cancelled says that the failure may be a consequence of another one.
  /// \returns \p why
  wire::Status fail(wire::Status why);
  /// Lets the partners know that a run has failed.
  /// \returns the failure that is behind \p fault, maybe in another host program
  wire::Status failBy(wire::Status fault);

  /// A run during which the partners have to be there.
  class Watched {
  public:
    /// \param share  joined; null if the run does not meet the partners
    explicit Watched(OwnShare *share) : partners_(share != nullptr ? &*share->partners_ : nullptr) {
      if (partners_ != nullptr)
        partners_->watch();
    }
    ~Watched() {
      if (partners_ != nullptr)
        partners_->rest();
    }
    Watched(const Watched &) = delete;
    Watched &operator=(const Watched &) = delete;

  private:
    Partners *partners_;
  };

private:
  wire::session::Share shareOf(const Program &program, const std::vector<std::string> &images,
                               PartitionEndpoints own) const;
  wire::Status announce(const wire::session::Share &share, std::uint32_t ipu = 0,
                        std::chrono::milliseconds patience = Requests::kAnswerTimeout);
  bool mayBeConsequence(const wire::Status &fault) const;

  zmq::context_t &context_;
  const MachineOptions &options_;
  Requests &requests_;
  std::function<void()> onTrouble_;
  std::optional<wire::session::Share> share_; ///< as it was announced
  std::optional<Partners> partners_;
};

} // namespace copse::session
