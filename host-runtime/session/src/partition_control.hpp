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

/// The IPUs that a machine holds: starts or joins them, replaces lost ones, loads programs on them,
/// and releases them. If other host programs run the rest of a program, it coordinates with them.
///
/// Life: start(); then the other functions; close().
///
/// Thread: one at a time.
class PartitionControl {
public:
  /// \param options  must outlive this object
  explicit PartitionControl(const MachineOptions &options);

  /// \returns the errors of Machine::start()
  wire::Status start(Hub::RowTraffic rows);
  /// Releases nodes; afterwards nothing is sent or delivered.
  void close();

  /// Replaces lost daemons by new ones.
  wire::Status replaceLost();

  using TellLoaded = std::function<void(std::uint64_t, std::uint64_t)>;
  /// Loads \p program on all IPUs, with remote buffers at \p rows.
  wire::Status load(const Program &program, const wire::session::RowStore &rows,
                    const TellLoaded &tellLoaded);
  /// Returns the sync groups of the loaded program.
  const DivergenceWatch::Groups &groups() const { return groups_; }
  /// Returns true if other host programs run the rest of the loaded program.
  bool isShared() const { return share_ && share_->isJoined(); }
  OwnShare &share() { return *share_; }

  /// Sends requests to IPUs of the loaded program; the answers are then in requests(). If an IPU is
  /// gone, the other host programs that share the program are told, because they would wait for it.
  wire::Status ask(std::vector<Order> orders);
  /// Tells other host programs that a run has failed.
  /// \param meets  the run needs the IPUs of the other host programs
  /// \returns the failure that caused \p fault
  wire::Status failed(bool meets, wire::Status fault);

  Hub &hub() { return *hub_; }
  Requests &requests() { return *requests_; }
  std::vector<int> processes() const { return daemons_->processes(); }
  /// Returns a random number that lets this process rejoin a node that has not noticed its absence.
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
  zmq::context_t context_;
  std::unique_ptr<Daemons> daemons_;
  std::optional<Hub> hub_;
  std::optional<Requests> requests_;
  std::optional<OwnShare> share_; ///< only with nodes; after the hub, which it uses
  DivergenceWatch::Groups groups_;
  // On nodes, the previous host program has numbered its epochs too, and its packets may still be
  // on their way between IPUs. A random first epoch keeps them from being taken for ours.
  std::uint32_t epoch_ = options_.nodes.empty() ? 0 : std::random_device()();
  const std::uint64_t token_;
  std::set<std::uint32_t> joined_; ///< nodes that this machine holds or held
};

} // namespace copse::session
