#pragma once

#include "fabric/payload.hpp"
#include "session/machine.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace copse::session {

/// One call of the host program's callbacks, with its row. The thread that runs it needs nothing
/// else of the machine, so a call can be abandoned.
///
/// Thread: while the call runs, its thread owns `row`, `filled`, `took` and `thrown`; the serving
/// thread owns everything else.
struct StreamCall {
  using Clock = std::chrono::steady_clock;
  using Kind = StreamHandler::Call;

  Kind kind = Kind::Fetch;
  std::uint32_t stream = 0; ///< Print: the printed tensor
  std::uint32_t replica = 0;
  wire::Cycles moment{};       ///< the calling device's clock; 0: the beginning of the run
  fabric::Payload row{};       ///< Fetch, Prefetch: to be filled; Take, Print: received data
  bool filled = false;         ///< Prefetch: there was a row
  std::exception_ptr thrown{}; ///< by the callback

  /// An earlier call has waited, so this one delays others only briefly.
  bool expectedToWait = false;
  bool yields = false, mayWait = true; ///< see StreamHandler
  bool hasWaited = false;              ///< for so long that others continued without it
  bool isQuick = false;   ///< earlier calls were short: no thread needs to be woken for it
  Clock::duration took{}; ///< set when it has ended
  /// When a transfer of the run began to wait for it.
  std::optional<Clock::time_point> neededSince{};
  std::string place{}; ///< in the run, for messages; set once the call is needed

  /// Calls \p handler. Exceptions of the handler propagate.
  void invoke(StreamHandler &handler);
  /// Returns the name of the StreamCallback function, such as "fetch", or "print".
  const char *name() const;
};

/// Starts a call, whose end is reported later.
using StartCall = std::function<void(std::shared_ptr<StreamCall>)>;

} // namespace copse::session
