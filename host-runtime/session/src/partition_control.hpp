#pragma once

#include "daemons.hpp"
#include "divergence_watch.hpp"
#include "hub.hpp"
#include "own_share.hpp"
#include "requests.hpp"

#include "session/machine.hpp"
#include "wire/session.hpp"

#include <zmq.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <vector>

namespace copse::session {

class ProgramLoading;

/// The IPUs that a machine holds: starts or joins them, replaces those that are lost, puts programs
/// on them, and gives them back. If other host programs run the rest of a program, it keeps in step
/// with those.
///
/// Life: start(); then the rest; close(). Thread: one at a time.
class PartitionControl {
public:
  /// \param options  outlives this
  explicit PartitionControl(const MachineOptions &options);

  /// \returns as Machine::start()
  wire::Status start(Hub::RowTraffic rows);
  /// Gives nodes back; nothing is sent or handed over afterwards.
  void close();

  /// Puts fresh daemons in the place of lost ones.
  wire::Status replaceLost();

  using TellLoaded = std::function<void(std::uint64_t, std::uint64_t)>;
  /// Loads \p program on all IPUs, with rows of remote buffers at \p rows.
  wire::Status load(const Program &program, const wire::session::RowStore &rows,
                    const TellLoaded &tellLoaded);
  /// Of the program that is loaded.
  const DivergenceWatch::Groups &groups() const { return groups_; }
  /// Whether other host programs run the rest of the program that is loaded.
  bool isShared() const { return share_ && share_->isJoined(); }
  OwnShare &share() { return *share_; }

  /// Asks IPUs of the program that is loaded; requests() then has the answers. Other host programs
  /// that share the program are told if an IPU is gone: between runs, too, they would wait for it.
  wire::Status ask(std::vector<Order> orders);
  /// Tells other host programs that a run has failed.
  /// \param meets  the run needs theirs; else it fails by itself
  /// \returns the failure that is behind \p fault
  wire::Status failed(bool meets, wire::Status fault);

  Hub &hub() { return *hub_; }
  Requests &requests() { return *requests_; }
  std::vector<int> processes() const { return daemons_->processes(); }
  /// Picked at random, to join a node again that has not noticed our absence.
  std::uint64_t token() const { return token_; }

private:
  wire::Status open(std::uint32_t ipu);
  wire::Status greet(const std::vector<std::uint32_t> &ipus);
  wire::Status joinNodes();
  wire::Status withReason(wire::Status status, const std::vector<std::uint32_t> &greeted) const;
  void leaveNodes();
  wire::Status loadAll(ProgramLoading &loading, const wire::session::RowStore &rows,
                       const TellLoaded &tellLoaded);
  wire::Status loadShare(const Program &program, ProgramLoading &loading,
                         const wire::session::RowStore &rows, const TellLoaded &tellLoaded);

  const MachineOptions &options_;
  zmq::context_t context_{1};
  std::unique_ptr<Daemons> daemons_;
  std::optional<Hub> hub_;
  std::optional<Requests> requests_;
  std::optional<OwnShare> share_; ///< of nodes; after the hub, which it calls
  DivergenceWatch::Groups groups_;
  // Of nodes, the host program before this one has numbered its epochs as well: what it left on the
  // way between IPUs must not be taken for ours.
  std::uint32_t epoch_ = options_.nodes.empty() ? 0 : std::random_device()();
  const std::uint64_t token_;
  std::set<std::uint32_t> joined_; ///< nodes that this machine holds, or held
};

} // namespace copse::session
