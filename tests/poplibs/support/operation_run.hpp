#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <random>
#include <string>
#include <vector>

namespace copse::test {

/// What an operation is tried on. Few tiles, so that compiling and running takes no time.
enum class Machine { Cpu, Model, TwoIpuModel, Ipu };

inline std::string machineName(Machine machine) {
  switch (machine) {
  case Machine::Cpu:
    return "cpu";
  case Machine::Model:
    return "model";
  case Machine::TwoIpuModel:
    return "two_ipu_model";
  case Machine::Ipu:
    return "ipu";
  }
  return "?";
}

inline poplar::Device deviceOf(Machine machine, unsigned tiles = 8) {
  if (machine == Machine::Cpu)
    return poplar::Device::createCPUDevice();
  if (machine == Machine::Ipu) {
    for (poplar::Device &device : poplar::DeviceManager().getDevices(poplar::TargetType::IPU, 1))
      if (device.attach())
        return std::move(device);
    ADD_FAILURE() << "no device is free";
    return {};
  }
  poplar::IPUModel model;
  model.numIPUs = machine == Machine::TwoIpuModel ? 2 : 1;
  model.tilesPerIPU = tiles;
  return model.createDevice();
}

/// A graph whose inputs are given as doubles and whose results are read as doubles.
///
/// Make inputs, add the operation to prog, name its results, run() once, read results.
class OperationRun {
public:
  explicit OperationRun(Machine machine, unsigned tiles = 8)
      : device(deviceOf(machine, tiles)), graph(device.getTarget()) {}

  /// Elements lie on tiles as a seed says, in runs of up to \p longestRun.
  void scatter(const poplar::Tensor &t, unsigned seed, std::size_t longestRun = 5) {
    std::mt19937 random(seed);
    const poplar::Tensor flat = t.flatten();
    for (std::size_t i = 0; i < flat.numElements();) {
      const std::size_t n =
          std::min<std::size_t>(1 + random() % longestRun, flat.numElements() - i);
      graph.setTileMapping(flat.slice(i, i + n),
                           static_cast<unsigned>(random() % graph.getTarget().getNumTiles()));
      i += n;
    }
  }

  poplar::Tensor input(const poplar::Type &type, std::vector<std::size_t> shape,
                       const std::vector<double> &values, unsigned seed = 1) {
    const poplar::Tensor t = graph.addVariable(type, shape, "input");
    scatter(t, seed);
    initialise(t, values);
    return t;
  }
  /// \p t is as the host wrote it at the start.
  void initialise(const poplar::Tensor &t, const std::vector<double> &values) {
    const poplar::Type type = t.elementType();
    if (type == poplar::FLOAT || type == poplar::HALF) {
      const std::vector<float> floats(values.begin(), values.end());
      graph.setInitialValue(t, poplar::ArrayRef<float>(floats));
    } else if (type == poplar::UNSIGNED_INT) {
      std::vector<unsigned> integers;
      for (const double value : values)
        integers.push_back(static_cast<unsigned>(static_cast<std::int64_t>(value)));
      graph.setInitialValue(t, poplar::ArrayRef<unsigned>(integers));
    } else if (type == poplar::BOOL) {
      const std::vector<char> bools(values.begin(), values.end());
      for (std::size_t i = 0; i != bools.size(); ++i)
        graph.setInitialValue(t.flatten()[i], bools[i] != 0);
    } else {
      const std::vector<int> integers(values.begin(), values.end());
      graph.setInitialValue(t, poplar::ArrayRef<int>(integers));
    }
  }

  void output(const std::string &name, const poplar::Tensor &t) {
    graph.createHostRead(name, t);
    outputs_.push_back({name, t.elementType(), t.numElements()});
  }

  void run(const poplar::OptionFlags &options = {}) {
    engine_.emplace(graph, prog, options);
    engine_->load(device);
    engine_->run(0);
  }
  poplar::Engine &engine() { return *engine_; }

  std::vector<double> read(const std::string &name) {
    for (const Output &output : outputs_)
      if (output.name == name)
        return read(output);
    ADD_FAILURE() << "no output " << name;
    return {};
  }

  poplar::Device device;
  poplar::Graph graph;
  poplar::program::Sequence prog;

private:
  struct Output {
    std::string name;
    poplar::Type type;
    std::size_t elements;
  };

  template <typename T> std::vector<double> readAs(const Output &output) {
    std::vector<T> values(output.elements);
    engine_->readTensor(output.name, values.data(), values.data() + values.size());
    return std::vector<double>(values.begin(), values.end());
  }
  std::vector<double> read(const Output &output) {
    if (output.type == poplar::HALF) {
      const poplar::Target &target = graph.getTarget();
      std::vector<char> bytes(output.elements * target.getTypeSize(poplar::HALF));
      engine_->readTensor(output.name, bytes.data(), bytes.data() + bytes.size());
      std::vector<double> values(output.elements);
      poplar::copyDeviceHalfToDouble(target, bytes.data(), values.data(), output.elements);
      return values;
    }
    if (output.type == poplar::FLOAT)
      return readAs<float>(output);
    if (output.type == poplar::INT)
      return readAs<int>(output);
    if (output.type == poplar::UNSIGNED_INT)
      return readAs<unsigned>(output);
    if (output.type == poplar::SHORT)
      return readAs<short>(output);
    if (output.type == poplar::UNSIGNED_SHORT)
      return readAs<unsigned short>(output);
    if (output.type == poplar::UNSIGNED_CHAR || output.type == poplar::BOOL)
      return readAs<unsigned char>(output);
    return readAs<signed char>(output);
  }

  std::optional<poplar::Engine> engine_;
  std::vector<Output> outputs_;
};

/// Values in [low, high), the same for the same seed; whole ones if \p whole.
inline std::vector<double> randomValues(std::size_t n, double low, double high, unsigned seed,
                                        bool whole = false) {
  std::mt19937 random(seed);
  std::vector<double> values(n);
  for (double &value : values) {
    value = low + (high - low) * (random() / 4294967296.0);
    value = whole ? std::floor(value) : static_cast<double>(static_cast<float>(value));
  }
  return values;
}

/// Passes if values are close by relative or absolute difference; NaN only where it is expected.
inline ::testing::AssertionResult areClose(const std::vector<double> &got,
                                           const std::vector<double> &expected, double relative,
                                           double absolute = 1e-6) {
  if (got.size() != expected.size())
    return ::testing::AssertionFailure() << got.size() << " values instead of " << expected.size();
  for (std::size_t i = 0; i != got.size(); ++i) {
    const double difference = std::fabs(got[i] - expected[i]);
    const bool bothNaN = std::isnan(got[i]) && std::isnan(expected[i]);
    if (!bothNaN && got[i] != expected[i] && !(difference <= absolute) &&
        !(difference <= relative * std::fabs(expected[i])))
      return ::testing::AssertionFailure() << "element " << i << " of " << got.size() << " is "
                                           << got[i] << " instead of " << expected[i];
  }
  return ::testing::AssertionSuccess();
}

} // namespace copse::test
