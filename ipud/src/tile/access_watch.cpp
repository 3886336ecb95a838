#include "tile/access_watch.hpp"

#include "processor/code_words.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace copse::ipud {
namespace {

constexpr std::uint64_t kEachByte = 0x0101010101010101;
constexpr std::size_t kChunk = sizeof(std::uint64_t);

/// Returns bytes [at, at + count) as a number, padded with zeros.
std::uint64_t loadedBytes(const std::uint8_t *at, std::size_t count) {
  std::uint64_t value = 0;
  switch (count) {
  case 4: {
    std::uint32_t word;
    std::memcpy(&word, at, sizeof word);
    return word;
  }
  case kChunk:
    std::memcpy(&value, at, kChunk);
    return value;
  case 2: {
    std::uint16_t half;
    std::memcpy(&half, at, sizeof half);
    return half;
  }
  case 1:
    return *at;
  default:
    std::memcpy(&value, at, count);
    return value;
  }
}

/// Returns true if each of \p count bytes has all bits of \p bits.
bool allHave(const std::uint8_t *at, std::size_t count, std::uint8_t bits) {
  constexpr std::size_t kStretch = 8 * kChunk;
  for (; count >= kStretch; at += kStretch, count -= kStretch) {
    std::uint64_t common = ~std::uint64_t{0};
    for (std::size_t i = 0; i < kStretch; i += kChunk)
      common &= loadedBytes(at + i, kChunk);
    if ((common & kEachByte * bits) != kEachByte * bits)
      return false;
  }
  for (; count > 0;) {
    const std::size_t chunk = std::min(count, kChunk);
    const std::uint64_t wanted =
        (chunk == kChunk ? kEachByte : kEachByte & ((std::uint64_t{1} << 8 * chunk) - 1)) * bits;
    if ((loadedBytes(at, chunk) & wanted) != wanted)
      return false;
    at += chunk;
    count -= chunk;
  }
  return true;
}

bool anyHas(const std::uint8_t *at, std::size_t count, std::uint8_t bits) {
  return std::any_of(at, at + count, [bits](std::uint8_t byte) { return (byte & bits) != 0; });
}

/// Returns the lowest of a set of workers.
std::uint32_t firstOf(std::uint8_t workers) {
  std::uint32_t worker = 0;
  while ((workers >> worker & 1) == 0)
    ++worker;
  return worker;
}

/// Returns true if an instruction at \p pc advances its pointer as it loads.
bool movesOn(const Core &core, std::uint32_t pc) {
  const auto does = [&](std::uint32_t word) {
    const auto opcode = isa::decode(word & ~isa::kBundleBit, core.chip->architecture).opcode;
    if (opcode == isa::Opcode::Invalid)
      return false;
    const std::string_view mnemonic = isa::infoOf(opcode).mnemonic;
    return mnemonic.find("step") != mnemonic.npos || mnemonic.find("pace") != mnemonic.npos;
  };
  return isCode(core, pc) && (does(wordAt(core, pc)) ||
                              (isCode(core, pc + 4) && (wordAt(core, pc) & isa::kBundleBit) != 0 &&
                               does(wordAt(core, pc + 4))));
}

} // namespace

void AccessWatch::begin(const Vertices &vertices) {
  if (active_) { // a fault has ended the last vertex
    paint_->clear();
    if (readers_) {
      readers_->clear();
      writers_->clear();
    }
  }
  active_ = false;
  checks_ = vertices.checks;
  if (checks_ == nullptr)
    return;
  const std::size_t bytes = std::size_t{1} << vertices.memory.geometry().slotBits;
  if (!paint_ || slotBytes_ != bytes) {
    paint_ = std::make_unique<SlotBytes>(bytes);
    readers_.reset();
    writers_.reset();
    slotBytes_ = bytes;
  }
}

void AccessWatch::enterTile() {
  slot_ = reinterpret_cast<std::uintptr_t>(running_.vertices->memory.at(running_.tile, 0));
  defined_ = reinterpret_cast<std::uint8_t *>(checks_->defined.at(running_.tile, 0));
  findSharedGranules();
}

/// Adds permissions, because fields of a vertex may overlap and each field grants its own.
void AccessWatch::paint(std::uint32_t address, std::uint32_t bytes, std::uint8_t value) {
  std::uint8_t *const at = paint_->at(address);
  std::uint32_t i = 0;
  for (; i + kChunk <= bytes; i += kChunk) {
    const std::uint64_t painted = loadedBytes(at + i, kChunk) | kEachByte * value;
    std::memcpy(at + i, &painted, kChunk);
  }
  for (; i < bytes; ++i)
    at[i] |= value;
}

void AccessWatch::unpaint(std::uint32_t address, std::uint32_t bytes) {
  std::memset(paint_->at(address), 0, bytes);
}

/// Calls \p use with each granule that \p range covers partially.
template <class Use>
void AccessWatch::eachGranuleAtAnEnd(const wire::GivenRange &range, Use use) const {
  if ((range.access & wire::GivenRange::kWritten) == 0 || range.bytes == 0)
    return;
  const std::uint32_t first = range.address & ~(kGranule - 1);
  const std::uint32_t end = range.address + range.bytes, last = (end - 1) & ~(kGranule - 1);
  const bool beginsWithin = range.address != first, endsWithin = end % kGranule != 0;
  if (beginsWithin || (endsWithin && first == last))
    use(first);
  if (endsWithin && last != first)
    use(last);
}

/// Finds words that fields of several vertices share. The compiler separates the fields of
/// concurrent vertices, but not to whole words.
void AccessWatch::findSharedGranules() {
  granules_.clear();
  hasGranules_ = false;
  const wire::TileVertices &run = *running_.run;
  if (run.count < 2)
    return;
  for (std::uint32_t vertex = run.first; vertex < run.first + run.count; ++vertex)
    for (const wire::GivenRange &range : checks_->given(vertex))
      eachGranuleAtAnEnd(range, [&](std::uint32_t address) {
        const auto [known, isNew] = granules_.try_emplace(address, Granule{vertex, false, nullptr});
        if (!isNew && known->second.vertex != vertex)
          hasGranules_ = known->second.shared = true;
      });
}

void AccessWatch::enterVertex(std::uint32_t number) {
  active_ = true;
  given_ = checks_->given(number);
  const EntryPoint &function =
      running_.vertices->functions[running_.vertices->set.vertices[number].function];
  sharesVertex_ = function.multiVertex || function.kind == wire::CodeKind::Supervisor ||
                  function.kind == wire::CodeKind::NativeSupervisor;
  // A supervisor may start any workers.
  isChecked_ =
      function.kind == wire::CodeKind::Supervisor ||
              function.kind == wire::CodeKind::NativeSupervisor
          ? running_.vertices->modules->areAllChecked()
          : running_.vertices->modules->isChecked(running_.vertices->set.vertices[number].function);
  if (sharesVertex_ && !readers_) {
    readers_ = std::make_unique<SlotBytes>(slotBytes_);
    writers_ = std::make_unique<SlotBytes>(slotBytes_);
  }
  for (const wire::GivenRange &range : given_)
    paint(range.address, range.bytes, static_cast<std::uint8_t>(range.access));
  if (hasGranules_)
    paintSharedGranules();
  eachCommonRange([this](std::uint32_t address, std::uint32_t bytes) {
    paint(address, bytes, kMayRead | kMayWrite);
  });
}

void AccessWatch::paintSharedGranules() {
  for (const wire::GivenRange &range : given_)
    eachGranuleAtAnEnd(range, [&](std::uint32_t address) {
      if (!granules_.at(address).shared)
        return;
      const std::uint32_t begin = std::max(address, range.address);
      const std::uint32_t end = std::min(address + kGranule, range.address + range.bytes);
      for (std::uint32_t at = begin; at < end; ++at)
        *paint_->at(at) |= kSharedGranule;
    });
}

/// Calls \p use(address, bytes) for memory that all vertices may use without being given it: random
/// number state, which native code advances itself, and stacks of tile code.
template <class Use> void AccessWatch::eachCommonRange(Use use) const {
  constexpr std::uint32_t kSeedBytes = 4 * wire::kWordBytes;
  const wire::TileRegisters &registers = checks_->registers;
  if (!registers.seeds.empty())
    use(registers.seeds[running_.tile], kSeedBytes * running_.vertices->memory.geometry().workers);
  if (running_.vertices->code != nullptr)
    use(checks_->stacksBegin, checks_->stacksEnd - checks_->stacksBegin);
}

void AccessWatch::leaveVertex() {
  if (!isChecked_)
    defineAllThatIsWritten();
  clearPaint();
  clearMarks();
  active_ = false;
}

/// Marks everything that the vertex may write as defined, because its writes were not observed.
void AccessWatch::defineAllThatIsWritten() const {
  for (const wire::GivenRange &range : given_)
    if ((range.access & wire::GivenRange::kWritten) != 0)
      std::memset(defined_ + range.address, 1, range.bytes);
}

void AccessWatch::clearPaint() {
  for (const wire::GivenRange &range : given_)
    unpaint(range.address, range.bytes);
  eachCommonRange([this](std::uint32_t address, std::uint32_t bytes) { unpaint(address, bytes); });
}

void AccessWatch::clearMarks() {
  if (!sharesVertex_)
    return;
  for (const wire::GivenRange &range : given_) {
    std::memset(readers_->at(range.address), 0, range.bytes);
    std::memset(writers_->at(range.address), 0, range.bytes);
  }
}

void AccessWatch::workersAreDone() {
  if (active_)
    clearMarks();
}

/// Returns the worker, among those that share the vertex, on which the native code runs; nothing
/// for the supervisor.
std::optional<std::uint32_t> AccessWatch::nativeWorker() const {
  if (running_.started)
    return running_.started->worker;
  const wire::VertexRecord *const vertex = running_.vertex.load(std::memory_order_relaxed);
  if (running_.vertices->functions[vertex->function].multiVertex)
    return running_.worker.load(std::memory_order_relaxed);
  return std::nullopt;
}

void AccessWatch::check(const void *address, std::size_t bytes, unsigned flags, const char *site) {
  if (!active_ || bytes == 0) // an empty copy, for example of an empty part of a row
    return;
  const bool stores = (flags & wire::kCheckedStore) != 0;
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - slot_;
  From from{site, 0, std::nullopt, false};
  if (offset >= slotBytes_ || bytes > slotBytes_ - offset) [[unlikely]]
    return checkForeign(address, bytes, stores, from);
  if (sharesVertex_)
    from.worker = nativeWorker();
  const auto at = static_cast<std::uint32_t>(offset);
  const std::uint32_t alignment = flags & (wire::kCheckedStore - 1);
  if ((at & (alignment - 1)) != 0) [[unlikely]] {
    BadAccess bad = badAccess(BadAccess::Kind::Misaligned, at, bytes, stores, from);
    bad.alignment = alignment;
    report(bad);
  }
  checkInSlot(at, bytes, stores, from);
}

/// Returns true if an access needs neither a report nor a closer look.
bool AccessWatch::isGood(std::uint32_t address, std::size_t bytes, bool stores,
                         std::optional<std::uint32_t> worker) const {
  const std::uint8_t *const paint = paint_->at(address);
  if (!allHave(paint, bytes, stores ? kMayWrite : kMayRead) ||
      (!stores && !allHave(defined_ + address, bytes, 1)) ||
      (stores && hasGranules_ && anyHas(paint, bytes, kSharedGranule)))
    return false;
  if (!worker)
    return true;
  // Use whole words, because a store of less than a word writes all of it.
  const std::uint32_t begin = address & ~(kGranule - 1);
  const std::size_t end = (address + bytes + kGranule - 1) & ~(kGranule - 1);
  const auto others = static_cast<std::uint8_t>(~(1U << *worker));
  return !anyHas(writers_->at(begin), end - begin, others) &&
         (!stores || !anyHas(readers_->at(address), bytes, others));
}

/// Records the effects of a valid access.
void AccessWatch::happens(std::uint32_t address, std::size_t bytes, bool stores,
                          std::optional<std::uint32_t> worker) {
  if (stores)
    std::memset(defined_ + address, 1, bytes);
  if (!worker)
    return;
  std::uint8_t *const marks = (stores ? writers_ : readers_)->at(address);
  for (std::size_t i = 0; i < bytes; ++i)
    marks[i] |= static_cast<std::uint8_t>(1U << *worker);
}

bool AccessWatch::checkRange(const Range &range) {
  if (!active_ || range.count == 0 || range.bytes == 0)
    return true;
  const bool stores = (range.flags & wire::kCheckedStore) != 0;
  const std::uint32_t alignment = range.flags & (wire::kCheckedStore - 1);
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(range.first) - slot_;
  const std::size_t count = range.stride == 0 ? 1 : range.count;
  if (first >= slotBytes_ || count > slotBytes_)
    return false;
  const auto stride = static_cast<std::int64_t>(range.stride);
  const std::int64_t last =
      static_cast<std::int64_t>(first) + stride * static_cast<std::int64_t>(count - 1);
  const std::int64_t low = std::min(static_cast<std::int64_t>(first), last);
  const std::int64_t end =
      std::max(static_cast<std::int64_t>(first), last) + static_cast<std::int64_t>(range.bytes);
  if (low < 0 || end > static_cast<std::int64_t>(slotBytes_) ||
      ((first | static_cast<std::uintptr_t>(stride)) & (alignment - 1)) != 0)
    return false;
  const auto worker = sharesVertex_ ? nativeWorker() : std::nullopt;
  const auto visit = [&](std::uint32_t address, std::size_t bytes) {
    if ((range.flags & wire::kCheckedRangeHappens) == 0)
      return isGood(address, bytes, stores, worker);
    happens(address, bytes, stores, worker);
    return true;
  };
  if (static_cast<std::size_t>(std::abs(stride)) <= range.bytes) // without gaps
    return visit(static_cast<std::uint32_t>(low), static_cast<std::size_t>(end - low));
  for (std::size_t i = 0; i < count; ++i)
    if (!visit(static_cast<std::uint32_t>(static_cast<std::int64_t>(first) +
                                          stride * static_cast<std::int64_t>(i)),
               range.bytes))
      return false;
  return true;
}

void AccessWatch::access(const Core &core, std::uint32_t pc, const Access &access, bool stores) {
  if (!active_)
    return;
  From from;
  from.pc = pc;
  from.isInline = core.block != nullptr;
  if (sharesVertex_ && core.context == isa::Context::Worker)
    from.worker = from.isInline ? nativeWorker() : std::optional(core.number);
  from.loads = stores ? nullptr : &core;
  checkInSlot(access.address, access.bytes, stores, from);
}

/// Returns true for a load ahead of need. Loops in assembly load the next element before they know
/// whether there is one. The architecture allows this, as what is loaded from after the last
/// element is not used.
bool AccessWatch::isReadAhead(std::uint32_t address, std::size_t bytes, const From &from) const {
  constexpr std::size_t kAhead = 16; // the most that one instruction loads
  if (from.loads == nullptr || !movesOn(*from.loads, from.pc))
    return false;
  return std::ranges::any_of(given_, [&](const wire::GivenRange &range) {
    const std::uint32_t end = range.address + range.bytes;
    return address + bytes > end && address + bytes <= end + kAhead;
  });
}

void AccessWatch::checkInSlot(std::uint32_t address, std::size_t bytes, bool stores,
                              const From &from) {
  const bool isAllowed = allHave(paint_->at(address), bytes, stores ? kMayWrite : kMayRead);
  if (isAllowed && stores)
    std::memset(defined_ + address, 1, bytes);
  const bool isDefined = isAllowed && (stores || allHave(defined_ + address, bytes, 1));
  if (!isDefined) [[unlikely]] {
    const bool isVariable = running_.started && TileAddresses::isVariable(address);
    if (isVariable || isReadAhead(address, bytes, from))
      return;
    if (!isAllowed)
      return reportOutside(address, bytes, stores, from);
    checkDefined(address, bytes, from);
  }
  if (from.worker)
    checkWorkers(address, bytes, stores, from);
  if (hasGranules_ && stores && anyHas(paint_->at(address), bytes, kSharedGranule))
    checkSharedGranules(address, bytes, from);
}

void AccessWatch::reportOutside(std::uint32_t address, std::size_t bytes, bool stores,
                                const From &from) {
  const std::uint8_t needed = stores ? kMayWrite : kMayRead;
  const std::uint8_t *const paint = paint_->at(address);
  const auto *const bad = std::find_if(
      paint, paint + bytes, [needed](std::uint8_t byte) { return (byte & needed) == 0; });
  report(badAccess(BadAccess::Kind::Outside, address + static_cast<std::uint32_t>(bad - paint),
                   bytes, stores, from));
}

/// Checks that the bytes are defined. Reports each byte once, and then treats it as defined.
void AccessWatch::checkDefined(std::uint32_t address, std::size_t bytes, const From &from) {
  std::uint8_t *const defined = defined_ + address;
  const auto bad = std::find(defined, defined + bytes, std::uint8_t{0});
  report(badAccess(BadAccess::Kind::Undefined, address + static_cast<std::uint32_t>(bad - defined),
                   bytes, false, from));
  std::memset(defined, 1, bytes);
}

void AccessWatch::checkWorkers(std::uint32_t address, std::size_t bytes, bool stores,
                               const From &from) {
  const auto self = static_cast<std::uint8_t>(1U << *from.worker);
  const auto others = static_cast<std::uint8_t>(~self);
  const auto reportOther = [&](BadAccess::Kind kind, std::uint32_t where, std::uint8_t workers) {
    BadAccess bad = badAccess(kind, where, bytes, stores, from);
    bad.otherWorker = firstOf(workers & others);
    report(bad);
  };
  std::uint8_t *const readers = readers_->at(address), *const writers = writers_->at(address);
  for (std::size_t i = 0; i < bytes; ++i) {
    const auto seen = static_cast<std::uint8_t>(stores ? writers[i] | readers[i] : writers[i]);
    if ((seen & others) != 0) {
      reportOther(BadAccess::Kind::Race, address + static_cast<std::uint32_t>(i), seen);
      break;
    }
  }
  std::uint8_t *const marks = stores ? writers : readers;
  for (std::size_t i = 0; i < bytes; ++i)
    marks[i] |= self;
  if (!stores)
    return;
  const std::uint32_t end = address + static_cast<std::uint32_t>(bytes);
  const auto rest = [&](std::uint32_t from0, std::uint32_t to) {
    for (std::uint32_t at = from0; at < to; ++at)
      if ((*writers_->at(at) & others) != 0) {
        reportOther(BadAccess::Kind::Granule, at, *writers_->at(at));
        return;
      }
  };
  rest(address & ~(kGranule - 1), address);
  rest(end, (end + kGranule - 1) & ~(kGranule - 1));
}

void AccessWatch::checkSharedGranules(std::uint32_t address, std::size_t bytes, const From &from) {
  const wire::VertexRecord *const self = running_.vertex.load(std::memory_order_relaxed);
  const std::uint32_t end = address + static_cast<std::uint32_t>(bytes);
  for (std::uint32_t at = address & ~(kGranule - 1); at < end; at += kGranule) {
    const auto found = granules_.find(at);
    if (found == granules_.end() || !found->second.shared)
      continue;
    const wire::VertexRecord *const before = std::exchange(found->second.writer, self);
    if (before == nullptr || before == self)
      continue;
    BadAccess bad = badAccess(BadAccess::Kind::Granule, std::max(at, address), bytes, true, from);
    bad.otherVertex = before;
    report(bad);
  }
}

/// Native code has its own variables and constants, but must not access other tiles.
void AccessWatch::checkForeign(const void *address, std::size_t bytes, bool stores,
                               const From &from) {
  wire::TileAddress where;
  if (!running_.vertices->memory.locate(address, where))
    return;
  BadAccess bad = badAccess(BadAccess::Kind::Outside, where.address, bytes, stores, from);
  bad.tileOfAddress = where.tile;
  report(bad);
}

/// Reports an access. An interrupt must not end native code while it holds the lock of the
/// findings; the interpreter returns by itself.
void AccessWatch::report(const BadAccess &access) {
  if (access.site == nullptr)
    return checks_->findings.add(access);
  const CodeletSignals::HeldBack heldBack(signals_);
  checks_->findings.add(access);
}

BadAccess AccessWatch::badAccess(BadAccess::Kind kind, std::uint32_t address, std::size_t bytes,
                                 bool stores, const From &from) const {
  BadAccess bad;
  bad.kind = kind;
  bad.tile = bad.tileOfAddress = running_.tile;
  bad.vertex = running_.vertex.load(std::memory_order_relaxed);
  if (running_.started)
    bad.started = running_.started->function;
  bad.worker = from.worker;
  bad.address = address;
  bad.bytes = static_cast<std::uint32_t>(bytes);
  bad.stores = stores;
  bad.site = from.site;
  if (from.isInline) {
    bad.assembly = assembly_;
    bad.tileFunction = tileFunction_;
  }
  bad.pc = from.pc;
  bad.given = given_;
  return bad;
}

} // namespace copse::ipud
