#include "processor/native_region.hpp"

#include "processor/native_loop.hpp"
#include "processor/native_page.hpp"

namespace copse::ipud {

NativeRegion::Exit enterRegion(Core &core, const MicroOp *step) {
  if (core.windowLimit[0] == 0) // the interpreter checks each access
    return {};
  const NativePage *const native = core.page->natives->findAt(*core.page, *core.chip, step->at);
  const NativePage::Start *const start = native != nullptr ? native->start(step->at) : nullptr;
  if (start == nullptr || start->entry == nullptr)
    return {};
  const NativeRegion::Exit exit = start->entry(&core, start->at, core.memory);
  if (exit.how == NativeRegion::How::Unusual)
    core.loopPause = kLoopPause; // further unusual operands are likely
  return exit;
}

} // namespace copse::ipud
