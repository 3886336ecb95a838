#include "callbacks.hpp"

namespace copse::session {

bool Callbacks::runsElsewhere(const StreamCall &call) const {
  const bool asksForIt = sideBySide_ || call.givesWay || call.kind == StreamCall::Kind::Prefetch;
  return asksForIt && handler_.mayWait(call.kind, call.stream, call.replica);
}

bool Callbacks::begin(const std::shared_ptr<StreamCall> &call) {
  call->givesWay = handler_.givesWay(call->stream, call->replica);
  if (runsElsewhere(*call)) {
    threads_->start(call, handler_);
    return false;
  }
  std::optional<CallThreads::OwnTurn> turn;
  if (!sideBySide_)
    turn.emplace(*threads_);
  call->invoke(guarded_);
  return true;
}

} // namespace copse::session
