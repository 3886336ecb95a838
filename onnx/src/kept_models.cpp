#include "kept_models.hpp"

#include "disk_cache/build_id.hpp"
#include "disk_cache/digest.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>
#include <string_view>
#include <unistd.h>

namespace copse::onnx {
namespace {

using Json = nlohmann::json;

/// Returns the environment, which may have options of targets and engines, and the description of a
/// machine.
std::string environment() {
  std::vector<std::string> settings;
  for (char **variable = environ; *variable != nullptr; ++variable) {
    const std::string_view setting = *variable;
    const bool ours = setting.starts_with("POPLAR_") || setting.starts_with("POPLIBS_") ||
                      setting.starts_with("COPSE_");
    if (ours && !setting.starts_with("COPSE_CACHE_") && !setting.starts_with("COPSE_PROGRESS="))
      settings.emplace_back(setting);
  }
  std::sort(settings.begin(), settings.end());
  return disk_cache::sha256(settings);
}

std::string traitsOf(const poplar::Target &target) {
  std::ostringstream text;
  text << static_cast<int>(target.getTargetType()) << ' ' << target.getNumTiles() << ' '
       << target.getTilesPerIPU() << ' ' << target.getBytesPerTile() << ' '
       << target.getTileClockFrequency();
  if (target.getTargetType() != poplar::TargetType::CPU)
    text << ' ' << target.getTargetArchString();
  return text.str();
}

std::string keyOf(const Model &model, const Request &request, const Batches &batches,
                  const poplar::Target &target) {
  Json shapes = Json::object();
  for (const auto &[input, shape] : batches.shapes)
    shapes[input] = shape;
  const Json key{model.digest,    request.device, request.replicas, request.ipusPerReplica,
                 request.profile, batches.steps,  shapes,           traitsOf(target)};
  return disk_cache::sha256({disk_cache::buildIdsOfProcess(), environment(), key.dump()});
}

Json json(const Port &port) {
  return {{"name", port.name},
          {"type", static_cast<int>(port.type)},
          {"batch", port.batch},
          {"rowBytes", port.rowBytes}};
}

Port portOf(const Json &json) {
  return {json.at("name"), static_cast<ElementType>(json.at("type").get<int>()), json.at("batch"),
          json.at("rowBytes")};
}

Json json(const std::vector<Port> &ports) {
  Json list = Json::array();
  for (const Port &port : ports)
    list.push_back(json(port));
  return list;
}

std::vector<Port> portsOf(const Json &list) {
  std::vector<Port> ports;
  for (const Json &port : list)
    ports.push_back(portOf(port));
  return ports;
}

Json json(const HostTensor &tensor) {
  const std::vector<char> bytes = encodeElements(tensor);
  return {{"type", static_cast<int>(tensor.type)},
          {"shape", tensor.shape},
          {"elements", Json::binary({bytes.begin(), bytes.end()})}};
}

/// Allocates memory only for elements that are there, because a damaged shape may have any size.
HostTensor tensorOf(const Json &json) {
  HostTensor tensor;
  tensor.type = static_cast<ElementType>(json.at("type").get<int>());
  json.at("shape").get_to(tensor.shape);
  const auto &bytes = json.at("elements").get_binary();
  const std::size_t width = widthOf(tensor.type);
  if (bytes.size() % width != 0 || bytes.size() / width != tensor.elements())
    throw std::runtime_error("elements are missing");
  decodeElements(bytes.data(), tensor);
  return tensor;
}

/// Reads the CBOR map at the beginning of an entry. Never allocates more memory than there are
/// bytes, because a damaged size may have any value.
std::string readHead(std::istream &in) {
  std::uint64_t left = 0;
  if (!in.read(reinterpret_cast<char *>(&left), sizeof left))
    throw std::runtime_error("there is no head");
  std::string bytes;
  for (std::array<char, 1 << 16> block; left > 0; left -= static_cast<std::uint64_t>(in.gcount())) {
    in.read(block.data(),
            static_cast<std::streamsize>(std::min<std::uint64_t>(left, block.size())));
    if (in.gcount() == 0)
      throw std::runtime_error("the head is cut off");
    bytes.append(block.data(), static_cast<std::size_t>(in.gcount()));
  }
  return bytes;
}

std::string digestOf(const HostTensor &tensor) {
  const std::vector<char> bytes = encodeElements(tensor);
  return disk_cache::sha256(std::string_view(bytes.data(), bytes.size()));
}

} // namespace

KeptModels::KeptModels(const Model &model, const Request &request, const Batches &batches,
                       const poplar::Target &target)
    : request_(request), name_(keyOf(model, request, batches, target) + ".model") {}

std::optional<CompiledModel> KeptModels::find() const {
  auto file = files_.find(name_);
  if (!file)
    return std::nullopt;
  std::istringstream in(std::move(*file));
  try {
    return readCompiled(in, request_.inputs);
  } catch (const std::exception &) {
    return std::nullopt; // a damaged entry counts as missing and will be made again
  }
}

void KeptModels::keep(const CompiledModel &compiled) const {
  try {
    files_.keep(name_, [&](std::ostream &out) { writeCompiled(compiled, request_.inputs, out); });
  } catch (const poplar::poplar_error &) {
    // An executable that is too large for the format is not kept, but can run.
  }
}

// An entry has the length of a CBOR map, the map, and the executable.
void writeCompiled(const CompiledModel &compiled, const std::map<std::string, HostTensor> &inputs,
                   std::ostream &out) {
  Json head{{"in", json(compiled.in)},
            {"out", json(compiled.out)},
            {"constants", Json::object()},
            {"checkedNodes", compiled.checkedNodes},
            {"shapedBy", Json::object()}};
  for (const auto &[name, tensor] : compiled.constants)
    head["constants"][name] = json(tensor);
  for (const std::string &name : compiled.shapedBy)
    head["shapedBy"][name] = digestOf(inputs.at(name));
  const std::vector<std::uint8_t> bytes = Json::to_cbor(head);
  const std::uint64_t size = bytes.size();
  out.write(reinterpret_cast<const char *>(&size), sizeof size);
  out.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(size));
  compiled.executable.serialize(out);
}

std::optional<CompiledModel> readCompiled(std::istream &in,
                                          const std::map<std::string, HostTensor> &inputs) {
  const Json head = Json::from_cbor(readHead(in));
  CompiledModel compiled;
  for (const auto &[name, digest] : head.at("shapedBy").items()) {
    if (digestOf(inputs.at(name)) != digest.get<std::string>())
      return std::nullopt;
    compiled.shapedBy.insert(name);
  }
  compiled.checkedNodes = head.at("checkedNodes");
  compiled.in = portsOf(head.at("in"));
  compiled.out = portsOf(head.at("out"));
  for (const auto &[name, tensor] : head.at("constants").items())
    compiled.constants[name] = tensorOf(tensor);
  compiled.executable = poplar::Executable::deserialize(in);
  return compiled;
}

} // namespace copse::onnx
