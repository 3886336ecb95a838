#include "bindings.hpp"

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
  module.attr("pva_core") = module; // where some programs look for the types
  module.def(
      "openReport",
      [](const std::filesystem::path &path) { return pva::openReport(path.string()); },
      py::arg("path"), py::call_guard<py::gil_scoped_release>(),
      "Reads a profile: the file, or the directory that holds profile.pop");
}
