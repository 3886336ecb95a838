#pragma once

#include "call_guard.hpp"
#include "callbacks.hpp"
#include "divergence_watch.hpp"
#include "hub.hpp"
#include "partition.hpp"
#include "requests.hpp"
#include "serving_thread.hpp"
#include "stream_server.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace copse::session {

/// One run of a program on all IPUs: tells them to begin, serves their streams, stops all when one
/// has failed.
///
/// Life: make, serve() once. Thread: serve() any; the handler is called on a ServingThread, or by
/// CallThreads. A prefetch that waits may go on when serve() has returned: the next run, or
/// StreamServer::callEnded(), hears of its end.
class ServedRun {
public:
  struct Parts {
    Hub &hub;
    Requests &requests;
    std::shared_ptr<const Partition> partition;
    std::shared_ptr<StreamServer> streams; ///< loaded
    std::shared_ptr<CallThreads> threads;
    bool sideBySide = false; ///< as Callbacks
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
      : parts_(std::move(parts)), program_(program), clock_(clock) {}

  /// Runs until all IPUs are done, or one has failed and the others were stopped; what they said is
  /// in the requests' answers. An exception of \p handler comes out as it is.
  /// \param patience  as CallGuard's
  /// \returns the cause of the failure; HostFault when a call of the handler took too long:
  ///          gaveUp() is that call, and the streams must not serve another run
  wire::Status serve(StreamHandler &handler, std::chrono::milliseconds patience,
                     ServingThread &thread);

  /// What the handler was called for when it threw or did not return: "stream 'in', replica 1 of 2,
  /// host transfer 3 of the run (copy 'feed')".
  const std::string &place() const { return place_; }
  /// The call that took too long and goes on, if there is one.
  const std::optional<CallGuard::Call> &gaveUp() const { return gaveUp_; }

private:
  /// What the serving thread and the caller share, for as long as either needs it.
  struct Shared;

  std::string describe(const CallGuard::Call &call, const std::string &transfer) const;
  wire::Status tooLate(const CallGuard::Call &call, std::chrono::milliseconds patience) const;
  wire::Status stopWithoutServing(const wire::Status &why);

  Parts parts_;
  std::uint32_t program_;
  wire::Cycles clock_;
  std::string place_;
  std::optional<CallGuard::Call> gaveUp_;
};

} // namespace copse::session
