#pragma once

#include <gmock/gmock.h>

#include <cctype>
#include <cstddef>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <string>
#include <tuple>
#include <vector>

namespace copse::test {

/// A kind of device and a number of IPUs.
struct DeviceKind {
  const char *name;
  poplar::TargetType type;
  unsigned ipus;
};

inline const DeviceKind kDevices[] = {
    {"Cpu1", poplar::TargetType::CPU, 1},         {"Cpu2", poplar::TargetType::CPU, 2},
    {"Model1", poplar::TargetType::IPU_MODEL, 1}, {"Model4", poplar::TargetType::IPU_MODEL, 4},
    {"Ipu1", poplar::TargetType::IPU, 1},         {"Ipu2", poplar::TargetType::IPU, 2},
    {"Ipu4", poplar::TargetType::IPU, 4},
};

/// A model and an IPU, for behaviour that both have and a CPU device has not.
inline const DeviceKind kModelAndIpu[] = {{"Model1", poplar::TargetType::IPU_MODEL, 1},
                                          {"Ipu1", poplar::TargetType::IPU, 1}};
inline const DeviceKind kModelAndTwoIpus[] = {{"Model1", poplar::TargetType::IPU_MODEL, 1},
                                              {"Ipu2", poplar::TargetType::IPU, 2}};

inline poplar::Device attach(poplar::TargetType type, unsigned ipus) {
  auto devices = poplar::DeviceManager().getDevices(type, ipus);
  EXPECT_FALSE(devices.empty());
  for (poplar::Device &device : devices)
    if (device.attach())
      return std::move(device);
  ADD_FAILURE() << "no device of " << ipus << " IPUs is free";
  return {};
}

/// A device of one kind, and a graph for it.
class OnDevice : public ::testing::Test {
protected:
  explicit OnDevice(const DeviceKind &kind)
      : device_(attach(kind.type, kind.ipus)), graph_(device_) {}

  /// Spreads a tensor's elements over the first tile of each IPU, one after another.
  void spread(const poplar::Tensor &t, unsigned first = 0) {
    const poplar::Target &target = graph_.getTarget();
    const poplar::Tensor flat = t.flatten();
    for (std::size_t i = 0; i < flat.numElements(); ++i)
      graph_.setTileMapping(flat[i], (first + i) % target.getNumIPUs() * target.getTilesPerIPU());
  }
  poplar::Tensor variable(const poplar::Type &type, std::vector<std::size_t> shape,
                          const std::string &name, unsigned first = 0) {
    const poplar::Tensor t = graph_.addVariable(type, shape, name);
    spread(t, first);
    return t;
  }
  /// Adds a variable that the host can write and read by its name.
  poplar::Tensor hostVariable(const poplar::Type &type, std::vector<std::size_t> shape,
                              const std::string &name, unsigned first = 0) {
    const poplar::Tensor t = variable(type, shape, name, first);
    graph_.createHostWrite(name, t);
    graph_.createHostRead(name, t);
    return t;
  }
  poplar::Engine load(const poplar::program::Program &program,
                      const poplar::OptionFlags &options = {}) {
    poplar::Engine engine(graph_, program, options);
    engine.load(device_);
    return engine;
  }
  template <class T> std::vector<T> read(poplar::Engine &engine, const char *name, std::size_t n) {
    std::vector<T> values(n);
    engine.readTensor(name, values.data(), values.data() + n);
    return values;
  }
  template <class T>
  void write(poplar::Engine &engine, const char *name, const std::vector<T> &values) {
    engine.writeTensor(name, values.data(), values.data() + values.size());
  }

  poplar::Device device_;
  poplar::Graph graph_;
};

/// Runs one behaviour on every kind of device.
class OnEveryDevice : public OnDevice, public ::testing::WithParamInterface<DeviceKind> {
protected:
  OnEveryDevice() : OnDevice(GetParam()) {}
};

inline std::string deviceName(const ::testing::TestParamInfo<DeviceKind> &info) {
  return info.param.name;
}

/// A row of a table, on one kind of device. A row begins with its behaviour in words.
template <class Row> using RowOnDevice = std::tuple<DeviceKind, Row>;

template <class Row, std::size_t N> auto onEveryDevice(const Row (&rows)[N]) {
  return ::testing::Combine(::testing::ValuesIn(kDevices), ::testing::ValuesIn(rows));
}

/// Returns a name like "Ipu1AResetDeviceRunsPrograms": a kind of device, and the words of a
/// behaviour.
template <class Row> std::string rowName(const ::testing::TestParamInfo<RowOnDevice<Row>> &info) {
  std::string name = std::get<0>(info.param).name;
  bool isFirst = true; // first letter of a word
  for (const char *c = std::get<1>(info.param).behaviour; *c != 0; ++c) {
    const auto letter = static_cast<unsigned char>(*c);
    if (std::isalnum(letter) != 0)
      name += static_cast<char>(isFirst ? std::toupper(letter) : letter);
    isFirst = *c == ' ';
  }
  return name;
}

} // namespace copse::test
