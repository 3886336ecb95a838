#pragma once

#include "wire/step_bodies.hpp"

#include <cstdint>
#include <optional>

namespace copse::wire {

/// A visitor of walkSteps() that takes every step alike. A visitor derives from it and hides the
/// functions whose answers are its own.
struct StepVisitor {
  /// Returns whether the walk ends here; asked after each step, turn and predicate.
  bool isDone() const { return false; }
  /// The walk has come to a range of steps: a program, a function, or a body in one of its turns.
  void beginRange() {}
  /// The range that began last has ended before step \p end.
  void endRange(std::uint32_t /*end*/) {}
  /// The walk has come to step \p at, whatever its operation.
  void enter(std::uint32_t /*at*/) {}
  /// Does the work of step \p at, which has no bodies and is no call.
  /// \param end  of the range that the step stands in
  /// \returns the number of steps done: more than 1 if the steps behind it, also without bodies,
  ///   have been done with it
  std::uint32_t work(std::uint32_t /*at*/, std::uint32_t /*end*/) { return 1; }
  /// Returns the predicate of step \p at; none: no body is walked that depends on it.
  std::optional<std::uint32_t> predicate(std::uint32_t /*at*/) { return std::nullopt; }
  /// A loop begins, within the loops that have not ended.
  /// \param turns  0: its predicate decides
  void beginLoop(std::uint32_t /*turns*/) {}
  void beginTurn(std::uint64_t /*turn*/) {}
  /// A turn of a Repeat has ended, and \p left are left.
  /// \returns how many of these need no walk
  std::uint32_t endTurn(std::uint32_t /*left*/) { return 0; }
  void endLoop() {}
};

/// Walks control programs: what runs after what. Bodies, loops, branches and calls are followed
/// here and nowhere else; the visitor does the work of the steps and tells predicates.
///
/// The image must be valid, as ipud checks, and outlive the walk.
template <typename Visitor> class StepWalk {
public:
  StepWalk(const Image &image, Visitor &visitor) : image_(image), visitor_(visitor) {}

  /// Walks the steps of \p range to their end, or until the visitor is done.
  void run(const StepRange &range) {
    const std::uint32_t end = range.first + range.count;
    visitor_.beginRange();
    for (std::uint32_t at = range.first; at < end && !visitor_.isDone();) {
      visitor_.enter(at);
      if (visitor_.isDone())
        break;
      const std::uint32_t next = stepAfter(image_.steps, at);
      const std::uint32_t done = step(at, end);
      at = done == 1 ? next : at + done;
    }
    visitor_.endRange(end);
  }

private:
  std::uint32_t step(std::uint32_t at, std::uint32_t end) {
    const Step &step = image_.steps[at];
    switch (step.op) {
    case Op::Repeat:
      repeat(step, at);
      return 1;
    case Op::While:
      repeatWhile(step, at);
      return 1;
    case Op::If:
      if (const auto value = visitor_.predicate(at); value && !visitor_.isDone()) {
        const auto [taken, otherwise] = branchBodies(step, at);
        run(*value != 0 ? taken : otherwise);
      }
      return 1;
    case Op::Switch:
      if (const auto value = visitor_.predicate(at); value && !visitor_.isDone())
        run(chosenBody(image_.steps, at, *value));
      return 1;
    case Op::Call:
      run(image_.calls[step.index]);
      return 1;
    default: // a step without bodies
      return visitor_.work(at, end);
    }
  }

  void repeat(const Step &step, std::uint32_t at) {
    if (step.body == 0)
      return;
    visitor_.beginLoop(step.count);
    for (std::uint32_t turn = 0; turn < step.count && !visitor_.isDone(); ++turn) {
      visitor_.beginTurn(turn);
      run(bodyOf(step, at));
      if (!visitor_.isDone())
        turn += visitor_.endTurn(step.count - turn - 1);
    }
    visitor_.endLoop();
  }

  void repeatWhile(const Step &step, std::uint32_t at) {
    const auto [condition, body] = loopBodies(step, at);
    visitor_.beginLoop(0);
    for (std::uint64_t turn = 0;; ++turn) {
      visitor_.beginTurn(turn);
      run(condition);
      if (visitor_.isDone())
        break;
      const auto value = visitor_.predicate(at);
      if (!value || visitor_.isDone() || (*value != 0) != (step.count != 0))
        break;
      run(body);
    }
    visitor_.endLoop();
  }

  const Image &image_;
  Visitor &visitor_;
};

} // namespace copse::wire
