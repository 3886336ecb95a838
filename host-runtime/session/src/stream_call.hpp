#pragma once

#include "fabric/payload.hpp"
#include "session/machine.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
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
  std::uint32_t stream = 0, replica = 0;
  fabric::Payload row{};       ///< Fetch, Prefetch: to be filled; Take: what came
  bool filled = false;         ///< of Prefetch: there was a row
  std::exception_ptr thrown{}; ///< by the callback

  bool expectedToWait = false; ///< an earlier one has waited: it holds up others for a moment only
  bool givesWay = false;       ///< StreamHandler::givesWay()
  bool hasWaited = false;      ///< so long that others went on without it
  bool isQuick = false;        ///< earlier ones were: no thread needs to be woken for it
  Clock::duration took{};      ///< when it has ended
  std::optional<Clock::time_point> neededSince{}; ///< a transfer of the run waits for it
  std::string place{};                            ///< in the run, for messages, once it is needed

  /// Exceptions of the handler come out.
  void invoke(StreamHandler &handler);
  /// The same, but an exception is kept in `thrown`.
  void invokeTimed(StreamHandler &handler);
  /// "fetch": of the function of StreamCallback.
  const char *name() const;
};

} // namespace copse::session
