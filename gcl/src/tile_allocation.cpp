#include <algorithm>
#include <cstdlib>
#include <gcl/TileAllocation.hpp>
#include <numeric>
#include <poputil/exceptions.hpp>
#include <string>

namespace gcl {
namespace {

constexpr unsigned kMinIoTiles = 32;

/// Returns 0 to n - 1 in steps of about n / golden ratio, so that any first few are spread over
/// all.
std::vector<unsigned> spread(unsigned n) {
  unsigned step = std::max(1u, static_cast<unsigned>(0.618 * n));
  while (std::gcd(step, n) != 1)
    ++step;
  std::vector<unsigned> order;
  for (unsigned i = 0, at = 0; i < n; ++i, at = (at + step) % n)
    order.push_back(at);
  return order;
}

} // namespace

unsigned getMinIoTiles(const poplar::Graph &graph) {
  const unsigned tiles = graph.getTarget().getTilesPerIPU();
  const char *const text = std::getenv("GCL_NUM_IO_TILES");
  if (text == nullptr)
    return std::min(kMinIoTiles, std::max(1u, tiles / 2));
  char *end = nullptr;
  const unsigned long value = std::strtoul(text, &end, 10);
  if (end == text || *end != '\0' || value == 0 || value > tiles)
    throw poputil::poplibs_error(std::string("GCL_NUM_IO_TILES is '") + text +
                                 "', but an IPU has 1 to " + std::to_string(tiles) + " tiles");
  return static_cast<unsigned>(value);
}

std::vector<unsigned> perIPUTiles(const poplar::Graph &graph, unsigned offset, unsigned count,
                                  bool sorted, bool tilePairs) {
  const unsigned tiles = graph.getTarget().getTilesPerIPU();
  if (offset > tiles || count > tiles - offset)
    throw poputil::poplibs_error("perIPUTiles: " + std::to_string(count) + " tiles after " +
                                 std::to_string(offset) + ", but an IPU has " +
                                 std::to_string(tiles));
  const unsigned together = tilePairs ? 2 : 1;
  std::vector<unsigned> order;
  for (const unsigned group : spread((tiles + together - 1) / together))
    for (unsigned tile = group * together; tile < std::min(tiles, (group + 1) * together); ++tile)
      order.push_back(tile);
  std::vector<unsigned> chosen(order.begin() + offset, order.begin() + offset + count);
  if (sorted)
    std::sort(chosen.begin(), chosen.end());
  return chosen;
}

} // namespace gcl
