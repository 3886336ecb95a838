#pragma once

#include "operation_run.hpp"

#include <cstring>
#include <gcl/Collectives.hpp>
#include <map>
#include <optional>

namespace copse::test {

/// A partition on which collectives run.
struct Partition {
  poplar::TargetType type = poplar::TargetType::IPU_MODEL;
  unsigned replicas = 1, ipusPerReplica = 1;
};

inline poplar::Device deviceOf(const Partition &partition, unsigned tiles = 4) {
  const unsigned ipus = partition.replicas * partition.ipusPerReplica;
  if (partition.type == poplar::TargetType::IPU_MODEL) {
    poplar::IPUModel model;
    model.numIPUs = ipus;
    model.tilesPerIPU = tiles;
    return model.createDevice();
  }
  for (poplar::Device &device : poplar::DeviceManager().getDevices(partition.type, ipus))
    if (device.attach())
      return std::move(device);
  ADD_FAILURE() << "no device of " << ipus << " IPUs is free";
  return {};
}

/// A replicated graph. The inputs and outputs of each replica are doubles.
class ReplicatedRun {
public:
  using Values = std::vector<std::vector<double>>; ///< [replica][element]

  explicit ReplicatedRun(const Partition &partition, unsigned tiles = 4)
      : replicas(partition.replicas), device(deviceOf(partition, tiles)),
        graph(device, poplar::replication_factor(partition.replicas)) {}

  /// Adds a tensor whose elements are spread over the first tiles of each IPU, depending on a seed.
  poplar::Tensor input(const poplar::Type &type, const std::vector<std::size_t> &shape,
                       const Values &values, unsigned seed = 1) {
    const poplar::Tensor t = graph.addVariable(type, shape, "input");
    scatter(t, seed);
    const std::string name = "in" + std::to_string(inputs_.size());
    graph.createHostWrite(name, t);
    inputs_.push_back({name, type, values});
    return t;
  }
  void scatter(const poplar::Tensor &t, unsigned seed) {
    std::mt19937 random(seed);
    const poplar::Tensor flat = t.flatten();
    for (std::size_t i = 0; i < flat.numElements();) {
      const std::size_t n = std::min<std::size_t>(1 + random() % 9, flat.numElements() - i);
      const poplar::Target &target = graph.getTarget();
      const unsigned ipu = random() % target.getNumIPUs();
      const unsigned tile = random() % std::min(kTiles, target.getTilesPerIPU());
      graph.setTileMapping(flat.slice(i, i + n), ipu * target.getTilesPerIPU() + tile);
      i += n;
    }
  }
  void output(const std::string &name, const poplar::Tensor &t) {
    if (t.numElements() == 0)
      return;
    graph.createHostRead(name, t);
    outputs_[name] = t;
  }

  void run() {
    prepare();
    engine_->run(0);
  }
  /// Loads the program and writes the inputs.
  void prepare() {
    engine_.emplace(graph, prog);
    engine_->load(device);
    for (const Input &input : inputs_)
      write(input);
  }
  poplar::Engine &engine() { return *engine_; }

  /// \returns the bytes of each replica's tensor
  std::vector<std::vector<char>> bytes(const std::string &name) {
    const poplar::Tensor &t = outputs_.at(name);
    const std::size_t each = t.numElements() * sizeOf(t.elementType());
    std::vector<char> all(each * replicas);
    engine_->readTensor(name, all.data(), all.data() + all.size());
    std::vector<std::vector<char>> split;
    for (unsigned r = 0; r < replicas; ++r)
      split.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(r * each),
                         all.begin() + static_cast<std::ptrdiff_t>((r + 1) * each));
    return split;
  }
  Values read(const std::string &name) {
    if (!outputs_.count(name))
      return Values(replicas);
    Values values;
    for (const std::vector<char> &raw : bytes(name))
      values.push_back(numbers(outputs_.at(name).elementType(), raw));
    return values;
  }

  unsigned replicas;
  poplar::Device device;
  poplar::Graph graph;
  poplar::program::Sequence prog;

private:
  static constexpr unsigned kTiles = 4;

  struct Input {
    std::string name;
    poplar::Type type;
    Values values;
  };

  std::size_t sizeOf(const poplar::Type &type) const { return graph.getTarget().getTypeSize(type); }

  template <typename T>
  static void append(std::vector<char> &bytes, const std::vector<double> &values) {
    for (const double value : values) {
      const T number = static_cast<T>(value);
      const char *const raw = reinterpret_cast<const char *>(&number);
      bytes.insert(bytes.end(), raw, raw + sizeof number);
    }
  }
  void write(const Input &input) {
    std::vector<char> bytes;
    for (const std::vector<double> &values : input.values)
      if (input.type == poplar::HALF) {
        std::vector<char> halves(values.size() * sizeOf(poplar::HALF));
        poplar::copyDoubleToDeviceHalf(graph.getTarget(), values.data(), halves.data(),
                                       values.size());
        bytes.insert(bytes.end(), halves.begin(), halves.end());
      } else if (input.type == poplar::FLOAT)
        append<float>(bytes, values);
      else if (input.type == poplar::INT)
        append<int>(bytes, values);
      else if (input.type == poplar::UNSIGNED_INT)
        append<unsigned>(bytes, values);
      else if (input.type == poplar::SHORT)
        append<short>(bytes, values);
      else if (input.type == poplar::UNSIGNED_SHORT)
        append<unsigned short>(bytes, values);
      else if (input.type == poplar::SIGNED_CHAR)
        append<signed char>(bytes, values);
      else
        append<unsigned char>(bytes, values);
    if (!bytes.empty())
      engine_->writeTensor(input.name, bytes.data(), bytes.data() + bytes.size());
  }
  template <typename T> static std::vector<double> as(const std::vector<char> &raw) {
    std::vector<double> values(raw.size() / sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
      T number;
      std::memcpy(&number, raw.data() + i * sizeof(T), sizeof(T));
      values[i] = static_cast<double>(number);
    }
    return values;
  }
  std::vector<double> numbers(const poplar::Type &type, const std::vector<char> &raw) const {
    if (type == poplar::HALF) {
      std::vector<double> values(raw.size() / sizeOf(type));
      poplar::copyDeviceHalfToDouble(graph.getTarget(), raw.data(), values.data(), values.size());
      return values;
    }
    if (type == poplar::FLOAT)
      return as<float>(raw);
    if (type == poplar::INT)
      return as<int>(raw);
    if (type == poplar::UNSIGNED_INT)
      return as<unsigned>(raw);
    if (type == poplar::SHORT)
      return as<short>(raw);
    if (type == poplar::UNSIGNED_SHORT)
      return as<unsigned short>(raw);
    if (type == poplar::SIGNED_CHAR)
      return as<signed char>(raw);
    return as<unsigned char>(raw);
  }

  std::vector<Input> inputs_;
  std::map<std::string, poplar::Tensor> outputs_;
  std::optional<poplar::Engine> engine_;
};

} // namespace copse::test
