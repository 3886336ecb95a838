#include <cstddef>
#include <pvti/pvti.hpp>
#include <pybind11/pybind11.h>
#include <string>

// The parts that libpvti.py is made of.
PYBIND11_MODULE(_libpvti, module) {
  namespace py = pybind11;
  using pvti::Graph, pvti::Metadata, pvti::Series, pvti::TraceChannel, pvti::Tracepoint;
  py::class_<TraceChannel>(module, "TraceChannel")
      .def(py::init<const std::string &>(), py::arg("name"))
      .def_property_readonly("name", &TraceChannel::name);
  py::class_<Metadata>(module, "Metadata").def(py::init<const std::string &>(), py::arg("text"));
  py::class_<Series>(module, "Series").def("add", &Series::add, py::arg("value"));
  py::class_<Graph>(module, "Graph")
      .def(py::init<const std::string &, const std::string &>(), py::arg("name"),
           py::arg("unit") = "")
      .def("addSeries", &Graph::addSeries, py::arg("label"));
  module.def("isTracing", &pvti::isTracing);
  module.def(
      "begin",
      [](TraceChannel &channel, const std::string &label, const Metadata *metadata) {
        Tracepoint::begin(&channel, label, metadata);
      },
      py::arg("channel"), py::arg("label"), py::arg("metadata") = nullptr);
  module.def(
      "end",
      [](TraceChannel &channel, const std::string &label) { Tracepoint::end(&channel, label); },
      py::arg("channel"), py::arg("label"));
}
