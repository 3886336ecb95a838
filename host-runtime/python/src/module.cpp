#include "bindings.hpp"
#include "sequence.hpp"

#include <filesystem>
#include <pva/pva.hpp>
#include <pybind11/stl/filesystem.h>

// Poplar's exceptions are RuntimeErrors in Python.
PYBIND11_MODULE(pva, module) {
  namespace py = pybind11;
  module.doc() = "Profiles of Poplar programs";
  copse::python::bindPrograms(module);
  copse::python::bindCompilation(module);
  copse::python::bindExecution(module);
  py::class_<pva::Version>(module, "Version")
      .def_property_readonly("string", &pva::Version::string);
  py::class_<pva::Report>(module, "Report")
      .def_property_readonly("compilation", &pva::Report::compilation)
      .def_property_readonly("execution", &pva::Report::execution)
      .def_property_readonly("poplarVersion", &pva::Report::poplarVersion);
  py::class_<pva::Operation>(module, "Operation")
      .def_property_readonly("name", &pva::Operation::name)
      .def_property_readonly("debugContext", &pva::Operation::debugContext)
      .def("programs", &pva::Operation::programs)
      .def_property_readonly("vars", &pva::Operation::vars)
      .def_property_readonly("firstStepIndex", &pva::Operation::firstStepIndex)
      .def_property_readonly("lastStepIndex", &pva::Operation::lastStepIndex);
  copse::python::bindSequence<pva::Operation>(module, "OperationSequence");
  py::class_<pva::OperationAnalysis>(module, "OperationAnalysis")
      .def(py::init<const pva::Report &>(), py::arg("report"))
      .def_property_readonly("operations", &pva::OperationAnalysis::operations);
  module.attr("pva_core") = module; // where some programs look for the types
  module.def(
      "openReport",
      [](const std::filesystem::path &path) { return pva::openReport(path.string()); },
      py::arg("path"), py::call_guard<py::gil_scoped_release>(),
      "Reads a profile: the file, or the directory that holds profile.pop");
}
