#include "wire/image_codec.hpp"

#include "schema/image.capnp.h"

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <kj/exception.h>
#include <kj/io.h>

#include <array>
#include <bit>
#include <cstring>
#include <new>
#include <stdexcept>
#include <type_traits>

namespace copse::wire {
namespace {

static_assert(std::endian::native == std::endian::little,
              "records are copied as they lie in memory");

constexpr std::uint32_t kFormat = 1;
/// Cap'n Proto counts the bytes of a list in 29 bits.
constexpr std::size_t kMaxBlobBytes = (std::size_t{1} << 29) - 1;

/// Encodes a record of type T. Specialised if the stored form differs from T's layout in memory.
template <class T> struct Record {
  using Stored = T;
  static const T &store(const T &value) { return value; }
  static const T &load(const T &stored) { return stored; }
};

template <> struct Record<Step> {
  using Stored = std::array<std::uint32_t, 7>;
  static Stored store(const Step &s) {
    return {static_cast<std::uint32_t>(s.op) | std::uint32_t{s.predicateBytes} << 8,
            s.index,
            s.count,
            s.body,
            s.other,
            s.predicate.tile,
            s.predicate.address};
  }
  static Step load(const Stored &w) {
    if (w[0] > 0xffff)
      throw std::invalid_argument("a step's first word has unknown bits");
    return {static_cast<Op>(w[0] & 0xff),
            static_cast<std::uint8_t>(w[0] >> 8),
            w[1],
            w[2],
            w[3],
            w[4],
            {w[5], w[6]}};
  }
};

template <> struct Record<InitialData> {
  using Stored = std::array<std::uint32_t, 7>;
  static Stored store(const InitialData &d) {
    return {d.to.tile,
            d.to.address,
            d.to.bytes,
            d.to.count,
            static_cast<std::uint32_t>(d.to.stride),
            static_cast<std::uint32_t>(d.offset),
            static_cast<std::uint32_t>(d.offset >> 32)};
  }
  static InitialData load(const Stored &w) {
    return {{w[0], w[1], w[2], w[3], static_cast<std::int32_t>(w[4])},
            w[5] | std::uint64_t{w[6]} << 32};
  }
};

template <class T> constexpr bool kCopiedAsIs = std::is_same_v<typename Record<T>::Stored, T>;

template <class T, class Init> void put(const std::vector<T> &records, Init init) {
  using Stored = typename Record<T>::Stored;
  static_assert(std::has_unique_object_representations_v<Stored>, "padding must not travel");
  const std::size_t bytes = records.size() * sizeof(Stored);
  if (bytes > kMaxBlobBytes)
    throw std::length_error("an array of " + std::to_string(bytes) + " bytes; at most " +
                            std::to_string(kMaxBlobBytes) + " fit");
  capnp::Data::Builder blob = init(static_cast<unsigned>(bytes));
  if constexpr (kCopiedAsIs<T>) {
    if (bytes != 0)
      std::memcpy(blob.begin(), records.data(), bytes);
  } else {
    auto *out = blob.begin();
    for (const T &record : records) {
      const Stored stored = Record<T>::store(record);
      std::memcpy(out, &stored, sizeof stored);
      out += sizeof stored;
    }
  }
}

template <class T> std::vector<T> get(capnp::Data::Reader blob) {
  using Stored = typename Record<T>::Stored;
  if (blob.size() % sizeof(Stored) != 0)
    throw std::invalid_argument("an array of " + std::to_string(blob.size()) +
                                " bytes is no whole number of records of " +
                                std::to_string(sizeof(Stored)));
  std::vector<T> records(blob.size() / sizeof(Stored));
  if constexpr (kCopiedAsIs<T>) {
    if (!records.empty())
      std::memcpy(records.data(), blob.begin(), blob.size());
  } else {
    const auto *in = blob.begin();
    for (T &record : records) {
      Stored stored;
      std::memcpy(&stored, in, sizeof stored);
      record = Record<T>::load(stored);
      in += sizeof stored;
    }
  }
  return records;
}

/// Fills a Cap'n Proto list element by element.
template <class T, class Init, class Put>
void putList(const std::vector<T> &items, Init init, Put putItem) {
  auto list = init(static_cast<unsigned>(items.size()));
  for (std::size_t i = 0; i < items.size(); ++i)
    putItem(items[i], list[static_cast<unsigned>(i)]);
}

template <class T, class List, class Get> std::vector<T> getList(List list, Get getItem) {
  std::vector<T> items;
  items.reserve(list.size());
  for (auto item : list)
    items.push_back(getItem(item));
  return items;
}

/// Encoders end a text at its first NUL, so a text with a NUL inside is not ours.
std::string text(capnp::Text::Reader reader) {
  std::string value(reader.begin(), reader.size());
  if (value.find('\0') != std::string::npos)
    throw std::invalid_argument("a text with a NUL in it");
  return value;
}

/// Encodes a Cap'n Proto list of numbers or texts.
template <class T, class Init> void putValues(const std::vector<T> &values, Init init) {
  auto list = init(static_cast<unsigned>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    list.set(static_cast<unsigned>(i), values[i]);
}

std::uint32_t number(std::uint32_t value) { return value; }

void putGeometry(const TileGeometry &from, image_schema::TileGeometry::Builder to) {
  to.setTiles(from.tiles);
  to.setWorkers(from.workers);
  to.setSlotBits(from.slotBits);
  to.setMemoryBase(from.memoryBase);
  to.setMemoryBytes(from.memoryBytes);
}

TileGeometry getGeometry(image_schema::TileGeometry::Reader from) {
  return {from.getTiles(), from.getWorkers(), from.getSlotBits(), from.getMemoryBase(),
          from.getMemoryBytes()};
}

void putModule(const ModuleRef &from, image_schema::ModuleRef::Builder to) {
  to.setSha256(from.sha256);
  to.setName(from.name);
}

ModuleRef getModule(image_schema::ModuleRef::Reader from) {
  return {text(from.getSha256()), text(from.getName())};
}

void putFunction(const CodeletFunction &from, image_schema::CodeletFunction::Builder to) {
  to.setModule(from.module);
  to.setSymbol(from.symbol);
  to.setVertexType(from.vertexType);
  to.setMultiVertex(from.multiVertex);
  to.setKind(static_cast<std::uint8_t>(from.kind));
  to.setEntry(from.entry);
}

CodeletFunction getFunction(image_schema::CodeletFunction::Reader from) {
  return {from.getModule(),
          text(from.getSymbol()),
          text(from.getVertexType()),
          from.getMultiVertex(),
          static_cast<CodeKind>(from.getKind()),
          from.getEntry()};
}

void putComputeSet(const ComputeSet &from, image_schema::ComputeSet::Builder to) {
  to.setName(from.name);
  put(from.tiles, [&](unsigned n) { return to.initTiles(n); });
  put(from.vertices, [&](unsigned n) { return to.initVertices(n); });
  to.setHasResult(from.hasResult);
  to.setResultTile(from.result.tile);
  to.setResultAddress(from.result.address);
}

ComputeSet getComputeSet(image_schema::ComputeSet::Reader from) {
  return {text(from.getName()),
          get<TileVertices>(from.getTiles()),
          get<VertexRecord>(from.getVertices()),
          from.getHasResult(),
          {from.getResultTile(), from.getResultAddress()}};
}

void putMessage(const Message &from, image_schema::Message::Builder to) {
  to.setPeer(from.peer);
  put(from.regions, [&](unsigned n) { return to.initRegions(n); });
  to.setBytes(from.bytes);
}

Message getMessage(image_schema::Message::Reader from) {
  return {from.getPeer(), get<Region>(from.getRegions()), from.getBytes()};
}

void putExchange(const Exchange &from, image_schema::Exchange::Builder to) {
  to.setName(from.name);
  put(from.moves, [&](unsigned n) { return to.initMoves(n); });
  to.setOverlapping(from.overlapping);
  putList(
      from.sends, [&](unsigned n) { return to.initSends(n); }, putMessage);
  putList(
      from.receives, [&](unsigned n) { return to.initReceives(n); }, putMessage);
  put(from.flows, [&](unsigned n) { return to.initFlows(n); });
  putValues(from.replicaMap, [&](unsigned n) { return to.initReplicaMap(n); });
  to.setByTile(from.byTile);
}

Exchange getExchange(image_schema::Exchange::Reader from) {
  return {text(from.getName()),
          get<Move>(from.getMoves()),
          from.getOverlapping(),
          getList<Message>(from.getSends(), getMessage),
          getList<Message>(from.getReceives(), getMessage),
          get<Flow>(from.getFlows()),
          getList<std::uint32_t>(from.getReplicaMap(), number),
          from.getByTile()};
}

void putView(const HostView &from, image_schema::HostView::Builder to) {
  put(from.regions, [&](unsigned n) { return to.initRegions(n); });
  put(from.pieces, [&](unsigned n) { return to.initPieces(n); });
  to.setBytes(from.bytes);
  to.setRowBytes(from.rowBytes);
}

HostView getView(image_schema::HostView::Reader from) {
  return {get<Region>(from.getRegions()), get<HostPiece>(from.getPieces()), from.getBytes(),
          from.getRowBytes()};
}

void putTransfer(const StreamTransfer &from, image_schema::StreamTransfer::Builder to) {
  to.setStream(from.stream);
  to.setDirection(static_cast<std::uint8_t>(from.direction));
  putView(from.view, to.initView());
}

StreamTransfer getTransfer(image_schema::StreamTransfer::Reader from) {
  return {from.getStream(), static_cast<Direction>(from.getDirection()), getView(from.getView())};
}

void putHostExchange(const HostExchange &from, image_schema::HostExchange::Builder to) {
  to.setName(from.name);
  putList(
      from.transfers, [&](unsigned n) { return to.initTransfers(n); }, putTransfer);
  to.setReplicaBytesToDevice(from.replicaBytesToDevice);
  to.setReplicaBytesToHost(from.replicaBytesToHost);
}

HostExchange getHostExchange(image_schema::HostExchange::Reader from) {
  return {text(from.getName()), getList<StreamTransfer>(from.getTransfers(), getTransfer),
          from.getReplicaBytesToDevice(), from.getReplicaBytesToHost()};
}

void putRemoteCopy(const RemoteCopy &from, image_schema::RemoteCopy::Builder to) {
  to.setName(from.name);
  to.setBuffer(from.buffer);
  to.setDirection(static_cast<std::uint8_t>(from.direction));
  to.setRows(from.rows);
  to.setRowBytes(from.rowBytes);
  to.setHasOffsets(from.hasOffsets);
  put(std::vector<Region>{from.offsets}, [&](unsigned n) { return to.initOffsets(n); });
  putView(from.view, to.initView());
  to.setReplicaBytes(from.replicaBytes);
}

RemoteCopy getRemoteCopy(image_schema::RemoteCopy::Reader from) {
  const auto offsets = get<Region>(from.getOffsets());
  if (offsets.size() != 1)
    throw std::invalid_argument("a remote copy without exactly one region of offsets");
  return {
      text(from.getName()), from.getBuffer(),        static_cast<Direction>(from.getDirection()),
      from.getRows(),       from.getRowBytes(),      from.getHasOffsets(),
      offsets[0],           getView(from.getView()), from.getReplicaBytes()};
}

void putPrint(const Print &from, image_schema::Print::Builder to) {
  to.setTensor(from.tensor);
  putView(from.view, to.initView());
}

Print getPrint(image_schema::Print::Reader from) {
  return {from.getTensor(), getView(from.getView())};
}

void putSymbol(const CodeSymbol &from, image_schema::CodeSymbol::Builder to) {
  to.setName(from.name);
  to.setAddress(from.address);
  to.setBytes(from.bytes);
}

CodeSymbol getSymbol(image_schema::CodeSymbol::Reader from) {
  return {text(from.getName()), from.getAddress(), from.getBytes()};
}

void putSection(const CodeSection &from, image_schema::CodeSection::Builder to) {
  to.setAddress(from.address);
  to.setBytes(from.bytes);
  to.setOffset(from.offset);
  putValues(from.tiles, [&](unsigned n) { return to.initTiles(n); });
  putList(
      from.symbols, [&](unsigned n) { return to.initSymbols(n); }, putSymbol);
  put(from.lines, [&](unsigned n) { return to.initLines(n); });
  to.setIsForNativeCode(from.isForNativeCode);
}

CodeSection getSection(image_schema::CodeSection::Reader from) {
  return {from.getAddress(),
          from.getBytes(),
          from.getOffset(),
          getList<std::uint32_t>(from.getTiles(), number),
          getList<CodeSymbol>(from.getSymbols(), getSymbol),
          get<CodeLine>(from.getLines()),
          from.getIsForNativeCode()};
}

void putRegisters(const TileRegisters &from, image_schema::TileRegisters::Builder to) {
  putValues(from.floatingPoint, [&](unsigned n) { return to.initFloatingPoint(n); });
  putValues(from.seeds, [&](unsigned n) { return to.initSeeds(n); });
  to.setAtLoad(from.atLoad);
  to.setRaise(from.raise);
}

void putChecks(const CheckTables &from, image_schema::CheckTables::Builder to) {
  to.setPresent(from.present);
  putValues(from.names, [&](unsigned n) { return to.initNames(n); });
  putValues(from.givenEnds, [&](unsigned n) { return to.initGivenEnds(n); });
  put(from.given, [&](unsigned n) { return to.initGiven(n); });
  put(from.variables, [&](unsigned n) { return to.initVariables(n); });
  put(from.undefined, [&](unsigned n) { return to.initUndefined(n); });
  to.setEdgeExchanges(from.edgeExchanges);
}

CheckTables getChecks(image_schema::CheckTables::Reader from) {
  return {from.getPresent(),
          getList<std::string>(from.getNames(), text),
          getList<std::uint32_t>(from.getGivenEnds(), number),
          get<GivenRange>(from.getGiven()),
          get<NamedRange>(from.getVariables()),
          get<UndefinedRange>(from.getUndefined()),
          from.getEdgeExchanges()};
}

void putImage(const Image &from, image_schema::Image::Builder to) {
  to.setFormat(kFormat);
  to.setIpu(from.ipu);
  to.setIpusPerReplica(from.ipusPerReplica);
  putGeometry(from.geometry, to.initGeometry());
  putList(
      from.modules, [&](unsigned n) { return to.initModules(n); }, putModule);
  putList(
      from.functions, [&](unsigned n) { return to.initFunctions(n); }, putFunction);
  putList(
      from.computeSets, [&](unsigned n) { return to.initComputeSets(n); }, putComputeSet);
  putList(
      from.exchanges, [&](unsigned n) { return to.initExchanges(n); }, putExchange);
  putList(
      from.hostExchanges, [&](unsigned n) { return to.initHostExchanges(n); }, putHostExchange);
  putList(
      from.remoteCopies, [&](unsigned n) { return to.initRemoteCopies(n); }, putRemoteCopy);
  putList(
      from.prints, [&](unsigned n) { return to.initPrints(n); }, putPrint);
  putList(
      from.hostViews, [&](unsigned n) { return to.initHostViews(n); }, putView);
  putValues(from.messages, [&](unsigned n) { return to.initMessages(n); });
  put(from.steps, [&](unsigned n) { return to.initSteps(n); });
  put(from.programs, [&](unsigned n) { return to.initPrograms(n); });
  put(from.calls, [&](unsigned n) { return to.initCalls(n); });
  put(from.initial, [&](unsigned n) { return to.initInitial(n); });
  put(from.replicaIndices, [&](unsigned n) { return to.initReplicaIndices(n); });
  to.setDataBytes(from.data.size());
  to.setArchitecture(static_cast<std::uint8_t>(from.architecture));
  putList(
      from.code, [&](unsigned n) { return to.initCode(n); }, putSection);
  putValues(from.sourceFiles, [&](unsigned n) { return to.initSourceFiles(n); });
  putValues(from.stacks, [&](unsigned n) { return to.initStacks(n); });
  putRegisters(from.registers, to.initRegisters());
  if (from.checks.present)
    putChecks(from.checks, to.initChecks());
}

TileRegisters getRegisters(image_schema::TileRegisters::Reader from) {
  return {getList<std::uint32_t>(from.getFloatingPoint(), number),
          getList<std::uint32_t>(from.getSeeds(), number), from.getAtLoad(), from.getRaise()};
}

Image getImage(image_schema::Image::Reader from) {
  Image to;
  to.ipu = from.getIpu();
  to.ipusPerReplica = from.getIpusPerReplica();
  to.geometry = getGeometry(from.getGeometry());
  to.modules = getList<ModuleRef>(from.getModules(), getModule);
  to.functions = getList<CodeletFunction>(from.getFunctions(), getFunction);
  to.computeSets = getList<ComputeSet>(from.getComputeSets(), getComputeSet);
  to.exchanges = getList<Exchange>(from.getExchanges(), getExchange);
  to.hostExchanges = getList<HostExchange>(from.getHostExchanges(), getHostExchange);
  to.remoteCopies = getList<RemoteCopy>(from.getRemoteCopies(), getRemoteCopy);
  to.prints = getList<Print>(from.getPrints(), getPrint);
  to.hostViews = getList<HostView>(from.getHostViews(), getView);
  to.messages = getList<std::string>(from.getMessages(), text);
  to.steps = get<Step>(from.getSteps());
  to.programs = get<StepRange>(from.getPrograms());
  to.calls = get<StepRange>(from.getCalls());
  to.initial = get<InitialData>(from.getInitial());
  to.replicaIndices = get<TileAddress>(from.getReplicaIndices());
  to.architecture = static_cast<Architecture>(from.getArchitecture());
  to.code = getList<CodeSection>(from.getCode(), getSection);
  to.sourceFiles = getList<std::string>(from.getSourceFiles(), text);
  to.stacks = getList<std::uint32_t>(from.getStacks(), number);
  to.registers = getRegisters(from.getRegisters());
  if (from.getChecks().getPresent()) // otherwise all other members are empty
    to.checks = getChecks(from.getChecks());
  return to;
}

/// Returns the frame itself if it is aligned for Cap'n Proto, else a copy.
kj::ArrayPtr<const capnp::word> wordsOf(std::span<const std::byte> frame,
                                        kj::Array<capnp::word> &copy) {
  const std::size_t count = frame.size() / sizeof(capnp::word);
  if (reinterpret_cast<std::uintptr_t>(frame.data()) % alignof(capnp::word) == 0)
    return {reinterpret_cast<const capnp::word *>(frame.data()), count};
  copy = kj::heapArray<capnp::word>(count);
  std::memcpy(copy.begin(), frame.data(), count * sizeof(capnp::word));
  return copy;
}

Status badImage(const std::string &why) {
  return {Code::BadFrame, "the bytes are not an image: " + why};
}

Result<Image> decode(std::span<const std::byte> frame, std::span<const std::byte> data) {
  kj::Array<capnp::word> copy;
  const auto words = wordsOf(frame, copy);
  // Every field is read once, so a valid image needs about its own size. Only overlapping pointers
  // need more.
  capnp::ReaderOptions limits;
  limits.traversalLimitInWords = 2 * words.size() + 1024;
  capnp::FlatArrayMessageReader reader(words, limits);
  const auto root = reader.getRoot<image_schema::Image>();
  if (root.getFormat() != kFormat)
    return badImage("format " + std::to_string(root.getFormat()) + ", this build knows format " +
                    std::to_string(kFormat));
  if (root.getDataBytes() != data.size())
    return badImage("its data frame has " + std::to_string(data.size()) + " bytes instead of " +
                    std::to_string(root.getDataBytes()));
  Image image = getImage(root);
  image.data.assign(data.begin(), data.end());
  return image;
}

} // namespace

Status encodeImage(const Image &image, const FramePlace &place) {
  try {
    capnp::MallocMessageBuilder builder;
    putImage(image, builder.initRoot<image_schema::Image>());
    const auto segments = builder.getSegmentsForOutput();
    const std::size_t bytes = capnp::computeSerializedSizeInWords(segments) * sizeof(capnp::word);
    kj::ArrayOutputStream frame(kj::arrayPtr(reinterpret_cast<kj::byte *>(place(bytes)), bytes));
    capnp::writeMessage(frame, segments);
    return Status::success();
  } catch (const std::length_error &error) {
    return Status{Code::InvalidImage,
                  std::string("the image is too large to be sent: ") + error.what()};
  } catch (const kj::Exception &error) {
    return Status{Code::InvalidImage, std::string("the image is too large to be sent: ") +
                                          error.getDescription().cStr()};
  }
}

Result<std::vector<std::byte>> encodeImage(const Image &image) {
  std::vector<std::byte> frame;
  Status status = encodeImage(image, [&frame](std::size_t bytes) {
    frame.resize(bytes);
    return frame.data();
  });
  if (!status.ok())
    return status;
  return frame;
}

Result<Image> decodeImage(std::span<const std::byte> frame, std::span<const std::byte> data) {
  if (frame.empty())
    return badImage("the frame is empty");
  try {
    return decode(frame, data);
  } catch (const kj::Exception &error) {
    return badImage(error.getDescription().cStr());
  } catch (const std::invalid_argument &error) {
    return badImage(error.what());
  } catch (const std::bad_alloc &) {
    return badImage("it needs more memory than there is");
  }
}

} // namespace copse::wire
