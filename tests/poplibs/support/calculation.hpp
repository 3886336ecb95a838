#pragma once

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/Program.hpp>
#include <random>
#include <string>
#include <vector>

/// Operations on small devices, with data as doubles on the host.
namespace copse::test {

using Shape = std::vector<std::size_t>;
using Values = std::vector<double>;

inline std::size_t elementsOf(const Shape &shape) {
  std::size_t n = 1;
  for (const std::size_t dim : shape)
    n *= dim;
  return n;
}

struct SmallDevice {
  const char *name;
  unsigned ipus; ///< 0: the CPU
  unsigned tilesPerIpu;
};
inline const SmallDevice kCpu{"Cpu", 0, 1};
inline const SmallDevice kOneIpu{"OneIpu", 1, 12};
inline const SmallDevice kTwoIpus{"TwoIpus", 2, 7};

inline poplar::Device make(const SmallDevice &device) {
  if (device.ipus == 0)
    return poplar::Device::createCPUDevice();
  poplar::IPUModel model("ipu2");
  model.numIPUs = device.ipus;
  model.tilesPerIPU = device.tilesPerIpu;
  return model.createDevice();
}

/// The nearest number that a type has.
inline double rounded(const poplar::Type &type, double x) {
  if (type == poplar::HALF)
    return static_cast<double>(static_cast<float>(poplar::IeeeHalf(static_cast<float>(x))));
  return type == poplar::FLOAT ? static_cast<double>(static_cast<float>(x)) : std::trunc(x);
}

/// A graph with inputs and outputs by name; runs once and keeps the outputs.
class Calculation {
public:
  explicit Calculation(poplar::Device where) : device(std::move(where)), graph(device) {}
  explicit Calculation(const SmallDevice &small) : Calculation(make(small)) {}

  /// A variable spread over all tiles, in pieces that are no multiple of anything.
  poplar::Tensor variable(const poplar::Type &type, const Shape &shape, std::size_t piece = 5) {
    const poplar::Tensor t = graph.addVariable(type, shape, "t" + std::to_string(count_++));
    const poplar::Tensor flat = t.flatten();
    const unsigned tiles = graph.getTarget().getNumTiles();
    for (std::size_t i = 0; i < flat.numElements(); i += piece)
      graph.setTileMapping(flat.slice(i, std::min(i + piece, flat.numElements())),
                           static_cast<unsigned>(i / piece % tiles));
    return t;
  }
  /// Gives a tensor values before the program runs; they are rounded to its type.
  void set(const poplar::Tensor &t, const Values &values) {
    const std::string name = "in" + std::to_string(count_++);
    graph.createHostWrite(name, t);
    sets_.push_back({name, t.elementType(), values});
  }
  poplar::Tensor input(const poplar::Type &type, const Shape &shape, const Values &values,
                       std::size_t piece = 5) {
    const poplar::Tensor t = variable(type, shape, piece);
    set(t, values);
    return t;
  }
  /// \returns a number by which the values are asked for after the run
  std::size_t output(const poplar::Tensor &t) {
    const std::string name = "out" + std::to_string(count_++);
    graph.createHostRead(name, t);
    outputs_.push_back({name, t.elementType(), Values(t.numElements())});
    return outputs_.size() - 1;
  }

  void run(const poplar::OptionFlags &options = {}) {
    poplar::Engine engine(graph, prog, options);
    engine.load(device);
    for (const Data &data : sets_)
      write(engine, data);
    engine.run(0);
    for (Data &data : outputs_)
      read(engine, data);
  }
  const Values &result(std::size_t number) const { return outputs_.at(number).values; }

  poplar::Device device;
  poplar::Graph graph;
  poplar::program::Sequence prog;

private:
  struct Data {
    std::string name;
    poplar::Type type;
    Values values;
  };

  void write(poplar::Engine &engine, const Data &data) {
    const std::size_t n = data.values.size();
    if (data.type == poplar::HALF) {
      std::vector<char> bytes(n * graph.getTarget().getTypeSize(poplar::HALF));
      poplar::copyDoubleToDeviceHalf(graph.getTarget(), data.values.data(), bytes.data(), n);
      engine.writeTensor(data.name, bytes.data(), bytes.data() + bytes.size());
    } else if (data.type == poplar::FLOAT) {
      const std::vector<float> v(data.values.begin(), data.values.end());
      engine.writeTensor(data.name, v.data(), v.data() + n);
    } else {
      std::vector<std::int32_t> v;
      for (const double x : data.values)
        v.push_back(static_cast<std::int32_t>(static_cast<std::int64_t>(x)));
      engine.writeTensor(data.name, v.data(), v.data() + n);
    }
  }
  void read(poplar::Engine &engine, Data &data) {
    const std::size_t n = data.values.size();
    if (data.type == poplar::HALF) {
      std::vector<char> bytes(n * graph.getTarget().getTypeSize(poplar::HALF));
      engine.readTensor(data.name, bytes.data(), bytes.data() + bytes.size());
      poplar::copyDeviceHalfToDouble(graph.getTarget(), bytes.data(), data.values.data(), n);
    } else if (data.type == poplar::FLOAT) {
      std::vector<float> v(n);
      engine.readTensor(data.name, v.data(), v.data() + n);
      data.values.assign(v.begin(), v.end());
    } else if (data.type == poplar::INT) {
      std::vector<std::int32_t> v(n);
      engine.readTensor(data.name, v.data(), v.data() + n);
      data.values.assign(v.begin(), v.end());
    } else {
      std::vector<std::uint32_t> v(n);
      engine.readTensor(data.name, v.data(), v.data() + n);
      data.values.assign(v.begin(), v.end());
    }
  }

  std::vector<Data> sets_, outputs_;
  unsigned count_ = 0;
};

/// Numbers from -1 to 1 that \p type has.
inline Values randomValues(std::mt19937 &random, const poplar::Type &type, std::size_t n,
                           double low = -1, double high = 1) {
  std::uniform_real_distribution<double> uniform(low, high);
  Values values(n);
  for (double &x : values)
    x = rounded(type, uniform(random));
  return values;
}

/// Close relatively, or absolutely.
inline void expectClose(const Values &actual, const Values &expected, double relative,
                        double absolute) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i != actual.size(); ++i) {
    const double difference = std::fabs(actual[i] - expected[i]);
    const bool close =
        difference <= absolute ||
        difference <= relative * std::min(std::fabs(actual[i]), std::fabs(expected[i]));
    ASSERT_TRUE(close) << "element " << i << " is " << actual[i] << ", expected " << expected[i];
  }
}

} // namespace copse::test
