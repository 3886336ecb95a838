#include "engine/executable_file.hpp"

#include "compiler/memory_layout_json.hpp"
#include "disk_cache/digest.hpp"
#include "ipud/validate.hpp"
#include "popc/popc.hpp"
#include "poplar/VersionString.hpp"
#include "poplar/exceptions.hpp"
#include "types/element_type.hpp"
#include "types/nested_data.hpp"
#include "types/target_json.hpp"
#include "wire/image_codec.hpp"
#include "wire/printable.hpp"

#include <charconv>
#include <istream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

using nlohmann::json;

// nlohmann's own conversion by member name.
namespace poplar {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PrintTensorFmt, summariseThreshold, edgeItems, maxLineWidth,
                                   digits, floatFormat, separator, openBracket, closeBracket)
} // namespace poplar
namespace copse::graph {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StreamDef, handle, type, elements, toHost, broadcast,
                                   bufferingDepth, splitLimit)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RemoteBufferDef, handle, type, elements, repeats)
} // namespace copse::graph
namespace copse::compiler {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Stream, definition, rowBytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RemoteBuffer, definition, rowBytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostAccess, handle, write, view, rowBytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Optimizations, copiesElided, edgesInPlace, edgesBuffered,
                                   buffersShared)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PrintedTensor, title, type, shape, metadata, format)
static void to_json(nlohmann::json &json, const ProgramBlock &block) {
  json = {block.name, block.steps.first, block.steps.count};
}
static void from_json(const nlohmann::json &json, ProgramBlock &block) {
  block = {json.at(0), {json.at(1), json.at(2)}};
}
} // namespace copse::compiler

namespace copse::engine {

using compiler::CompiledProgram;

namespace {

constexpr std::string_view kMagic = "COPSE-EXE 3\n";
constexpr std::size_t kDigestChars = 64, kSizeChars = 16;
/// The magic line, the line with the digest, and the line with the body's size.
constexpr std::size_t kHeadChars = kMagic.size() + kDigestChars + 1 + kSizeChars + 1;

[[noreturn]] void refuse(const std::string &why) {
  throw poplar::file_load_error("this is not an executable that this version can load: " +
                                wire::printableText(why) + "; compile the graph again");
}

std::string_view asText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

/// Consumes the parts listed in the table.
class Parts {
public:
  explicit Parts(std::string_view bytes) : rest_(bytes) {}
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size())
      refuse("it is cut");
    const std::string_view part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return part;
  }
  bool empty() const { return rest_.empty(); }

private:
  std::string_view rest_;
};

std::span<const std::byte> asBytes(std::string_view text) {
  return {reinterpret_cast<const std::byte *>(text.data()), text.size()};
}

std::string modulesOf(const CompiledProgram &program) {
  std::vector<popc::Module> modules;
  for (const auto &module : program.modules)
    modules.push_back(*module);
  std::ostringstream gp;
  popc::writeGp(gp, modules);
  return std::move(gp).str();
}

json tableOf(const poplar::Executable::Impl &executable) {
  const CompiledProgram &program = executable.program;
  json options = json::object();
  for (const auto &[name, value] : executable.options)
    options[name] = value;
  return {{"version", poplar::versionString()},
          {"target", types::targetToJson(types::describe(executable.target))},
          {"options", std::move(options)},
          {"name", executable.name},
          {"replicas", program.replicas},
          {"streams", program.streams},
          {"remoteBuffers", program.remoteBuffers},
          {"hostAccesses", program.hostAccesses},
          {"printed", program.printed},
          {"blocks", program.blocks},
          {"memory", compiler::layoutToJson(program.memory)},
          {"optimizations", program.optimizations},
          {"variableCount", program.variableCount},
          {"edgeCount", program.edgeCount}};
}

/// Returns the size of one replica's print. Elements without a type have no size, and are never
/// printed.
std::uint64_t printedBytes(const compiler::PrintedTensor &tensor,
                           const types::TargetDescription &target) {
  if (tensor.type == popc::ElementType::Other)
    refuse("it prints a tensor without an element type");
  std::uint64_t bytes = types::elementBytes(tensor.type, target.arch, target.halfBytes);
  for (const std::size_t size : tensor.shape)
    if (__builtin_mul_overflow(bytes, size, &bytes))
      refuse("it prints more than there can be");
  return bytes + (tensor.metadata ? 1 : 0);
}

void checkStreams(const wire::Image &image, const CompiledProgram &program,
                  const types::TargetDescription &target) {
  for (const wire::HostExchange &exchange : image.hostExchanges)
    for (const wire::StreamTransfer &transfer : exchange.transfers)
      if (transfer.stream >= program.streams.size() ||
          transfer.view.rowBytes != program.streams[transfer.stream].rowBytes)
        refuse("a stream copy does not fit its stream");
  for (const wire::RemoteCopy &copy : image.remoteCopies)
    if (copy.buffer >= program.remoteBuffers.size() ||
        copy.rowBytes != program.remoteBuffers[copy.buffer].rowBytes)
      refuse("a remote copy does not fit its buffer");
  for (const wire::Print &print : image.prints)
    if (print.tensor >= program.printed.size() ||
        print.view.rowBytes != printedBytes(program.printed[print.tensor], target))
      refuse("a print does not fit its tensor");
  for (const compiler::HostAccess &access : program.hostAccesses)
    if (access.view >= image.hostViews.size() ||
        image.hostViews[access.view].rowBytes != access.rowBytes)
      refuse("a host tensor has no view");
}

void checkMemory(const compiler::MemoryLayout &memory, const wire::Image &image,
                 const types::TargetDescription &target) {
  if (memory.bytesWithGaps.size() != target.numTiles() ||
      memory.vertexTypes.size() != image.functions.size() ||
      memory.stepTimes.size() != image.steps.size() ||
      memory.stepItems.size() != image.steps.size())
    refuse("its memory layout is of another program");
}

/// Checks what all images of a program must have in common.
void checkAlike(const wire::Image &image, const wire::Image &first) {
  const bool alike = image.steps == first.steps && image.programs == first.programs &&
                     image.calls == first.calls && image.functions == first.functions &&
                     image.modules == first.modules && image.geometry == first.geometry &&
                     image.computeSets.size() == first.computeSets.size() &&
                     image.exchanges.size() == first.exchanges.size() &&
                     image.hostExchanges.size() == first.hostExchanges.size() &&
                     image.remoteCopies.size() == first.remoteCopies.size() &&
                     image.prints.size() == first.prints.size();
  if (!alike)
    refuse("its images belong to different programs");
}

void check(const poplar::Executable::Impl &executable) {
  const CompiledProgram &program = executable.program;
  const types::TargetDescription &target = types::describe(executable.target);
  if (program.replicas == 0 || program.images.size() != target.numIPUs)
    refuse("the number of images is not the number of IPUs");
  checkMemory(program.memory, program.images.front(), target);
  std::vector<popc::ElementType> types;
  for (const auto &stream : program.streams)
    types.push_back(stream.definition.type);
  for (const auto &buffer : program.remoteBuffers)
    types.push_back(buffer.definition.type);
  for (const auto &tensor : program.printed)
    types.push_back(tensor.type);
  const std::size_t steps = program.images.front().steps.size();
  for (const auto &block : program.blocks)
    if (block.steps.first > steps || block.steps.count > steps - block.steps.first)
      refuse("a block has steps that are not there");
  for (const auto &tensor : program.printed)
    if (tensor.format.floatFormat > poplar::PrintTensorFmt::FloatFormat::None)
      refuse("it has an unknown print format");
  for (const auto type : types)
    if (type > popc::ElementType::Other)
      refuse("it has an unknown element type");
  for (std::uint32_t ipu = 0; ipu < program.images.size(); ++ipu) {
    const wire::Image &image = program.images[ipu];
    if (image.ipu != ipu || image.geometry.tiles != target.tilesPerIPU)
      refuse("an image is of another target");
    if (const wire::Status status = ipud::validate(image); !status.ok())
      refuse(status.message);
    checkAlike(image, program.images.front());
    checkStreams(image, program, target);
  }
}

std::vector<wire::Image> imagesFrom(const json &sizes, Parts &parts) {
  std::vector<wire::Image> images;
  for (const json &size : sizes) {
    const std::string_view frame = parts.take(size.at(0).get<std::uint64_t>());
    const std::string_view data = parts.take(size.at(1).get<std::uint64_t>());
    auto image = wire::decodeImage(asBytes(frame), asBytes(data));
    if (!image.ok())
      refuse(image.status().message);
    images.push_back(std::move(*image));
  }
  return images;
}

void readModules(std::string_view gp, CompiledProgram &program) {
  std::istringstream in{std::string(gp)};
  for (popc::Module &module : popc::readGp(in, "its modules"))
    program.modules.push_back(std::make_shared<const popc::Module>(std::move(module)));
  std::set<std::string> there;
  for (const auto &module : program.modules)
    there.insert(module->sha256);
  for (const wire::ModuleRef &needed : program.images.front().modules)
    if (!there.count(needed.sha256))
      refuse("a module is missing");
}

std::unique_ptr<poplar::Executable::Impl> parse(std::string_view body) {
  Parts parts(body);
  const std::string_view digits = parts.take(16);
  const json table = types::parseCbor(parts.take(std::stoull(std::string(digits), nullptr, 16)),
                                      json::cbor_tag_handler_t::store);
  if (table.at("version") != poplar::versionString())
    refuse("it was compiled by version " + table.at("version").get<std::string>());
  auto executable = std::make_unique<poplar::Executable::Impl>();
  executable->target = types::makeTarget(types::targetFromJson(table.at("target")));
  for (const auto &[name, value] : table.at("options").items())
    executable->options.set(name, value.get<std::string>());
  table.at("name").get_to(executable->name);
  CompiledProgram &program = executable->program;
  table.at("replicas").get_to(program.replicas);
  table.at("streams").get_to(program.streams);
  table.at("remoteBuffers").get_to(program.remoteBuffers);
  table.at("hostAccesses").get_to(program.hostAccesses);
  table.at("printed").get_to(program.printed);
  table.at("blocks").get_to(program.blocks);
  program.memory = compiler::layoutFromJson(table.at("memory"));
  table.at("optimizations").get_to(program.optimizations);
  table.at("variableCount").get_to(program.variableCount);
  table.at("edgeCount").get_to(program.edgeCount);
  program.images = imagesFrom(table.at("images"), parts);
  check(*executable);
  readModules(parts.take(table.at("moduleBytes").get<std::uint64_t>()), program);
  if (!parts.empty())
    refuse("something follows its end");
  return executable;
}

void checkHead(std::string_view file) {
  if (file.substr(0, kMagic.size()) != kMagic)
    refuse("it does not begin as one");
  if (file.size() < kHeadChars || file[kMagic.size() + kDigestChars] != '\n' ||
      file[kHeadChars - 1] != '\n')
    refuse("the data are truncated or damaged");
}

/// \param file  its head must have been checked
std::uint64_t bodySize(std::string_view file) {
  const char *digits = file.data() + kHeadChars - 1 - kSizeChars;
  std::uint64_t size = 0;
  const auto [end, error] = std::from_chars(digits, digits + kSizeChars, size, 16);
  if (error != std::errc() || end != digits + kSizeChars)
    refuse("the data are truncated or damaged");
  return size;
}

/// Returns the number of bytes known to be left in a stream; 0 if it cannot tell.
std::uint64_t leftIn(std::istream &in) {
  const auto here = in.tellg();
  if (here < 0) {
    in.clear();
    return 0;
  }
  const auto end = in.seekg(0, std::ios::end).tellg();
  in.clear();
  in.seekg(here);
  return end > here ? static_cast<std::uint64_t>(end - here) : 0;
}

/// Appends up to \p size bytes. A damaged size must not exhaust memory, so the buffer grows only
/// with the bytes that are known to exist or have arrived.
void readAtMost(std::istream &in, std::uint64_t size, std::string &bytes) {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;
  const std::uint64_t whole = bytes.size() + size;
  std::uint64_t room = std::max(kLeast, leftIn(in));
  while (in && bytes.size() < whole) {
    const std::size_t had = bytes.size();
    bytes.resize(std::min(whole, had + room));
    in.read(bytes.data() + had, static_cast<std::streamsize>(bytes.size() - had));
    bytes.resize(had + static_cast<std::size_t>(in.gcount()));
    room = std::max<std::uint64_t>(kLeast, bytes.size());
  }
}

std::string hexadecimal16(std::uint64_t value) {
  std::ostringstream text;
  text << std::hex << value;
  std::string digits = text.str();
  return std::string(16 - digits.size(), '0') + digits;
}

} // namespace

void writeExecutable(const poplar::Executable::Impl &executable, std::ostream &out) {
  json table = tableOf(executable), sizes = json::array();
  std::vector<std::vector<std::byte>> frames;
  for (const wire::Image &image : executable.program.images) {
    auto frame = wire::encodeImage(image);
    if (!frame.ok())
      throw poplar::poplar_error("the executable cannot be saved: " + frame.status().message);
    sizes.push_back({frame->size(), image.data.size()});
    frames.push_back(std::move(*frame));
  }
  const std::string modules = modulesOf(executable.program);
  table["images"] = std::move(sizes);
  table["moduleBytes"] = modules.size();
  std::string encodedTable;
  json::to_cbor(table, encodedTable);
  encodedTable.insert(0, hexadecimal16(encodedTable.size()));

  std::vector<std::string_view> parts{encodedTable};
  for (std::size_t i = 0; i < frames.size(); ++i) {
    parts.push_back(asText(frames[i]));
    parts.push_back(asText(executable.program.images[i].data));
  }
  parts.push_back(modules);
  disk_cache::Digest digest;
  std::uint64_t size = 0;
  for (const std::string_view part : parts) {
    digest.add(part);
    size += part.size();
  }
  out << kMagic << digest.finish() << '\n' << hexadecimal16(size) << '\n';
  for (const std::string_view part : parts)
    out.write(part.data(), static_cast<std::streamsize>(part.size()));
}

std::string_view bodyOf(std::string_view file) {
  return file.substr(std::min(file.size(), kHeadChars));
}

std::string takeExecutable(std::istream &in) {
  std::string file;
  readAtMost(in, kHeadChars, file);
  checkHead(file);
  readAtMost(in, bodySize(file), file);
  return file;
}

std::unique_ptr<poplar::Executable::Impl> readExecutable(std::string_view file) {
  checkHead(file);
  const std::string_view body = bodyOf(file);
  if (body.size() != bodySize(file) ||
      file.substr(kMagic.size(), kDigestChars) != disk_cache::sha256(body))
    refuse("the data are truncated or damaged");
  return readExecutableBody(body);
}

std::unique_ptr<poplar::Executable::Impl> readExecutableBody(std::string_view body) {
  try {
    return parse(body);
  } catch (const json::exception &e) {
    refuse(e.what());
  } catch (const std::logic_error &e) { // out_of_range or invalid_argument, from parsing numbers
    refuse(e.what());
  } catch (const popc::FileError &e) {
    refuse(e.what());
  }
}

} // namespace copse::engine
