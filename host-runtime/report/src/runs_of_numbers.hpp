#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace copse::report {

/// Run-length encodes numbers, because neighbours are often equal: [length of a run, its value,
/// ...].
class RunsOfNumbers {
public:
  void add(std::uint64_t value, std::uint64_t count = 1) {
    if (!runs_.empty() && last_ == value)
      length_ += count;
    else {
      close();
      runs_.push_back(0);
      runs_.push_back(value);
      last_ = value;
      length_ = count;
    }
  }

  nlohmann::json take() {
    close();
    return std::move(runs_);
  }

private:
  void close() {
    if (!runs_.empty())
      runs_[runs_.size() - 2] = length_;
  }

  nlohmann::json runs_ = nlohmann::json::array();
  std::uint64_t last_ = 0, length_ = 0;
};

/// \param numbers  a range of items with numbers
template <class Range, class Value> nlohmann::json runsOf(const Range &numbers, Value value) {
  RunsOfNumbers runs;
  for (const auto &one : numbers)
    runs.add(value(one));
  return runs.take();
}

} // namespace copse::report
