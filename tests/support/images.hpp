#pragma once

#include "wire/image.hpp"

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

/// Small images, written by hand.
namespace copse::test {

inline constexpr std::uint32_t kMemoryBase = 0x4C000;
inline constexpr std::uint32_t kWord = kMemoryBase + 0x100;   ///< where the tests' data begin
inline constexpr std::uint32_t kState = kMemoryBase + 0x4000; ///< where vertex states begin

inline wire::Step step(wire::Op op, std::uint32_t index = 0) {
  wire::Step one;
  one.op = op;
  one.index = index;
  return one;
}

/// Repeats the following \p body steps \p count times.
inline wire::Step repeat(std::uint32_t count, std::uint32_t body) {
  wire::Step one = step(wire::Op::Repeat);
  one.count = count;
  one.body = body;
  return one;
}

/// An image of two tiles that uses one module of codelets.
class ImageWriter {
public:
  explicit ImageWriter(const wire::ModuleRef &module, std::uint32_t ipu = 0,
                       std::uint32_t ipusPerReplica = 1) {
    image.ipu = ipu;
    image.ipusPerReplica = ipusPerReplica;
    image.geometry.tiles = 2;
    image.geometry.memoryBase = kMemoryBase;
    image.geometry.memoryBytes = 0x9C000;
    image.modules.push_back(module);
  }

  static wire::Region words(std::uint32_t address, std::uint32_t count) {
    return {0, address, 4 * count, 1, 0};
  }

  /// Returns a view of `count` words at `address` of tile 0, which are words [first, first + count)
  /// of a row of `all` words.
  static wire::HostView part(std::uint32_t address, std::uint32_t count, std::uint32_t first,
                             std::uint32_t all) {
    wire::HostView view;
    view.rowBytes = 4 * all;
    view.bytes = 4 * count;
    if (count > 0) {
      view.regions.push_back(words(address, count));
      view.pieces.push_back({4 * first, 4 * count});
    }
    return view;
  }
  static wire::HostView row(std::uint32_t address, std::uint32_t count) {
    return part(address, count, 0, count);
  }

  /// Adds a compute set of one vertex of codelet `symbol` on tile 0, whose state is `state`.
  wire::Step vertex(const std::string &symbol, std::initializer_list<std::uint32_t> state) {
    image.functions.push_back({0, symbol, symbol, false});
    const auto address = kState + 0x40 * static_cast<std::uint32_t>(image.computeSets.size());
    wire::ComputeSet set;
    set.name = "run " + symbol;
    set.tiles.push_back({0, 0, 1});
    set.vertices.push_back({address, static_cast<std::uint32_t>(image.functions.size() - 1), 10});
    image.computeSets.push_back(set);
    image.initial.push_back(
        {words(address, static_cast<std::uint32_t>(state.size())), image.data.size()});
    const auto *bytes = reinterpret_cast<const std::byte *>(state.begin());
    image.data.insert(image.data.end(), bytes, bytes + 4 * state.size());
    return step(wire::Op::ComputeSet, static_cast<std::uint32_t>(image.computeSets.size() - 1));
  }

  wire::Step transfer(std::uint32_t stream, wire::Direction direction, const wire::HostView &view) {
    wire::HostExchange exchange;
    exchange.name = "stream " + std::to_string(stream);
    exchange.transfers.push_back({stream, direction, view});
    (direction == wire::Direction::ToDevice ? exchange.replicaBytesToDevice
                                            : exchange.replicaBytesToHost) = view.rowBytes;
    image.hostExchanges.push_back(exchange);
    return step(wire::Op::HostExchange, static_cast<std::uint32_t>(image.hostExchanges.size() - 1));
  }

  void program(const std::vector<wire::Step> &steps) {
    image.programs.push_back(
        {static_cast<std::uint32_t>(image.steps.size()), static_cast<std::uint32_t>(steps.size())});
    image.steps.insert(image.steps.end(), steps.begin(), steps.end());
  }

  /// Returns a copy of the image in its present state, for session::Program::images.
  std::shared_ptr<const wire::Image> shared() const {
    return std::make_shared<const wire::Image>(image);
  }

  wire::Image image;
};

} // namespace copse::test
