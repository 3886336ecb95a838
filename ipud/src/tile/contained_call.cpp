#include "tile/contained_call.hpp"

#include <csetjmp>

namespace copse::ipud {
namespace {

/// Calls native code. Control returns here however the code ends.
/// \returns true if the code returned
[[gnu::noinline]] bool returned(CodeletContext &context, const EntryPoint &function, void *state,
                                std::uint32_t worker, bool &status) {
  sigjmp_buf here;
  const CodeletExit::Detour comesBackHere(context.exit, here);
  if (sigsetjmp(here, 0) != 0)
    return false;
  const CodeletSignals::Interpreting native(context.signals, nullptr);
  status = function.entry(state, worker);
  return true;
}

} // namespace

bool callContained(CodeletContext &context, const EntryPoint &function, void *state,
                   std::uint32_t worker) {
  bool status = true;
  if (!returned(context, function, state, worker, status))
    throw LeftCodelet{};
  return status;
}

} // namespace copse::ipud
