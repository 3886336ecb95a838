#pragma once

#include <cstdint>
#include <pybind11/pybind11.h>
#include <vector>

namespace copse::python {

inline pybind11::list listOf(const std::vector<std::uint64_t> &numbers) {
  pybind11::list list(numbers.size());
  for (std::size_t i = 0; i != numbers.size(); ++i)
    list[i] = numbers[i];
  return list;
}

/// Each adds the classes of one part of pva/pva.hpp to \p module. Functions of C++ that have no
/// parameters are properties in Python; lists are read-only sequences (sequence.hpp).
void bindPrograms(pybind11::module_ &module);
void bindCompilation(pybind11::module_ &module);
void bindExecution(pybind11::module_ &module);

} // namespace copse::python
