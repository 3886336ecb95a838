#include "initial_values.hpp"

#include <span>

namespace copse::compiler {
namespace {

/// Emits the values of constants and setInitialValue on the tiles that hold them.
class InitialValues {
public:
  InitialValues(const graph::Model &model, const Placement &placement,
                std::vector<wire::Image> &images)
      : model_(model), placement_(placement), images_(images) {}

  void emit(graph::VariableId id) {
    const graph::Variable &variable = model_.variables[id];
    for (const graph::InitialValue &value : variable.initial)
      emitMapped(id, value);
    if (variable.replicaIndex && variable.tiles.complete())
      emitReplicaIndex(id);
  }

private:
  wire::Image &imageOf(wire::Region &region) {
    wire::Image &image = images_[region.tile / model_.tilesPerIpu];
    region.tile %= model_.tilesPerIpu;
    return image;
  }

  /// Elements on no tile are unused and need no value.
  void emitMapped(graph::VariableId id, const graph::InitialValue &value) {
    const graph::Variable &variable = model_.variables[id];
    const std::uint32_t size = graph::elementBytes(model_, variable.type);
    const bool same = value.bytes.size() == size;
    const auto emitRun = [&](const graph::Run &run, std::uint64_t first) {
      std::vector<wire::Region> regions;
      placement_.locate({&run, 1}, "setInitialValue()", regions);
      if (same)
        emitRepeated(regions, value.bytes);
      else
        emitEach(regions, std::span(value.bytes).subspan(first * size));
    };
    if (value.count == 0)
      return;
    if (value.stride != 1)
      return emitRun({id, value.begin, value.count, value.stride}, 0);
    for (const auto &piece : variable.tiles.pieces(value.begin, value.begin + value.count))
      if (piece.tile != graph::kNoTile)
        emitRun({id, piece.begin, piece.end - piece.begin, 1}, piece.begin - value.begin);
  }

  static std::uint64_t append(wire::Image &image, std::span<const std::byte> bytes) {
    const std::uint64_t offset = image.data.size();
    image.data.insert(image.data.end(), bytes.begin(), bytes.end());
    return offset;
  }

  void emitRepeated(std::vector<wire::Region> &regions, std::span<const std::byte> value) {
    const auto size = static_cast<std::uint32_t>(value.size());
    for (wire::Region region : regions) {
      wire::Image &image = imageOf(region);
      if (region.bytes > size) { // a contiguous piece of several elements
        region.count = region.bytes / size;
        region.stride = static_cast<std::int32_t>(size);
        region.bytes = size;
      }
      image.initial.push_back({region, append(image, value)});
    }
  }

  void emitEach(std::vector<wire::Region> &regions, std::span<const std::byte> values) {
    std::size_t at = 0;
    for (wire::Region region : regions) {
      wire::Image &image = imageOf(region);
      for (std::uint32_t block = 0; block < region.count; ++block) {
        const auto address =
            static_cast<std::uint32_t>(region.address + std::int64_t{block} * region.stride);
        image.initial.push_back({{region.tile, address, region.bytes, 1, 0},
                                 append(image, values.subspan(at, region.bytes))});
        at += region.bytes;
      }
    }
  }

  void emitReplicaIndex(graph::VariableId id) {
    std::vector<wire::Region> regions;
    const graph::Run run{id, 0, 1, 1};
    placement_.locate({&run, 1}, "the replica index", regions);
    wire::Image &image = imageOf(regions.front());
    image.replicaIndices.push_back({regions.front().tile, regions.front().address});
  }

  const graph::Model &model_;
  const Placement &placement_;
  std::vector<wire::Image> &images_;
};

} // namespace

void emitInitialValues(const graph::Model &model, const Placement &placement,
                       std::vector<wire::Image> &images) {
  InitialValues initial(model, placement, images);
  for (graph::VariableId id = 0; id < model.variables.size(); ++id)
    initial.emit(id);
}

} // namespace copse::compiler
