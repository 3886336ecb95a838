#pragma once

#include <cstdint>
#include <vector>

namespace copse::ipud {

struct Vertices;

/// Observes the steps of a control program, to trace, check, time or debug it. Observed steps run
/// one after another and never overlap.
///
/// Thread: the thread of the control program.
class StepObserver {
public:
  virtual ~StepObserver() = default;
  StepObserver() = default;
  StepObserver(const StepObserver &) = delete;
  StepObserver &operator=(const StepObserver &) = delete;

  /// Called before a step runs. For a While, that is before its condition runs.
  virtual void beginStep(std::uint32_t /*at*/) {}
  /// Called after the current step has run. Not called for a step with bodies, nor after a failure.
  virtual void endStep(std::uint32_t /*at*/) {}
  /// Called before a While reads its predicate.
  virtual void readPredicate(std::uint32_t /*at*/) {}
  /// Called before the vertices of a compute set run. The observer may add itself to \p vertices,
  /// whose code is set if there is tile code among them.
  virtual void beginComputeSet(std::uint32_t /*index*/, Vertices & /*vertices*/) {}
  /// Called after the compute set has run without a failure.
  virtual void endComputeSet(std::uint32_t /*index*/) {}
  /// Called at the end of a run.
  virtual void flush() {}
};

/// Forwards calls to several observers in turn.
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
