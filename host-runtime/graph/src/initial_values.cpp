#include "initial_values.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

namespace copse::graph {
namespace {

/// The runs of a tensor in one variable.
struct Part {
  std::vector<std::pair<Run, std::size_t>> runs; ///< each with the offset of its bytes
  std::uint64_t first = ~std::uint64_t{0}, last = 0, elements = 0;

  void add(const Run &run, std::size_t at) {
    const std::uint64_t one = run.begin, other = elementOf(run, run.count - 1);
    first = std::min({first, one, other});
    last = std::max({last, one, other});
    elements += run.count;
    runs.emplace_back(run, at);
  }
  /// Returns true if the runs may form a contiguous range in which each element occurs once.
  bool mayBeWhole() const { return runs.size() > 1 && elements == last - first + 1; }
};

/// \returns nothing if some element occurs twice
std::optional<InitialValue> stretch(const Part &part, std::span<const std::byte> bytes,
                                    std::size_t size) {
  InitialValue value{part.first, part.elements, 1, std::vector<std::byte>(part.elements * size)};
  std::vector<bool> known(part.elements);
  for (const auto &[run, at] : part.runs)
    for (std::uint64_t i = 0; i < run.count; ++i) {
      const std::uint64_t element = elementOf(run, i) - part.first;
      if (known[element])
        return {};
      known[element] = true;
      std::memcpy(value.bytes.data() + element * size, bytes.data() + at + i * size, size);
    }
  return value;
}

InitialValue valueOf(const Run &run, std::size_t at, std::span<const std::byte> bytes,
                     std::size_t size) {
  const auto own = bytes.subspan(at, run.count * size);
  return {run.begin, run.count, run.stride, {own.begin(), own.end()}};
}

} // namespace

std::vector<std::pair<VariableId, InitialValue>>
initialValuesOf(const std::vector<Run> &runs, std::span<const std::byte> bytes, std::size_t size) {
  std::map<VariableId, Part> parts;
  std::size_t at = 0;
  for (const Run &run : runs) {
    if (run.count > 0)
      parts[run.variable].add(run, at);
    at += run.count * size;
  }
  std::vector<std::pair<VariableId, InitialValue>> values;
  for (const auto &[variable, part] : parts) {
    std::optional<InitialValue> whole;
    if (part.mayBeWhole())
      whole = stretch(part, bytes, size);
    if (whole)
      values.emplace_back(variable, std::move(*whole));
    else
      for (const auto &[run, begin] : part.runs)
        values.emplace_back(variable, valueOf(run, begin, bytes, size));
  }
  return values;
}

} // namespace copse::graph
