#pragma once

#include <cstddef>
#include <pybind11/pybind11.h>
#include <vector>

namespace copse::python {

template <class T> T elementAt(const std::vector<T> &all, std::ptrdiff_t index) {
  const auto size = static_cast<std::ptrdiff_t>(all.size());
  if (index < -size || index >= size)
    throw pybind11::index_error("index out of range");
  return all[static_cast<std::size_t>(index < 0 ? index + size : index)];
}

template <class T>
std::vector<T> elementsOf(const std::vector<T> &all, const pybind11::slice &slice) {
  std::size_t start = 0, stop = 0, step = 0, count = 0;
  if (!slice.compute(all.size(), &start, &stop, &step, &count))
    throw pybind11::error_already_set();
  std::vector<T> chosen;
  chosen.reserve(count);
  for (; count != 0; --count, start += step) // step may be -1 modulo 2^64
    chosen.push_back(all[start]);
  return chosen;
}

/// Binds a list of C++ as a read-only sequence of Python. An element becomes a Python object when
/// it is used, so `tiles[0]` is cheap however many tiles there are.
template <class T> void bindSequence(pybind11::module_ &module, const char *name) {
  using List = std::vector<T>;
  pybind11::class_<List>(module, name)
      .def("__len__", [](const List &list) { return list.size(); })
      .def("__getitem__", &elementAt<T>)
      .def("__getitem__", &elementsOf<T>)
      .def(
          "__iter__",
          [](const List &list) {
            return pybind11::make_iterator<pybind11::return_value_policy::copy>(list.begin(),
                                                                                list.end());
          },
          pybind11::keep_alive<0, 1>());
}

} // namespace copse::python
