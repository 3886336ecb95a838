#pragma once

#include "callback_executor.hpp"
#include "divergence_watch.hpp"
#include "hub.hpp"
#include "partition.hpp"
#include "requests.hpp"
#include "stream_server.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace copse::session {

/// One run of a program on all IPUs: tells them to begin, serves their streams, stops all when one
/// has failed.
///
/// Life: make, serve() once. Thread: serve() any; all else is called on the executor's thread that
/// serves. A prefetch that waits may go on when serve() has returned: the next run, or
/// StreamServer::prefetchEnded(), hears of its end.
class ServedRun {
public:
  struct Parts {
    Hub &hub;
    Requests &requests;
    std::shared_ptr<const Partition> partition;
    StreamServer &streams; ///< loaded
    CallbackExecutor &calls;
    std::chrono::milliseconds patience{}; ///< how long one call may take [wall-clock]; 0: for ever
    DivergenceWatch::Groups groups{};
    /// Why the run must stop whatever the IPUs say; asked after Hub::nudge(), too. Empty: nothing
    /// can be.
    std::function<wire::Status()> trouble{};
    /// Is told how far the first IPU is. Empty: nobody asks.
    std::function<void(const wire::session::Progress &)> tell{};
    bool timesSteps = false; ///< MachineOptions::timesSteps
  };

  /// \param clock  modelled time at which the IPUs begin
  ServedRun(Parts parts, std::uint32_t program, wire::Cycles clock)
      : parts_(std::move(parts)), program_(program), clock_(clock),
        divergence_(parts_.groups, parts_.partition->ipusPerReplica(),
                    parts_.partition->ipuAmongAll(0)) {}

  /// Runs until all IPUs are done, or one has failed and the others were stopped; what they said is
  /// in the requests' answers. An exception of \p handler comes out as it is.
  /// \returns the cause of the failure; HostFault when a call of the handler took too long:
  ///          gaveUp() is that call
  wire::Status serve(StreamHandler &handler);

  /// What the handler was called for when it threw or did not return: "stream 'in', replica 1 of 2,
  /// host transfer 3 of the run (copy 'feed')".
  const std::string &place() const { return place_; }
  /// The call that took too long and goes on; null: there is none.
  const std::shared_ptr<StreamCall> &gaveUp() const { return late_; }

private:
  using Clock = std::chrono::steady_clock;

  void begin();
  void serveAll();
  void cancelCalls();
  void endCalls();
  bool awaitsCalls();
  void serveOne(bool mayWait);
  wire::Status take(std::uint32_t ipu, ipud::SessionMessage other);
  Clock::time_point nextDeadline() const;
  void failed(std::uint32_t ipu);
  bool failingReplicasAreThrough() const;
  void noteEnds();
  void noteEnd(std::uint32_t ipu, const wire::session::Done &done);
  void finishReplicas();
  template <class F> void guarded(const F &work);
  void stop(const wire::Status &why);
  wire::Status verdict() const;
  std::string whereOthersWere() const;
  wire::Status tooLate() const;
  std::string describe(const StreamCall &call) const;

  Parts parts_;
  std::uint32_t program_;
  wire::Cycles clock_;
  DivergenceWatch divergence_;
  std::string place_;
  bool begun_ = false;
  wire::Status fault_; ///< why all were stopped
  std::optional<Clock::time_point>
      stopBy_; ///< there is one from the moment at which all were told to stop
  bool gaveUp_ = false;
  std::exception_ptr thrown_;                     ///< by the handler
  std::shared_ptr<StreamCall> threw_;             ///< the call that did
  std::shared_ptr<StreamCall> late_;              ///< the call that takes too long
  std::optional<Clock::time_point> lastPrefetch_; ///< when the run ends all the same
  std::set<std::uint32_t> ended_;                 ///< IPUs whose program has ended
  bool endedEarly_ = false;            ///< one of them waits for those of other host programs
  std::set<std::uint32_t> finished_;   ///< replicas
  std::set<std::uint32_t> failing_;    ///< replicas whose program has failed
  std::set<std::uint32_t> waitingNow_; ///< IPUs that said so after the first of these failures
  std::optional<Clock::time_point> lingerUntil_; ///< there is one from that failure on
};

} // namespace copse::session
