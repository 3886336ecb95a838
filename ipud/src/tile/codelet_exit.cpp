#include "tile/codelet_exit.hpp"

#include <utility>

namespace copse::ipud {

CodeletFault &CodeletExit::record(CodeletFault::Kind kind, int signal, int code,
                                  const void *address) {
  close();
  fault_ = {kind,
            signal,
            code,
            address,
            running_.vertex.load(std::memory_order_relaxed),
            running_.worker.load(std::memory_order_relaxed)};
  if (running_.started)
    fault_.started = running_.started->function;
  return fault_;
}

void CodeletExit::record(std::unique_ptr<TileFault> fault, bool interrupted) {
  record(interrupted ? CodeletFault::Kind::Interrupted : CodeletFault::Kind::TileException);
  fault_.worker = fault->context;
  fault_.tile = std::move(fault);
}

} // namespace copse::ipud
