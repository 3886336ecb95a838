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

/// One call of the host program's callbacks, with the row that it works on: whoever runs it needs
/// nothing else of the machine.
///
/// Thread: while it is under way, that of the call has `row`, `filled`, `took` and `thrown`; all else
/// is the serving thread's.
struct StreamCall {
  using Clock = std::chrono::steady_clock;
  using Kind = StreamHandler::Call;

  Kind kind = Kind::Fetch;
  std::uint32_t stream = 0; ///< Print: the printed tensor
  std::uint32_t replica = 0;
  wire::Cycles moment{};       ///< of the device that calls; 0: the begin of the run
  fabric::Payload row{};       ///< Fetch, Prefetch: to be filled; Take, Print: what came
  bool filled = false;         ///< of Prefetch: there was a row
  std::exception_ptr thrown{}; ///< by the callback

  bool expectedToWait = false; ///< an earlier one has waited: it holds up others for a moment only
  bool givesWay = false, mayWait = true; ///< as StreamHandler says
  bool hasWaited = false;                ///< so long that others went on without it
  bool isQuick = false;                  ///< earlier ones were: no thread needs to be woken for it
  Clock::duration took{};                ///< when it has ended
  std::optional<Clock::time_point> neededSince{}; ///< a transfer of the run waits for it
  std::string place{};                            ///< in the run, for messages, once it is needed

  /// Calls \p handler. Exceptions of the handler come out.
  void invoke(StreamHandler &handler);
  /// "fetch": of the function of StreamCallback; or "print".
  const char *name() const;
};

/// Begins a call; its end is told later.
using StartCall = std::function<void(std::shared_ptr<StreamCall>)>;

} // namespace copse::session
