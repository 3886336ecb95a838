#pragma once

#include "devices.hpp"

#include <functional>
#include <memory>
#include <numeric>
#include <sstream>
#include <utility>

namespace copse::test {

/// A table of what a public header documents. Each row adds a program of its own to one graph; all
/// are compiled into one engine, and then run and checked one after another, on every kind of
/// device.
class ContractTable : public OnEveryDevice {
public:
  using Graph = poplar::Graph;
  using Tensor = poplar::Tensor;
  using Program = poplar::program::Program;

  /// What a row runs, and what must hold then. A check that does nothing runs the program only.
  struct Case {
    Program program;
    std::function<void(ContractTable &)> check;
  };
  struct Row {
    const char *behaviour;
    Case (*build)(ContractTable &);
  };

  /// Builds, compiles, loads, runs and checks all rows.
  template <std::size_t N> void holds(const Row (&rows)[N], const char *codelets) {
    std::stringstream source(codelets);
    graph_.addCodelets(source);
    std::vector<Program> programs;
    std::vector<Case> cases;
    for (const Row &row : rows) {
      SCOPED_TRACE(row.behaviour);
      cases.push_back(row.build(*this));
      programs.push_back(cases.back().program);
    }
    engine_ = std::make_unique<poplar::Engine>(graph_, programs);
    engine_->setPrintStream(printed_);
    engine_->load(device_);
    for (unsigned i = 0; i < N; ++i) {
      SCOPED_TRACE(rows[i].behaviour);
      printed_.str("");
      engine_->run(i);
      if (cases[i].check)
        cases[i].check(*this);
    }
  }

  // For rows.

  Graph &graph() { return graph_; }
  poplar::Device &device() { return device_; }
  poplar::Engine &engine() { return *engine_; }
  /// What the row's program has printed.
  std::string printed() const { return printed_.str(); }

  /// A variable over all IPUs, one element after another.
  Tensor over(const poplar::Type &type, std::vector<std::size_t> shape, unsigned first = 0) {
    return variable(type, std::move(shape), "v" + std::to_string(nextName_++), first);
  }
  /// The same with values 0, 1, 2, ...
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
  /// The check that \p t holds \p values then.
  template <class T>
  std::function<void(ContractTable &)> becomes(const Tensor &t, std::vector<T> values) {
    return [handle = readable(t), values = std::move(values)](ContractTable &table) {
      EXPECT_EQ(table.valuesOf<T>(handle, values.size()), values);
    };
  }

private:
  std::unique_ptr<poplar::Engine> engine_;
  std::ostringstream printed_;
  unsigned nextName_ = 0;
};

} // namespace copse::test
