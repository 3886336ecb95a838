#include "ipud/validate.hpp"

#include "control/validate_steps.hpp"

#include "wire/codelet_abi.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>

namespace copse::ipud {
namespace {

using std::to_string;

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint32_t kMaxWorkers = 64;
constexpr std::uint32_t kMinSlotBits = 12, kMaxSlotBits = 32; // addresses have 32 bits
constexpr std::uint32_t kMaxReservationBits = 45;             // out of a process's 47
constexpr std::uint32_t kBehaviourWords = 5, kSeedWords = 4;  // wire::TileRegisters
constexpr std::uint32_t kIsaWorkers = 6, kIsaSlotBits = 21;   // on tiles that run instructions
constexpr std::uint32_t kMaxIpusPerReplica = 1 << 16;

/// Finds out whether an address lies in a code section, in logarithmic time.
class CodeAddresses {
public:
  explicit CodeAddresses(const std::vector<wire::CodeSection> &sections) {
    for (const auto &section : sections)
      if (!section.isForNativeCode)
        parts_.push_back({section.address, std::uint64_t{section.address} + section.bytes});
    std::ranges::sort(parts_, {}, &Part::begin);
    for (std::size_t i = 1; i < parts_.size(); ++i)
      parts_[i].end = std::max(parts_[i].end, parts_[i - 1].end);
  }
  bool contain(std::uint32_t address) const {
    const auto after = std::ranges::upper_bound(parts_, address, {}, &Part::begin);
    return after != parts_.begin() && address < std::prev(after)->end;
  }

private:
  struct Part {
    std::uint32_t begin;
    std::uint64_t end; ///< the last one of this section and those before it
  };
  std::vector<Part> parts_; ///< ascending
};

/// Checks the parts of an image. Each check throws std::invalid_argument that says what is wrong,
/// and where. The time is in proportion to the image's size, because a host may send any image.
class Validator {
public:
  explicit Validator(const wire::Image &image) : image_(image), codeAddresses_(image.code) {}

  void check() const {
    checkGeometry();
    checkHeader();
    forEach("module", image_.modules, [](const auto &m) { checkModule(m); });
    forEach("code section", image_.code, [this](const auto &c) { checkCode(c); });
    forEach("function", image_.functions, [this](const auto &f) { checkFunction(f); });
    checkNativeEntries();
    forEach("compute set", image_.computeSets, [this](const auto &c) { checkComputeSet(c); });
    forEach("exchange", image_.exchanges, [this](const auto &e) { checkExchange(e); });
    forEach("host exchange", image_.hostExchanges, [this](const auto &h) { checkHostExchange(h); });
    forEach("remote copy", image_.remoteCopies, [this](const auto &r) { checkRemoteCopy(r); });
    forEach("print", image_.prints, [this](const auto &p) { checkView(p.view); });
    forEach("host view", image_.hostViews, [this](const auto &v) { checkView(v); });
    forEach("initial data", image_.initial, [this](const auto &d) { checkInitial(d); });
    forEach("replica index", image_.replicaIndices,
            [this](const auto &a) { checkMemory(a.tile, a.address, wire::kWordBytes); });
    checkRegisters("floating-point registers", image_.registers.floatingPoint, kBehaviourWords);
    checkRegisters("seeds", image_.registers.seeds, kSeedWords * image_.geometry.workers);
    checkTables(image_.checks);
    validateSteps(image_, [this](wire::TileAddress a, std::uint32_t bytes) {
      checkMemory(a.tile, a.address, bytes);
    });
  }

private:
  [[noreturn]] static void fail(const std::string &why) { throw std::invalid_argument(why); }
  static void require(bool good, const std::string &why) {
    if (!good)
      fail(why);
  }

  /// Runs a check on each item; errors are prefixed with the item's kind and number.
  template <class T, class Check>
  static void forEach(const char *kind, const std::vector<T> &items, Check checkOne) {
    for (std::size_t i = 0; i < items.size(); ++i)
      try {
        checkOne(items[i]);
      } catch (const std::invalid_argument &error) {
        fail(kind + (" " + to_string(i)) + nameOf(items[i]) + ": " + error.what());
      }
  }
  template <class T> static std::string nameOf(const T &item) {
    if constexpr (requires { item.name.empty(); })
      return " '" + item.name + "'";
    else
      return "";
  }

  void checkGeometry() const {
    const auto &g = image_.geometry;
    require(image_.architecture <= wire::Architecture::Ipu21,
            "architecture " + to_string(static_cast<unsigned>(image_.architecture)) +
                ", which this version does not know");
    require(g.tiles >= 1, "an IPU without tiles");
    require(g.workers >= 1 && g.workers <= kMaxWorkers,
            to_string(g.workers) + " workers per tile; 1 to " + to_string(kMaxWorkers) +
                " are possible");
    require(g.slotBits >= kMinSlotBits && g.slotBits <= kMaxSlotBits,
            "slots of 2^" + to_string(g.slotBits) + " bytes");
    require(g.tiles <= (std::uint64_t{1} << (kMaxReservationBits - g.slotBits)),
            to_string(g.tiles) + " tiles of 2^" + to_string(g.slotBits) +
                " bytes do not fit into an address space");
    const std::uint64_t slot = std::uint64_t{1} << g.slotBits;
    require(g.memoryBytes >= 1 && g.memoryBytes <= slot && g.memoryBase <= slot - g.memoryBytes,
            "tile memory does not lie within its slot");
    require(g.memoryBase % kPageBytes == 0 && g.memoryBytes % kPageBytes == 0,
            "tile memory does not begin and end at a multiple of " + to_string(kPageBytes));
  }

  bool hasCodeOnTiles() const {
    return std::any_of(image_.code.begin(), image_.code.end(),
                       [](const auto &s) { return !s.isForNativeCode; });
  }

  void checkHeader() const {
    require(!hasCodeOnTiles() || image_.stacks.size() == kIsaWorkers + 1,
            to_string(image_.stacks.size()) + " stacks for the workers and the supervisor");
    require(image_.ipusPerReplica <= kMaxIpusPerReplica && image_.ipu < image_.ipusPerReplica,
            "the image of ipu " + to_string(image_.ipu) + " of " +
                to_string(image_.ipusPerReplica));
  }

  void checkMemory(std::uint32_t tile, std::uint64_t address, std::uint64_t bytes) const {
    // Called millions of times, so a message is built only in case of an error.
    const auto &g = image_.geometry;
    if (tile >= g.tiles)
      fail("tile " + to_string(tile) + " of " + to_string(g.tiles));
    const bool populated = address >= g.memoryBase && address - g.memoryBase <= g.memoryBytes &&
                           bytes <= g.memoryBytes - (address - g.memoryBase);
    if (!populated)
      fail(to_string(bytes) + " bytes at " + to_string(address) + " on tile " + to_string(tile) +
           " are not all populated (from " + to_string(g.memoryBase) + ", " +
           to_string(g.memoryBytes) + " bytes)");
  }

  void checkRegisters(const char *what, const std::vector<std::uint32_t> &addresses,
                      std::uint32_t words) const {
    require(addresses.empty() || addresses.size() == image_.geometry.tiles,
            std::string(what) + " of " + to_string(addresses.size()) + " tiles");
    for (std::uint32_t tile = 0; tile < addresses.size(); ++tile) {
      require(addresses[tile] % wire::kWordBytes == 0,
              std::string(what) + " of tile " + to_string(tile) + " are not aligned");
      checkMemory(tile, addresses[tile], std::uint64_t{words} * wire::kWordBytes);
    }
  }

  void checkBlocks(std::uint32_t tile, std::uint32_t address, std::uint32_t bytes,
                   std::uint32_t count, std::int32_t stride) const {
    if (bytes == 0 || count == 0)
      return checkMemory(tile, image_.geometry.memoryBase, 0);
    // |stride| <= 2^31 and count < 2^32, so the product fits.
    const std::int64_t reach = std::int64_t{stride} * (std::int64_t{count} - 1);
    const std::int64_t low = std::int64_t{address} + std::min<std::int64_t>(reach, 0);
    const std::int64_t high = std::int64_t{address} + std::max<std::int64_t>(reach, 0) + bytes;
    if (low < 0)
      fail("blocks on tile " + to_string(tile) + " begin below address 0");
    checkMemory(tile, static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high - low));
  }

  void checkRegion(const wire::Region &r) const {
    checkBlocks(r.tile, r.address, r.bytes, r.count, r.stride);
  }

  static void add(std::uint64_t &sum, std::uint64_t more) {
    if (more > UINT64_MAX - sum)
      fail("sizes beyond 64 bits");
    sum += more;
  }

  std::uint64_t checkRegions(const std::vector<wire::Region> &regions) const {
    std::uint64_t sum = 0;
    forEach("region", regions, [&](const auto &region) {
      checkRegion(region);
      add(sum, region.size());
    });
    return sum;
  }

  static void checkModule(const wire::ModuleRef &module) {
    const bool hex = std::all_of(module.sha256.begin(), module.sha256.end(), [](unsigned char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    });
    require(module.sha256.size() == 64 && hex, "'" + module.sha256 + "' is no SHA-256");
  }

  void checkFunction(const wire::CodeletFunction &function) const {
    require(function.kind <= wire::CodeKind::NativeSupervisor, "code of an unknown kind");
    if (wire::isTileCode(function.kind))
      return checkEntry(function.entry);
    require(function.kind != wire::CodeKind::NativeSupervisor || hasCodeOnTiles(),
            "a supervisor without tile code in the image");
    const bool isThere = function.entry >= wire::kNativeEntries &&
                         function.entry < wire::kNativeEntriesEnd &&
                         function.entry % wire::kWordBytes == 0;
    const bool isNowhere = function.entry == 0 && function.kind != wire::CodeKind::NativeFunction;
    require(function.kind == wire::CodeKind::NativeSupervisor ? isNowhere : isThere || isNowhere,
            "tile code cannot go to native code at " + to_string(function.entry));
    require(function.module < image_.modules.size(),
            "module " + to_string(function.module) + " of " + to_string(image_.modules.size()));
    require(!function.symbol.empty(), "no symbol");
  }

  /// Checks that no two native functions have one address.
  void checkNativeEntries() const {
    std::vector<std::uint32_t> entries;
    for (const auto &function : image_.functions)
      if (!wire::isTileCode(function.kind) && function.entry != 0)
        entries.push_back(function.entry);
    std::sort(entries.begin(), entries.end());
    const auto twice = std::adjacent_find(entries.begin(), entries.end());
    if (twice != entries.end())
      fail("two native functions at " + to_string(*twice));
  }

  void checkEntry(std::uint32_t entry) const {
    require(codeAddresses_.contain(entry) && entry % wire::kWordBytes == 0,
            "its entry " + to_string(entry) + " is no address of an instruction");
  }

  void checkCode(const wire::CodeSection &section) const {
    require(image_.architecture != wire::Architecture::Cpu, "code of tile instructions for a CPU");
    require(image_.geometry.workers == kIsaWorkers && image_.geometry.slotBits == kIsaSlotBits,
            "code of tile instructions on tiles that are not an IPU's");
    require(section.offset <= image_.data.size() &&
                section.bytes <= image_.data.size() - section.offset,
            "beyond the " + to_string(image_.data.size()) + " bytes of data");
    require(section.address % wire::kWordBytes == 0 && section.bytes % wire::kWordBytes == 0,
            "not a whole number of words");
    for (const auto tile : section.tiles)
      checkMemory(tile, section.address, section.bytes);
    if (section.isForNativeCode)
      checkCalledCode(section);
    for (const auto &line : section.lines)
      require(line.file < image_.sourceFiles.size(), "a line of an unknown source file");
  }

  /// Checks a section of functions that native code calls.
  void checkCalledCode(const wire::CodeSection &section) const {
    require(section.tiles.empty(), "functions that native code calls are on no tile");
    require(section.address == wire::kAssemblyAddress && section.bytes > 0 &&
                section.bytes <= wire::kWordBytes * wire::kMaxAssemblyWords,
            "functions that native code calls begin at " + to_string(wire::kAssemblyAddress) +
                " and have 1 to " + to_string(wire::kMaxAssemblyWords) + " words");
    for (const auto &symbol : section.symbols)
      require(symbol.address >= section.address &&
                  symbol.address - section.address < section.bytes &&
                  symbol.address % wire::kWordBytes == 0,
              "the function '" + symbol.name + "' is not in it");
  }

  void checkComputeSet(const wire::ComputeSet &set) const {
    std::uint32_t end = 0; ///< of the vertices before those of the tile
    for (std::size_t i = 0; i < set.tiles.size(); ++i) {
      const auto &run = set.tiles[i];
      require(run.tile < image_.geometry.tiles,
              "tile " + to_string(run.tile) + " of " + to_string(image_.geometry.tiles));
      require(i == 0 || set.tiles[i - 1].tile < run.tile, "tiles are not in ascending order");
      require(run.first <= set.vertices.size() && run.count <= set.vertices.size() - run.first,
              "tile " + to_string(run.tile) + " names vertices that do not exist");
      require(run.first >= end, "tile " + to_string(run.tile) + " names another tile's vertices");
      end = run.first + run.count;
      for (std::uint32_t v = run.first; v < run.first + run.count; ++v)
        checkVertex(run.tile, v, set.vertices[v]);
    }
    if (set.hasResult)
      checkMemory(set.result.tile, set.result.address, 1);
  }

  void checkVertex(std::uint32_t tile, std::uint32_t number,
                   const wire::VertexRecord &vertex) const {
    const auto &g = image_.geometry;
    if (vertex.function >= image_.functions.size())
      fail("vertex " + to_string(number) + ": function " + to_string(vertex.function) + " of " +
           to_string(image_.functions.size()));
    if (image_.functions[vertex.function].kind == wire::CodeKind::NativeFunction)
      fail("vertex " + to_string(number) + ": function " + to_string(vertex.function) +
           " is no codelet");
    if (vertex.address < g.memoryBase || vertex.address - g.memoryBase >= g.memoryBytes)
      fail("vertex " + to_string(number) + ": its state at " + to_string(vertex.address) +
           " on tile " + to_string(tile) + " is not in populated memory");
  }

  void checkExchange(const wire::Exchange &exchange) const {
    forEach("move", exchange.moves, [this](const auto &m) {
      checkBlocks(m.from.tile, m.from.address, m.bytes, m.count, m.fromStride);
      checkBlocks(m.to.tile, m.to.address, m.bytes, m.count, m.toStride);
    });
    forEach("send", exchange.sends, [&](const auto &m) { checkMessage(m, exchange); });
    forEach("receive", exchange.receives, [&](const auto &m) { checkMessage(m, exchange); });
    forEach("flow", exchange.flows, [&](const auto &f) { checkFlow(f, exchange); });
    checkReplicaMap(exchange.replicaMap);
    checkByTile(exchange);
    checkFlowsAgree(exchange);
  }

  void checkByTile(const wire::Exchange &exchange) const {
    if (!exchange.byTile)
      return;
    require(std::ranges::is_sorted(exchange.moves, {}, [](const auto &m) { return m.to.tile; }),
            "it goes by tile, but its moves are not in the order of the tiles");
    require(!exchange.overlapping && exchange.sends.empty() && exchange.receives.empty(),
            "it goes by tile, but overlaps or has messages");
  }

  void checkPeers(std::uint32_t a, std::uint32_t b, const wire::Exchange &exchange) const {
    for (const auto ipu : {a, b})
      require(ipu < image_.ipusPerReplica,
              "ipu " + to_string(ipu) + " of " + to_string(image_.ipusPerReplica));
    require(a != b || !exchange.replicaMap.empty(),
            "ipu " + to_string(a) + " is its own peer, which only a cross-replica copy allows");
  }

  void checkMessage(const wire::Message &message, const wire::Exchange &exchange) const {
    checkPeers(image_.ipu, message.peer, exchange);
    const auto sum = checkRegions(message.regions);
    require(message.bytes == sum, "it says " + to_string(message.bytes) +
                                      " bytes, but its regions have " + to_string(sum));
  }

  void checkFlow(const wire::Flow &flow, const wire::Exchange &exchange) const {
    checkPeers(flow.from, flow.to, exchange);
  }

  static void checkReplicaMap(const std::vector<std::uint32_t> &map) {
    std::vector<bool> reached(map.size());
    for (const auto replica : map) {
      require(replica < map.size() && !reached[replica],
              "the replica map does not reach every replica once");
      reached[replica] = true;
    }
  }

  /// Checks that the flows of this IPU match its messages.
  void checkFlowsAgree(const wire::Exchange &exchange) const {
    struct Traffic {
      std::uint64_t sent = 0, received = 0;
    };
    std::map<std::uint32_t, Traffic> peers;
    for (const auto &flow : exchange.flows) {
      if (flow.from == image_.ipu)
        add(peers[flow.to].sent, flow.bytes);
      if (flow.to == image_.ipu)
        add(peers[flow.from].received, flow.bytes);
    }
    for (const auto &message : exchange.sends)
      peers[message.peer].sent -= message.bytes;
    for (const auto &message : exchange.receives)
      peers[message.peer].received -= message.bytes;
    for (const auto &[peer, traffic] : peers)
      require(traffic.sent == 0 && traffic.received == 0,
              "its flows and its messages with ipu " + to_string(peer) + " differ in bytes");
  }

  void checkView(const wire::HostView &view) const {
    const auto sum = checkRegions(view.regions);
    require(sum == view.bytes,
            "it says " + to_string(view.bytes) + " bytes, but its regions have " + to_string(sum));
    std::uint64_t pieces = 0;
    forEach("piece", view.pieces, [&](const auto &piece) {
      if (piece.offset > view.rowBytes || piece.bytes > view.rowBytes - piece.offset)
        fail("beyond the row of " + to_string(view.rowBytes) + " bytes");
      add(pieces, piece.bytes);
    });
    require(pieces == view.bytes, "it says " + to_string(view.bytes) +
                                      " bytes, but its pieces of the row have " +
                                      to_string(pieces));
  }

  static void checkDirection(wire::Direction direction) {
    require(direction <= wire::Direction::ToHost, "unknown direction");
  }

  void checkHostExchange(const wire::HostExchange &exchange) const {
    std::uint64_t own[2] = {0, 0};
    forEach("transfer", exchange.transfers, [&](const auto &transfer) {
      checkDirection(transfer.direction);
      checkView(transfer.view);
      add(own[static_cast<int>(transfer.direction)], transfer.view.bytes);
    });
    require(own[0] <= exchange.replicaBytesToDevice && own[1] <= exchange.replicaBytesToHost,
            "this IPU's bytes are more than those of its replica");
  }

  void checkRemoteCopy(const wire::RemoteCopy &copy) const {
    checkDirection(copy.direction);
    checkView(copy.view);
    require(copy.rows >= 1, "no rows");
    require(copy.rowBytes <= UINT64_MAX / copy.rows &&
                copy.view.rowBytes == copy.rows * copy.rowBytes,
            "its view is of a row of " + to_string(copy.view.rowBytes) + " bytes instead of " +
                to_string(copy.rows) + " rows of " + to_string(copy.rowBytes));
    require(copy.view.bytes <= copy.replicaBytes,
            "this IPU's bytes are more than those of its replica");
    if (!copy.hasOffsets)
      return require(copy.rows == 1, to_string(copy.rows) + " rows without offsets");
    checkRegion(copy.offsets);
    require(copy.offsets.size() == std::uint64_t{wire::kWordBytes} * copy.rows,
            "its offsets are not one word per row");
  }

  void checkTables(const wire::CheckTables &tables) const {
    std::size_t vertices = 0;
    for (const auto &set : image_.computeSets)
      vertices += set.vertices.size();
    require(tables.givenEnds.size() == (tables.present ? vertices : 0) &&
                std::is_sorted(tables.givenEnds.begin(), tables.givenEnds.end()) &&
                (tables.givenEnds.empty() ? 0 : tables.givenEnds.back()) == tables.given.size(),
            "what its vertices were given is not told of each of them");
    // Checked on tile 0, because all tiles have equal addresses.
    forEach("given range", tables.given, [&](const auto &range) {
      checkMemory(0, range.address, range.bytes);
      require(range.field < tables.names.size(), "no name of its field");
    });
    forEach("variable", tables.variables, [&](const auto &range) {
      checkMemory(range.tile, range.address, range.bytes);
      require(range.name < tables.names.size(), "no name");
    });
    forEach("undefined range", tables.undefined, [&](const auto &range) {
      checkBlocks(range.tile, range.address, range.bytes, range.count, range.stride);
      require(range.step < image_.steps.size(), "no such step");
    });
  }

  void checkInitial(const wire::InitialData &data) const {
    checkRegion(data.to);
    if (data.offset > image_.data.size() || data.to.bytes > image_.data.size() - data.offset)
      fail("beyond the " + to_string(image_.data.size()) + " bytes of data");
  }

  const wire::Image &image_;
  CodeAddresses codeAddresses_;
};

} // namespace

wire::Status validate(const wire::Image &image) {
  try {
    Validator(image).check();
  } catch (const std::invalid_argument &error) {
    return {wire::Code::InvalidImage,
            "the image of ipu " + to_string(image.ipu) + " is refused: " + error.what()};
  }
  return wire::Status::success();
}

} // namespace copse::ipud
