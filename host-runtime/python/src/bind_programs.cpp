#include "bindings.hpp"
#include "sequence.hpp"

#include <memory>
#include <pva/pva.hpp>

namespace copse::python {
namespace {

namespace py = pybind11;

/// Calls what a class of Python overrides.
class VisitorOfPython : public pva::ProgramVisitor {
public:
  void visitDoExchange(const pva::DoExchangeProgram &program) override {
    PYBIND11_OVERRIDE(void, pva::ProgramVisitor, visitDoExchange, program);
  }
  void visitOnTileExecute(const pva::OnTileExecuteProgram &program) override {
    PYBIND11_OVERRIDE(void, pva::ProgramVisitor, visitOnTileExecute, program);
  }
  void visitStreamCopy(const pva::StreamCopyProgram &program) override {
    PYBIND11_OVERRIDE(void, pva::ProgramVisitor, visitStreamCopy, program);
  }
  void visitOther(const pva::Program &program) override {
    PYBIND11_OVERRIDE(void, pva::ProgramVisitor, visitOther, program);
  }
};

template <class Program> auto bindProgram(py::module_ &module, const char *name) {
  return py::class_<Program, pva::Program, std::shared_ptr<Program>>(module, name)
      .def_property_readonly("vars", &Program::vars);
}

} // namespace

void bindPrograms(py::module_ &module) {
  using pva::Program;
  py::class_<Program, std::shared_ptr<Program>> program(module, "Program");
  py::enum_<Program::Type>(program, "Type")
      .value("Sequence", Program::Type::Sequence)
      .value("DoExchange", Program::Type::DoExchange)
      .value("GlobalExchange", Program::Type::GlobalExchange)
      .value("OnTileExecute", Program::Type::OnTileExecute)
      .value("StreamCopyBegin", Program::Type::StreamCopyBegin)
      .value("StreamCopyMid", Program::Type::StreamCopyMid)
      .value("StreamCopyEnd", Program::Type::StreamCopyEnd)
      .value("Sync", Program::Type::Sync)
      .value("Repeat", Program::Type::Repeat)
      .value("If", Program::Type::If)
      .value("Switch", Program::Type::Switch)
      .value("Call", Program::Type::Call)
      .value("Unknown", Program::Type::Unknown);

  using pva::ProgramVisitor;
  py::class_<ProgramVisitor, VisitorOfPython>(module, "ProgramVisitor")
      .def(py::init<>())
      .def("visitDoExchange", &ProgramVisitor::visitDoExchange)
      .def("visitOnTileExecute", &ProgramVisitor::visitOnTileExecute)
      .def("visitStreamCopy", &ProgramVisitor::visitStreamCopy)
      .def("visitOther", &ProgramVisitor::visitOther);

  program.def_property_readonly("type", &Program::type)
      .def_property_readonly("name", &Program::name)
      .def_property_readonly("debugContext", &Program::debugContext)
      .def_property_readonly("_id", &Program::_id)
      .def_property_readonly("children", &Program::children)
      .def_property_readonly("controlCodeByTile",
                             [](const Program &of) { return listOf(of.controlCodeByTile()); })
      .def_property_readonly("codeBytesByTile",
                             [](const Program &of) { return listOf(of.codeBytesByTile()); })
      .def("accept", &Program::accept);
  bindProgram<pva::DoExchangeProgram>(module, "DoExchangeProgram");
  bindProgram<pva::OnTileExecuteProgram>(module, "OnTileExecuteProgram")
      .def_property_readonly("computeset", &pva::OnTileExecuteProgram::computeset)
      .def_property_readonly("vertices", &pva::OnTileExecuteProgram::vertices);
  bindProgram<pva::StreamCopyProgram>(module, "StreamCopyProgram");
  bindSequence<std::shared_ptr<Program>>(module, "ProgramSequence");
}

} // namespace copse::python
