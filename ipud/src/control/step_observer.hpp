#pragma once

#include <cstdint>
#include <vector>

namespace copse::ipud {

struct Vertices;

/// Watches the steps of a control program: to trace, check, time or debug it. Steps that are watched
/// run one after the other, and none runs with another.
///
/// Thread: the one that runs the control program.
class StepObserver {
public:
  virtual ~StepObserver() = default;
  StepObserver() = default;
  StepObserver(const StepObserver &) = delete;
  StepObserver &operator=(const StepObserver &) = delete;

  /// A step is about to run; of a While, not its predicate.
  virtual void beginStep(std::uint32_t /*at*/) {}
  /// The step that was begun last has run; not called for those that have bodies, nor after a
  /// failure.
  virtual void endStep(std::uint32_t /*at*/) {}
  /// A While is about to read its predicate.
  virtual void readPredicate(std::uint32_t /*at*/) {}
  /// The vertices of a compute set are about to run; the observer may add itself to \p vertices,
  /// whose code is set if there is tile code among them.
  virtual void beginComputeSet(std::uint32_t /*index*/, Vertices & /*vertices*/) {}
  /// They have run, without a failure.
  virtual void endComputeSet(std::uint32_t /*index*/) {}
  /// A run has ended.
  virtual void flush() {}
};

/// Several observers, told one after another.
class StepObservers final : public StepObserver {
public:
  void add(StepObserver &observer) { observers_.push_back(&observer); }
  bool empty() const { return observers_.empty(); }

  void beginStep(std::uint32_t at) override { tell(&StepObserver::beginStep, at); }
  void endStep(std::uint32_t at) override { tell(&StepObserver::endStep, at); }
  void readPredicate(std::uint32_t at) override { tell(&StepObserver::readPredicate, at); }
  void beginComputeSet(std::uint32_t index, Vertices &vertices) override {
    for (StepObserver *const observer : observers_)
      observer->beginComputeSet(index, vertices);
  }
  void endComputeSet(std::uint32_t index) override { tell(&StepObserver::endComputeSet, index); }
  void flush() override {
    for (StepObserver *const observer : observers_)
      observer->flush();
  }

private:
  void tell(void (StepObserver::*event)(std::uint32_t), std::uint32_t number) {
    for (StepObserver *const observer : observers_)
      (observer->*event)(number);
  }

  std::vector<StepObserver *> observers_;
};

} // namespace copse::ipud
