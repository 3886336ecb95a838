#pragma once

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <random>
#include <string>
#include <vector>

namespace copse::test {

using Shape = std::vector<std::size_t>;
using Values = std::vector<double>;

inline std::size_t elementsOf(const Shape &shape) {
  std::size_t n = 1;
  for (const std::size_t dim : shape)
    n *= dim;
  return n;
}

/// Returns the nearest number that a type has.
inline double rounded(const poplar::Type &type, double x) {
  if (type == poplar::HALF)
    return static_cast<double>(static_cast<float>(poplar::IeeeHalf(static_cast<float>(x))));
  return type == poplar::FLOAT ? static_cast<double>(static_cast<float>(x)) : std::floor(x);
}

/// A machine for tests of operations. It has few tiles, so that compiling and running take little
/// time.
enum class Machine { Cpu, Model, TwoIpuModel, Ipu, TwoIpus };

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
  case Machine::TwoIpus:
    return "two_ipus";
  }
  return "?";
}

inline poplar::Device deviceOf(Machine machine, unsigned tiles = 8) {
  if (machine == Machine::Cpu)
    return poplar::Device::createCPUDevice();
  if (machine == Machine::Ipu || machine == Machine::TwoIpus) {
    const unsigned ipus = machine == Machine::Ipu ? 1 : 2;
    for (poplar::Device &device : poplar::DeviceManager().getDevices(poplar::TargetType::IPU, ipus))
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

/// A graph whose inputs and results are doubles.
///
/// Make inputs, add the operation to prog, name its results, run() once, read results.
class OperationRun {
public:
  explicit OperationRun(Machine machine, unsigned tiles = 8)
      : device(deviceOf(machine, tiles)), graph(device.getTarget()) {}

  /// Spreads elements over tiles, depending on a seed, in runs of up to \p longestRun.
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

  /// Returns a variable that is spread over all tiles.
  poplar::Tensor variable(const poplar::Type &type, const Shape &shape,
                          std::size_t longestRun = 5) {
    const poplar::Tensor t = graph.addVariable(type, shape, "variable");
    scatter(t, ++variables_, longestRun);
    return t;
  }
  poplar::Tensor input(const poplar::Type &type, const Shape &shape, const Values &values,
                       unsigned seed = 1) {
    const poplar::Tensor t = graph.addVariable(type, shape, "input");
    scatter(t, seed);
    initialise(t, values);
    return t;
  }
  /// Makes the host write \p t at the start.
  void initialise(const poplar::Tensor &t, const Values &values) {
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
  /// \returns the name by which it can be read
  std::string output(const poplar::Tensor &t) {
    const std::string name = "output " + std::to_string(outputs_.size());
    output(name, t);
    return name;
  }

  void run(const poplar::OptionFlags &options = {}) {
    engine_.emplace(graph, prog, options);
    engine_->load(device);
    engine_->run(0);
  }
  poplar::Engine &engine() { return *engine_; }

  Values read(const std::string &name) {
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

  template <typename T> Values readAs(const Output &output) {
    std::vector<T> values(output.elements);
    engine_->readTensor(output.name, values.data(), values.data() + values.size());
    return Values(values.begin(), values.end());
  }
  Values read(const Output &output) {
    if (output.type == poplar::HALF) {
      const poplar::Target &target = graph.getTarget();
      std::vector<char> bytes(output.elements * target.getTypeSize(poplar::HALF));
      engine_->readTensor(output.name, bytes.data(), bytes.data() + bytes.size());
      Values values(output.elements);
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
  unsigned variables_ = 0;
};

/// Returns numbers that \p type has, from \p low to \p high.
inline Values randomValues(std::mt19937 &random, const poplar::Type &type, std::size_t n,
                           double low = -1, double high = 1) {
  Values values(n);
  for (double &value : values)
    value = rounded(type, low + (high - low) * (random() / 4294967296.0));
  return values;
}
/// Returns the same numbers for the same seed; FLOAT, or INT if \p whole.
inline Values randomValues(std::size_t n, double low, double high, unsigned seed,
                           bool whole = false) {
  std::mt19937 random(seed);
  return randomValues(random, whole ? poplar::INT : poplar::FLOAT, n, low, high);
}

/// Passes if values are close by relative or absolute difference; NaN is accepted only where it is
/// expected.
inline ::testing::AssertionResult areClose(const Values &got, const Values &expected,
                                           double relative, double absolute = 1e-6) {
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
