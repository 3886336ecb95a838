#pragma once

#include <pybind11/pybind11.h>

namespace copse::python {

/// Each adds the classes of one part of pva/pva.hpp to \p module. Functions of C++ that have no
/// parameters are properties in Python; lists are read-only sequences (sequence.hpp).
void bindPrograms(pybind11::module_ &module);
void bindCompilation(pybind11::module_ &module);
void bindExecution(pybind11::module_ &module);

} // namespace copse::python
