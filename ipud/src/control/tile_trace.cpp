#include "control/tile_trace.hpp"

#include "control/tile_fault_text.hpp"
#include "processor/memory_access.hpp"
#include "tile/vertices.hpp"

#include <nlohmann/json.hpp>
#include <unistd.h>

namespace copse::ipud {
namespace {

using Json = nlohmann::ordered_json;

std::string contextName(unsigned context) {
  return context == kSupervisor ? "supervisor" : "worker " + std::to_string(context);
}

/// Returns \p object as one line. Names come from a program and may contain invalid UTF-8.
std::string lineOf(const Json &object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

TileTrace::TileTrace(const TileTraceOptions &options, const Loaded &loaded)
    : options_(options), loaded_(loaded),
      file_(options.directory / ("ipu" + std::to_string(loaded.placement.self.value) + "-" +
                                 std::to_string(::getpid()))) {
  if (options_.lists)
    instructions_.open(file_.string() + ".instructions.jsonl", std::ios::app);
}

bool TileTrace::wantsIpu(const TileTraceOptions &options, const PlaceInPartition &placement) {
  return !options.directory.empty() &&
         options.ipu.value_or(placement.self.value) == placement.self.value;
}

void TileTrace::beginComputeSet(std::uint32_t /*index*/, Vertices &vertices) {
  if (vertices.code == nullptr)
    return;
  computeSet_ = &vertices.set;
  vertices.trace = this;
}

bool TileTrace::wants(std::uint32_t tile) const { return options_.tile.value_or(tile) == tile; }

void TileTrace::enter(std::uint32_t tile, const wire::VertexRecord &vertex) {
  tile_ = tile;
  function_ = &loaded_.image.functions[vertex.function];
  current_ = &statistics_[function_->vertexType];
}

void TileTrace::leave(std::uint64_t cycles) {
  ++current_->vertices;
  current_->cycles += cycles;
}

void TileTrace::issue(const Core &core, unsigned context) {
  if (options_.context.value_or(context) != context || !isExecutable(*core.chip, core.pc))
    return;
  std::array<std::uint32_t, 2> words{loaded<std::uint32_t>(core.memory + core.pc)};
  const bool isBundle = (words[0] & isa::kBundleBit) != 0 && isExecutable(*core.chip, core.pc + 4);
  if (isBundle)
    words[1] = loaded<std::uint32_t>(core.memory + core.pc + 4);
  ++current_->issues;
  current_->bundles += isBundle ? 1 : 0;
  for (unsigned i = 0; i < (isBundle ? 2 : 1); ++i)
    ++current_->instructions[mnemonicOf(words[i], loaded_.image.architecture)];
  if (options_.lists && listed_ < options_.most)
    list(core, context, words);
}

void TileTrace::list(const Core &core, unsigned context,
                     const std::array<std::uint32_t, 2> &words) {
  ++listed_;
  const CodePlace place = placeOf(loaded_.image, tile_, core.pc);
  instructions_ << lineOf({{"ipu", loaded_.placement.self.value},
                           {"tile", tile_},
                           {"context", contextName(context)},
                           {"vertex", function_->vertexType},
                           {"compute_set", computeSet_->name},
                           {"cycle", core.cycles},
                           {"address", hexadecimal(core.pc)},
                           {"instruction", instructionText(words, loaded_.image.architecture)},
                           {"symbol", place.symbol},
                           {"source", place.source}});
}

void TileTrace::flush() {
  instructions_.flush();
  if (statistics_.empty())
    return;
  std::ofstream file(file_.string() + ".statistics.jsonl", std::ios::app);
  for (const auto &[vertex, s] : statistics_)
    file << lineOf({{"vertex", vertex},
                    {"vertices", s.vertices},
                    {"tile_cycles", s.cycles},
                    {"issues", s.issues},
                    {"bundles", s.bundles},
                    {"instructions", s.instructions}});
  statistics_.clear();
  current_ = nullptr;
}

} // namespace copse::ipud
