#include "control/vertex_debugger.hpp"

#include "control/code_listing.hpp"
#include "control/tile_fault_text.hpp"
#include "processor/memory_access.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fnmatch.h>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>

// Debuggers set a breakpoint on this function.
extern "C" {
[[gnu::noinline, gnu::used]] static void copseDebugStop() { asm volatile("" ::: "memory"); }
}

namespace copse::ipud {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

/// Long enough to start gdb and to read the symbols of a large program.
constexpr auto kDebuggerTimeout = 60s;

template <std::size_t Size> void put(std::array<char, Size> &to, std::string_view text) {
  const std::size_t bytes = std::min(text.size(), Size - 1);
  std::copy_n(text.data(), bytes, to.begin());
  to[bytes] = '\0';
}

/// Returns "Add" for "ns::Add<float>", as people also use the short name.
std::string_view shortName(std::string_view vertexType) {
  vertexType = vertexType.substr(0, vertexType.find('<'));
  const auto scope = vertexType.rfind("::");
  return scope == std::string_view::npos ? vertexType : vertexType.substr(scope + 2);
}

bool isNamed(const char *pattern, const std::string &vertexType) {
  return ::fnmatch(pattern, vertexType.c_str(), 0) == 0 || pattern == shortName(vertexType);
}

template <class Member> Json placeOfMember(const Member &member) {
  return {reinterpret_cast<std::uintptr_t>(&member), sizeof member};
}

Json placesOf(const DebugState &state) {
  return {{"isAttended", placeOfMember(state.isAttended)},
          {"pattern", placeOfMember(state.pattern)},
          {"onlyTile", placeOfMember(state.onlyTile)},
          {"stepping", placeOfMember(state.stepping)},
          {"breakpointCount", placeOfMember(state.breakpointCount)},
          {"breakpoints", placeOfMember(state.breakpoints)},
          {"slot", placeOfMember(state.slot)},
          {"vertex", placeOfMember(state.vertex)},
          {"entry", placeOfMember(state.entry)},
          {"ipu", placeOfMember(state.ipu)},
          {"tile", placeOfMember(state.tile)},
          {"worker", placeOfMember(state.worker)},
          {"context", placeOfMember(state.context)},
          {"inTileCode", placeOfMember(state.inTileCode)},
          {"pc", placeOfMember(state.pc)},
          {"m", placeOfMember(state.m)},
          {"a", placeOfMember(state.a)},
          {"cycles", placeOfMember(state.cycles)},
          {"vertexName", placeOfMember(state.vertexName)},
          {"computeSet", placeOfMember(state.computeSet)},
          {"text", placeOfMember(state.text)}};
}

} // namespace

VertexDebugger::VertexDebugger(const DebugOptions &options, const Loaded &loaded)
    : options_(options), loaded_(loaded) {
  put(state_.pattern, options_.vertex);
  state_.onlyTile = options_.tile.value_or(DebugState::kAnyTile);
  state_.ipu = loaded_.placement.self.value;
  listVertices();
}

bool VertexDebugger::wantsIpu(const DebugOptions &options, const PlaceInPartition &placement) {
  return !options.directory.empty() &&
         options.ipu.value_or(placement.self.value) == placement.self.value;
}

void VertexDebugger::beginComputeSet(std::uint32_t /*index*/, Vertices &vertices) {
  computeSet_ = &vertices.set;
  vertices.stops = this;
  vertices.trace = this;
}

/// Lists all vertex classes for a user whose pattern matches none.
void VertexDebugger::listVertices() const {
  std::set<std::string> names;
  for (const wire::CodeletFunction &function : loaded_.image.functions)
    names.insert(function.vertexType);
  std::ofstream file(options_.directory / ("ipu" + std::to_string(state_.ipu) + "-" +
                                           std::to_string(::getpid()) + ".vertices"),
                     std::ios::app);
  for (const std::string &name : names)
    file << name << '\n';
}

bool VertexDebugger::matches(std::uint32_t function) const {
  return state_.pattern[0] != '\0' &&
         isNamed(state_.pattern.data(), loaded_.image.functions[function].vertexType);
}

void VertexDebugger::describeCall(const VertexCall &call) {
  const wire::VertexRecord &vertex = computeSet_->vertices[call.vertex];
  const EntryPoint &entry = loaded_.functions[vertex.function];
  slot_ = call.slot;
  state_.slot = reinterpret_cast<std::uintptr_t>(call.slot);
  state_.vertex = state_.slot + vertex.address;
  state_.entry = wire::isTileCode(entry.kind) ? 0 : reinterpret_cast<std::uintptr_t>(entry.entry);
  state_.tile = call.tile;
  state_.worker = call.worker;
  state_.inTileCode = 0;
}

void VertexDebugger::enter(const VertexCall &call) {
  if (isOver_)
    return;
  describeCall(call);
  const std::uint32_t function = computeSet_->vertices[call.vertex].function;
  const bool isWanted = (state_.onlyTile == DebugState::kAnyTile || state_.onlyTile == call.tile) &&
                        matches(function);
  stopsAtFirst_ = isWanted && state_.entry == 0;
  put(state_.vertexName, loaded_.image.functions[function].vertexType);
  put(state_.computeSet, computeSet_->name);
  if (isWanted && !stopsAtFirst_)
    stop();
}

bool VertexDebugger::wants(std::uint32_t) const {
  return !isOver_ && (stopsAtFirst_ || state_.breakpointCount != 0);
}

void VertexDebugger::leave(std::uint64_t) { state_.stepping = DebugState::Runs; }

bool VertexDebugger::isBreakpoint(std::uint32_t address) const {
  const auto count = std::min<std::size_t>(state_.breakpointCount, state_.breakpoints.size());
  return std::find(state_.breakpoints.begin(), state_.breakpoints.begin() + count, address) !=
         state_.breakpoints.begin() + count;
}

void VertexDebugger::issue(const Core &core, unsigned context) {
  const bool isStep = state_.stepping == DebugState::OneInstruction && context == state_.context;
  if (!stopsAtFirst_ && !isStep && !isBreakpoint(core.pc))
    return;
  stopsAtFirst_ = false;
  describeInstruction(core, context);
  stop();
}

void VertexDebugger::describeInstruction(const Core &core, unsigned context) {
  state_.inTileCode = 1;
  state_.stepping = DebugState::Runs;
  state_.context = context;
  state_.pc = core.pc;
  state_.cycles = static_cast<std::uint64_t>(core.cycles);
  std::copy_n(&core.registers.all[RegisterFiles::kMain], state_.m.size(), state_.m.begin());
  std::copy_n(&core.registers.all[0], state_.a.size(), state_.a.begin());
  put(state_.text, lineOf(core.pc));
}

/// Returns the instruction at \p address of the current tile.
std::string VertexDebugger::lineOf(std::uint32_t address) const {
  std::array<std::uint32_t, 2> words{};
  for (std::uint32_t i = 0; i < words.size(); ++i)
    if (isExecutable(loaded_.code->cache.chip(), address + 4 * i))
      words[i] = copse::ipud::loaded<std::uint32_t>(slot_ + address + 4 * i);
  return hexadecimal(address) + "  " +
         codeText(words, placeOf(loaded_.image, state_.tile, address), loaded_.image.architecture);
}

void VertexDebugger::stop() {
  if (!hasStopped_) {
    if (!beFirst()) {
      isOver_ = true;
      return;
    }
    hasStopped_ = true;
    ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    leaveWord();
    const auto end = std::chrono::steady_clock::now() + kDebuggerTimeout;
    while (state_.isAttended == 0 && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(10ms);
    if (state_.isAttended == 0) {
      std::cerr << "ipud: no debugger came within " << kDebuggerTimeout / 1s
                << " s; the program goes on\n";
      isOver_ = true;
      return;
    }
  }
  copseDebugStop();
}

/// Returns true if this IPU is the first to stop; only one IPU per directory stops.
bool VertexDebugger::beFirst() const {
  const int file = ::open((options_.directory / "stopped").c_str(),
                          O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file >= 0)
    ::close(file);
  return file >= 0;
}

void VertexDebugger::leaveWord() const {
  const Json word{{"pid", ::getpid()},
                  {"ipu", state_.ipu},
                  {"tile", state_.tile},
                  {"vertex", state_.vertexName.data()},
                  {"slotBits", loaded_.image.geometry.slotBits},
                  {"stop", reinterpret_cast<std::uintptr_t>(&copseDebugStop)},
                  {"state", placesOf(state_)}};
  writeCodeListing(loaded_.image, options_.directory / "code.json");
  const auto whole = options_.directory / "stop.json", part = options_.directory / "stop.part";
  std::ofstream(part) << word.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::error_code ignored; // no debugger can attach then, which stop() reports
  std::filesystem::rename(part, whole, ignored);
}

} // namespace copse::ipud
