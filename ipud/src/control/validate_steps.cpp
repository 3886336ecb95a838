#include "control/validate_steps.hpp"

#include "wire/step_bodies.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <stdexcept>
#include <string>

namespace copse::ipud {
namespace {

using std::to_string;
using wire::Op;

/// The limit for nested bodies and calls, because each level uses stack of the interpreter.
constexpr std::uint32_t kMaxDepth = 1000;
constexpr std::uint32_t kClockBytes = 8;

class StepValidator {
public:
  StepValidator(const wire::Image &image, const MemoryCheck &memory)
      : image_(image), memory_(memory), callDepth_(image.calls.size()),
        unclaimed_(image.steps.size()) {}

  void check() {
    for (std::uint32_t i = 0; i < image_.calls.size(); ++i)
      checkCall(i, 0);
    for (std::size_t i = 0; i < image_.programs.size(); ++i)
      checkRange(image_.programs[i], "program " + to_string(i));
  }

private:
  [[noreturn]] static void fail(std::uint32_t step, const std::string &why) {
    throw std::invalid_argument("step " + to_string(step) + ": " + why);
  }

  std::uint32_t checkRange(const wire::StepRange &range, const std::string &what,
                           std::uint32_t depth = 0) {
    if (range.first > image_.steps.size() || range.count > image_.steps.size() - range.first)
      throw std::invalid_argument(what + " goes beyond the " + to_string(image_.steps.size()) +
                                  " steps");
    // Otherwise the check would take time in proportion to programs times steps.
    if (range.count > unclaimed_)
      throw std::invalid_argument(what + " shares steps with another program or function");
    unclaimed_ -= range.count;
    return checkSteps(range, depth);
  }

  /// \returns the nesting depth of the steps of function \p index
  std::uint32_t checkCall(std::uint32_t index, std::uint32_t depth) {
    auto &known = callDepth_[index];
    if (known == kBeingChecked)
      throw std::invalid_argument("function " + to_string(index) + " calls itself");
    if (!known) {
      known = kBeingChecked;
      known = checkRange(image_.calls[index], "function " + to_string(index), depth);
    }
    return *known;
  }

  /// \returns the nesting depth of the steps of \p range, which must lie in the image
  std::uint32_t checkSteps(const wire::StepRange &range, std::uint32_t depth) {
    if (depth > kMaxDepth)
      fail(range.first, "bodies and calls nest deeper than " + to_string(kMaxDepth));
    const std::uint32_t end = range.first + range.count;
    std::uint32_t deepest = 0;
    for (std::uint32_t at = range.first; at < end; at = wire::stepAfter(image_.steps, at)) {
      const auto &step = image_.steps[at];
      const std::uint64_t length = wire::bodySteps(step);
      if (length > end - at - 1)
        fail(at, "its body of " + to_string(length) + " steps goes beyond step " + to_string(end));
      deepest = std::max(deepest, 1 + checkStep(at, step, depth + 1));
      if (depth + deepest > kMaxDepth)
        fail(at, "bodies and calls nest deeper than " + to_string(kMaxDepth));
    }
    return deepest;
  }

  /// \returns the nesting depth of the step's bodies
  std::uint32_t checkStep(std::uint32_t at, const wire::Step &step, std::uint32_t depth) {
    switch (step.op) {
    case Op::ComputeSet:
      return checkIndex(at, "compute set", image_.computeSets.size());
    case Op::Exchange:
      checkIndex(at, "exchange", image_.exchanges.size());
      if (step.count >= image_.exchanges.size() - step.index)
        fail(at, "exchange " + to_string(step.index) + " and the " + to_string(step.count) +
                     " after it, of " + to_string(image_.exchanges.size()));
      return 0;
    case Op::HostExchange:
      return checkIndex(at, "host exchange", image_.hostExchanges.size());
    case Op::RemoteCopy:
      return checkIndex(at, "remote copy", image_.remoteCopies.size());
    case Op::Print:
      return checkIndex(at, "print", image_.prints.size());
    case Op::Sync:
      if (!wire::isSyncGroup(step.index) ||
          static_cast<wire::SyncGroup>(step.index) == wire::SyncGroup::Hosts)
        fail(at, "sync group " + to_string(step.index) + "; there are 1 to 3");
      return 0;
    case Op::Repeat:
      return checkBodies(at, depth);
    case Op::While:
      if (step.count > 1)
        fail(at,
             "a loop while the predicate is " + to_string(step.count) + "; 0 and 1 are possible");
      checkPredicate(at, step);
      checkName(at, step);
      return checkBodies(at, depth);
    case Op::If:
      checkPredicate(at, step);
      checkName(at, step);
      return checkBodies(at, depth);
    case Op::Switch:
      checkPredicate(at, step);
      checkName(at, step);
      checkCases(at, step);
      return checkBodies(at, depth);
    case Op::Case:
      fail(at, "a case outside of a switch");
    case Op::Call:
      checkIndex(at, "function", image_.calls.size());
      return checkCall(step.index, depth);
    case Op::Abort:
      checkIndex(at, "message", image_.messages.size());
      if (step.count != 0)
        checkPredicate(at, step);
      return 0;
    case Op::ReadClock:
      checkIndex(at, "ipu", image_.ipusPerReplica);
      if (step.index == image_.ipu)
        checkMemory(at, step.predicate, kClockBytes, "its clock value");
      return 0;
    case Op::AllTrue:
      checkIndex(at, "ipu", image_.ipusPerReplica);
      if (step.count == 0)
        fail(at, "an AND of no bytes");
      if (step.index == image_.ipu)
        checkMemory(at, step.predicate, step.count, "the bytes of its AND");
      return 0;
    }
    fail(at, "unknown operation " + to_string(static_cast<unsigned>(step.op)));
  }

  std::uint32_t checkIndex(std::uint32_t at, const char *what, std::size_t size) const {
    const auto index = image_.steps[at].index;
    if (index >= size)
      fail(at, what + (" " + to_string(index)) + " of " + to_string(size));
    return 0;
  }

  void checkName(std::uint32_t at, const wire::Step &step) const {
    if (step.index > image_.messages.size())
      fail(at, "name " + to_string(step.index) + " of " + to_string(image_.messages.size()));
  }

  void checkPredicate(std::uint32_t at, const wire::Step &step) const {
    if (step.predicateBytes == 0 || step.predicateBytes > 8 ||
        !std::has_single_bit(step.predicateBytes))
      fail(at, "a predicate of " + to_string(step.predicateBytes) +
                   " bytes; 1, 2, 4 and 8 are possible");
    checkMemory(at, step.predicate, step.predicateBytes, "its predicate");
  }

  void checkMemory(std::uint32_t at, wire::TileAddress address, std::uint32_t bytes,
                   const char *what) const {
    try {
      memory_(address, bytes);
    } catch (const std::invalid_argument &error) {
      fail(at, what + std::string(": ") + error.what());
    }
  }

  /// \returns the nesting depth of the bodies of a step
  std::uint32_t checkBodies(std::uint32_t at, std::uint32_t depth) {
    std::uint32_t deepest = 0;
    wire::visitBodies(image_.steps, at, [&](const wire::StepRange &body) {
      deepest = std::max(deepest, checkSteps(body, depth));
    });
    return deepest;
  }

  /// Checks that a switch has the announced number of cases, and nothing after its default.
  void checkCases(std::uint32_t at, const wire::Step &step) const {
    const std::uint32_t end = wire::stepAfter(image_.steps, at);
    std::uint32_t next = at + 1;
    for (std::uint32_t i = 0; i < step.count; ++i) {
      if (next >= end || image_.steps[next].op != Op::Case)
        fail(at, "case " + to_string(i) + " of " + to_string(step.count) + " is missing");
      if (wire::bodySteps(image_.steps[next]) > end - next - 1)
        fail(next, "its body goes beyond the switch");
      next = wire::stepAfter(image_.steps, next);
    }
    if (step.other != end - next)
      fail(at, "its default has " + to_string(end - next) + " steps instead of " +
                   to_string(step.other));
  }

  static constexpr std::optional<std::uint32_t> kBeingChecked{UINT32_MAX};

  const wire::Image &image_;
  const MemoryCheck &memory_;
  std::vector<std::optional<std::uint32_t>> callDepth_; ///< by function, once it was checked
  std::size_t unclaimed_; ///< steps that are left for programs and functions not yet checked
};

} // namespace

void validateSteps(const wire::Image &image, const MemoryCheck &memory) {
  StepValidator(image, memory).check();
}

} // namespace copse::ipud
