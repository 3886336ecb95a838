#pragma once

#include "devices.hpp"

#include <functional>
#include <memory>
#include <numeric>
#include <sstream>
#include <utility>

namespace copse::test {

/// A row of a table of what a public header documents, on one kind of device. A row adds a program
/// to a graph, which is compiled, run and checked.
class ContractTable : public OnDevice {
public:
  using Graph = poplar::Graph;
  using Tensor = poplar::Tensor;
  using Program = poplar::program::Program;

  /// The program of a row, and the checks after its run. A check that does nothing only runs the
  /// program.
  struct Case {
    Program program;
    std::function<void(ContractTable &)> check;
  };
  struct Row {
    const char *behaviour;
    Case (*build)(ContractTable &);
  };

  void holds(const Row &row, const char *codelets) {
    std::stringstream source(codelets);
    graph_.addCodelets(source);
    const Case one = row.build(*this);
    engine_ = std::make_unique<poplar::Engine>(graph_, one.program);
    engine_->setPrintStream(printed_);
    engine_->load(device_);
    engine_->run();
    if (one.check)
      one.check(*this);
  }

  // For rows:

  Graph &graph() { return graph_; }
  poplar::Device &device() { return device_; }
  poplar::Engine &engine() { return *engine_; }
  /// Returns the text that the row's program has printed.
  std::string printed() const { return printed_.str(); }

  /// Returns a variable over all IPUs, one element after another.
  Tensor over(const poplar::Type &type, std::vector<std::size_t> shape, unsigned first = 0) {
    return variable(type, std::move(shape), "v" + std::to_string(nextName_++), first);
  }
  /// Returns such a variable with values 0, 1, 2, ...
  Tensor counted(const poplar::Type &type, std::vector<std::size_t> shape) {
    const Tensor t = over(type, std::move(shape));
    std::vector<int> values(t.numElements());
    std::iota(values.begin(), values.end(), 0);
    graph_.setInitialValue(t, values);
    return t;
  }
  template <class T> Tensor constant(const poplar::Type &type, T value) {
    return mapped(graph_.addConstant(type, {}, value));
  }
  Tensor mapped(const Tensor &t, unsigned first = 0) {
    spread(t, first);
    return t;
  }
  /// Lets the host read \p t.
  /// \returns how to read it, in a check
  std::string readable(const Tensor &t) {
    const std::string handle = "h" + std::to_string(nextName_++);
    graph_.createHostRead(handle, t);
    return handle;
  }
  template <class T = int> std::vector<T> valuesOf(const std::string &handle, std::size_t n) {
    return read<T>(*engine_, handle.c_str(), n);
  }
  /// Returns a check that \p t holds \p values after the run.
  template <class T>
  std::function<void(ContractTable &)> becomes(const Tensor &t, std::vector<T> values) {
    return [handle = readable(t), values = std::move(values)](ContractTable &table) {
      EXPECT_EQ(table.valuesOf<T>(handle, values.size()), values);
    };
  }

protected:
  using OnDevice::OnDevice;

private:
  std::unique_ptr<poplar::Engine> engine_;
  std::ostringstream printed_;
  unsigned nextName_ = 0;
};

/// Runs each row of a table on each kind of device.
template <class R>
class ContractRow : public ContractTable, public ::testing::WithParamInterface<RowOnDevice<R>> {
protected:
  ContractRow() : ContractTable(std::get<0>(this->GetParam())) {}
  const R &row() const { return std::get<1>(this->GetParam()); }
};

} // namespace copse::test
