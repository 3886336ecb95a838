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

/// One run of a program on all IPUs: starts the IPUs, serves their streams, and stops all when one
/// has failed.
///
/// Life: construct, and call serve() once. A prefetch that waits may continue after serve() has
/// returned; the next run, or StreamServer::prefetchEnded(), handles its end.
///
/// Thread: any for serve(); all other functions are called on the executor's serving thread.
class ServedRun {
public:
  struct Parts {
    Hub &hub;
    Requests &requests;
    std::shared_ptr<const Partition> partition;
    StreamServer &streams; ///< must be loaded
    CallbackExecutor &calls;
    /// Longest duration of one call [wall-clock]; 0: unlimited.
    std::chrono::milliseconds callTimeout{};
    DivergenceWatch::Groups groups{};
    /// Returns why the run must stop independently of the IPUs; also called after Hub::nudge(). May
    /// be empty.
    std::function<wire::Status()> trouble{};
    /// Receives the progress of the first IPU. May be empty.
    std::function<void(const wire::session::Progress &)> tell{};
    bool timesSteps = false;       ///< MachineOptions::timesSteps
    std::uint64_t programTime = 0; ///< StreamHandler::programTime(), if the run meets
    std::function<void(const wire::session::Began &)> began{};
  };

  /// \param clock  modelled time at which the IPUs begin
  ServedRun(Parts parts, std::uint32_t program, wire::Cycles clock)
      : parts_(std::move(parts)), program_(program), clock_(clock),
        divergence_(parts_.groups, parts_.partition->ipusPerReplica(),
                    parts_.partition->ipuAmongAll(0)) {}

  /// Runs until all IPUs are done, or until one has failed and the others were stopped; the
  /// requests have their answers. Rethrows an exception of \p handler.
  /// \returns the cause of the failure; HostFault if a call of the handler took too long, which
  ///   abandonedCall() returns
  wire::Status serve(StreamHandler &handler);

  /// Returns which call of the handler threw or did not return: "stream 'in', replica 1 of 2, host
  /// transfer 3 of the run (copy 'feed')".
  const std::string &place() const { return place_; }
  /// Returns the call that took too long and continues; null if there is none.
  const std::shared_ptr<StreamCall> &abandonedCall() const { return late_; }

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
  wire::Status fault_; ///< why all IPUs were stopped
  /// Set from the moment at which all IPUs were told to stop.
  std::optional<Clock::time_point> stopBy_;
  bool timedOut_ = false;
  std::exception_ptr thrown_;                     ///< by the handler
  std::shared_ptr<StreamCall> threw_;             ///< the call that threw
  std::shared_ptr<StreamCall> late_;              ///< the call that takes too long
  std::optional<Clock::time_point> lastPrefetch_; ///< when the run ends even without the prefetch
  std::set<std::uint32_t> ended_;                 ///< IPUs whose program has ended
  bool endedEarly_ = false;          ///< one of them waits for IPUs of other host programs
  std::set<std::uint32_t> finished_; ///< replicas
  std::set<std::uint32_t> failing_;  ///< replicas whose program has failed
  /// IPUs that reported waiting after the first of these failures.
  std::set<std::uint32_t> waitingNow_;
  std::optional<Clock::time_point> lingerUntil_; ///< set from that failure on
};

} // namespace copse::session
