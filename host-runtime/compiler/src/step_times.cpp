#include "step_times.hpp"

#include <algorithm>
#include <unordered_map>

namespace copse::compiler {

std::vector<std::uint32_t> timesOfSteps(std::span<const graph::ProgramNode *const> nodes,
                                        const wire::Image &image, const Liveness &liveness,
                                        const MemoryLayout &layout) {
  constexpr std::uint32_t kNone = MemoryLayout::kNoTime;
  const std::vector<std::uint64_t> live = liveBytesByTime(layout);
  const auto bytesAt = [&](std::uint32_t time) { return time < live.size() ? live[time] : 0; };
  const auto fuller = [&](std::uint32_t a, std::uint32_t b) {
    if (a == kNone || b == kNone)
      return std::min(a, b);
    return bytesAt(b) > bytesAt(a) ? b : a;
  };
  std::unordered_map<const graph::ProgramNode *, std::uint32_t> timeOf;
  for (const Liveness::Visit &visit : liveness.visits) {
    const auto [found, isNew] = timeOf.try_emplace(visit.node, visit.time);
    if (!isNew)
      found->second = fuller(found->second, visit.time);
  }
  std::vector<std::uint32_t> times(nodes.size(), kNone);
  for (std::size_t step = 0; step < nodes.size(); ++step)
    if (const auto found = timeOf.find(nodes[step]); found != timeOf.end())
      times[step] = found->second;
  // If liveness treats a function as one step, the function's steps have the time of its calls.
  for (std::size_t step = 0; step < times.size(); ++step) {
    if (image.steps[step].op != wire::Op::Call || times[step] == kNone)
      continue;
    const wire::StepRange body = image.calls[image.steps[step].index];
    for (std::uint32_t i = body.first; i < body.first + body.count; ++i)
      if (timeOf.find(nodes[i]) == timeOf.end())
        times[i] = fuller(times[i], times[step]);
  }
  return times;
}

} // namespace copse::compiler
