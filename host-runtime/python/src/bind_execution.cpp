#include "bindings.hpp"
#include "sequence.hpp"

#include <cstdint>
#include <pva/pva.hpp>

namespace copse::python {
namespace {

namespace py = pybind11;

void bindSteps(py::module_ &module) {
  using pva::ComputeSetRun, pva::ExecutionStep;
  py::class_<ComputeSetRun>(module, "ComputeSetRun")
      .def_property_readonly("name", &ComputeSetRun::name)
      .def_property_readonly("cyclesByTile",
                             [](const ComputeSetRun &run) { return listOf(run.cyclesByTile()); })
      .def_property_readonly("estimatedCyclesByTile", [](const ComputeSetRun &run) {
        return listOf(run.estimatedCyclesByTile());
      });
  bindSequence<ComputeSetRun>(module, "ComputeSetRunSequence");
  py::class_<pva::IPUStep>(module, "IPUStep")
      .def_property_readonly("cycles", &pva::IPUStep::cycles)
      .def_property_readonly("cyclesFrom", &pva::IPUStep::cyclesFrom)
      .def_property_readonly("cyclesTo", &pva::IPUStep::cyclesTo);
  bindSequence<pva::IPUStep>(module, "IPUStepSequence");
  py::class_<ExecutionStep>(module, "ExecutionStep")
      .def_property_readonly("ipus", &ExecutionStep::ipus)
      .def_property_readonly("computeSets", &ExecutionStep::computeSets)
      .def_property_readonly("program", &ExecutionStep::program)
      .def_property_readonly("cycles", &ExecutionStep::cycles)
      .def_property_readonly("cyclesByTile",
                             [](const ExecutionStep &step) { return listOf(step.cyclesByTile()); })
      .def_property_readonly("cyclesFrom", &ExecutionStep::cyclesFrom)
      .def_property_readonly("cyclesTo", &ExecutionStep::cyclesTo);
  bindSequence<ExecutionStep>(module, "ExecutionStepSequence");
}

void bindBlocks(py::module_ &module) {
  py::class_<pva::Block>(module, "Block")
      .def_property_readonly("cyclesFrom", &pva::Block::cyclesFrom)
      .def_property_readonly("cyclesTo", &pva::Block::cyclesTo)
      .def_property_readonly("tile", &pva::Block::tile)
      .def_property_readonly("isStreamCopy", &pva::Block::isStreamCopy)
      .def_property_readonly("isCommon", &pva::Block::isCommon)
      .def_property_readonly("isOverflow", &pva::Block::isOverflow)
      .def_property_readonly("isBlockFlush", &pva::Block::isBlockFlush)
      .def_property_readonly("program", &pva::Block::program);
  bindSequence<pva::Block>(module, "BlockSequence");
}

} // namespace

void bindExecution(py::module_ &module) {
  bindSteps(module);
  bindBlocks(module);
  py::class_<pva::Run>(module, "Run")
      .def_property_readonly("name", &pva::Run::name)
      .def_property_readonly("steps", &pva::Run::steps)
      .def_property_readonly("cycles", &pva::Run::cycles)
      .def_property_readonly("microseconds", &pva::Run::microseconds);
  bindSequence<pva::Run>(module, "RunSequence");
  py::class_<pva::Execution>(module, "Execution")
      .def_property_readonly("runs", &pva::Execution::runs)
      .def_property_readonly("steps", &pva::Execution::steps)
      .def("blocks", &pva::Execution::blocks, py::arg("tile"));
}

} // namespace copse::python
