#pragma once

#include "wire/step_bodies.hpp"

#include <cstdint>
#include <optional>

namespace copse::wire {

/// The default visitor of walkSteps(), which treats all steps alike. A visitor derives from it and
/// hides the functions that it implements itself.
struct StepVisitor {
  /// Returns true to end the walk; called after each step, turn and predicate.
  bool isDone() const { return false; }
  /// Enters a range of steps: a program, a function, or one turn of a body.
  void beginRange() {}
  /// Leaves the current range before step \p end.
  void endRange(std::uint32_t /*end*/) {}
  /// Reaches step \p at, of any operation.
  void enter(std::uint32_t /*at*/) {}
  /// Does the work of step \p at, which has no bodies and is not a call.
  /// \param end  end of the range that contains the step
  /// \returns the number of steps done; more than 1 if the visitor has also done the following
  ///   steps, which must have no bodies either
  std::uint32_t work(std::uint32_t /*at*/, std::uint32_t /*end*/) { return 1; }
  /// Returns the predicate of step \p at; if it returns nothing, the walk skips the bodies that
  /// depend on the predicate.
  std::optional<std::uint32_t> predicate(std::uint32_t /*at*/) { return std::nullopt; }
  /// Enters a loop inside the current loops.
  /// \param turns  0: the number depends on a predicate
  void beginLoop(std::uint32_t /*turns*/) {}
  void beginTurn(std::uint64_t /*turn*/) {}
  /// Ends a turn of a loop of which \p left turns remain; 0 if a predicate decides the number.
  /// \returns how many of the remaining turns to skip
  std::uint32_t endTurn(std::uint32_t /*left*/) { return 0; }
  void endLoop() {}
};

/// Walks control programs in execution order. StepWalk alone follows bodies, loops, branches and
/// calls; the visitor does the work of the steps and supplies the predicates.
///
/// The image must be valid, as ipud checks, and must outlive the walk.
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
      if (!visitor_.isDone())
        turn += visitor_.endTurn(0);
    }
    visitor_.endLoop();
  }

  const Image &image_;
  Visitor &visitor_;
};

} // namespace copse::wire
