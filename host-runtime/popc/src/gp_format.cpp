#include "gp_object.hpp"

#include "disk_cache/digest.hpp"
#include "popc/popc.hpp"

#include <algorithm>
#include <istream>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <sstream>
#include <string_view>

/// The format of a .gp file: the line "COPSE-GP 4", a line with the SHA-256 of the rest, and the
/// modules. A module is a line with its architecture, the bytes of its table and the bytes of its
/// code, all in decimal; then the table as JSON; then the code whose sizes the table gives: a
/// shared object, the sections of tile code, and sources. A reader can so skip the modules of other
/// architectures, which would take most of the time.
namespace copse::popc {
namespace {

using nlohmann::json;

constexpr std::string_view kMagic = "COPSE-GP 4\n";
constexpr std::size_t kDigestChars = 64;

template <class E> std::uint32_t number(E value) { return static_cast<std::uint32_t>(value); }

/// Reads an enumerator from a file; \p last is the largest valid one.
template <class E> E enumerator(const json &value, E last) {
  const auto n = value.get<std::uint32_t>();
  if (n > static_cast<std::uint32_t>(last))
    throw std::out_of_range("enumerator " + std::to_string(n));
  return static_cast<E>(n);
}

/// Writes a list of values without names, because libraries have tens of thousands of fields.
json toJson(const Field &f) {
  return {f.name,       number(f.direction), number(f.kind),  number(f.type),
          f.typeName,   f.elementBytes,      number(f.outer), number(f.inner),
          f.minAlign,   f.interleaved,       f.offset,        f.bytes,
          f.arrayLength};
}

Field fieldFrom(const json &j) {
  Field f;
  f.name = j.at(0);
  f.direction = enumerator(j.at(1), FieldDirection::InOut);
  f.kind = enumerator(j.at(2), FieldKind::VectorList);
  f.type = enumerator(j.at(3), ElementType::Other);
  f.typeName = j.at(4);
  f.elementBytes = j.at(5);
  f.outer = enumerator(j.at(6), Layout::DeltaNElements);
  f.inner = enumerator(j.at(7), Layout::DeltaNElements);
  f.minAlign = j.at(8);
  f.interleaved = j.at(9);
  f.offset = j.at(10);
  f.bytes = j.at(11);
  f.arrayLength = j.at(12);
  return f;
}

json toJson(const VertexType &v) {
  json fields = json::array();
  for (const Field &field : v.fields)
    fields.push_back(toJson(field));
  return {{"name", v.name},
          {"symbol", v.symbol},
          {"multiVertex", v.multiVertex},
          {"supervisor", v.supervisor},
          {"external", v.external},
          {"stateBytes", v.stateBytes},
          {"stateAlign", v.stateAlign},
          {"constraints", v.constraints},
          {"fields", std::move(fields)}};
}

VertexType vertexFrom(const json &j) {
  VertexType v;
  v.name = j.at("name");
  v.symbol = j.at("symbol");
  v.multiVertex = j.at("multiVertex");
  v.supervisor = j.at("supervisor");
  v.external = j.at("external");
  v.stateBytes = j.at("stateBytes");
  v.stateAlign = j.at("stateAlign");
  v.constraints = j.at("constraints").get<std::vector<std::string>>();
  for (const json &field : j.at("fields"))
    v.fields.push_back(fieldFrom(field));
  return v;
}

json toJson(const Module &m) {
  json vertices = json::array();
  for (const VertexType &vertex : m.vertices)
    vertices.push_back(toJson(vertex));
  json module = {{"name", m.name},
                 {"sha256", m.sha256},
                 {"elfBytes", m.elf.size()},
                 {"functions", m.functions},
                 {"vertices", std::move(vertices)}};
  if (!m.tileFunctions.empty())
    module["tileFunctions"] = m.tileFunctions;
  if (!m.declarations.empty())
    module["declarations"] = m.declarations;
  if (!m.variant.empty())
    module["variant"] = m.variant;
  if (!m.missing.empty())
    module["missing"] = m.missing;
  if (!m.definitions.empty())
    module["definitions"] = m.definitions;
  if (m.object)
    module["object"] = objectTable(*m.object);
  if (!m.sources.empty()) {
    json &sizes = module["sourceBytes"] = json::array();
    for (const std::string &source : m.sources)
      sizes.push_back(source.size());
  }
  return module;
}

std::string_view take(std::string_view &body, std::uint64_t bytes) {
  if (bytes > body.size())
    throw std::out_of_range("part of " + std::to_string(bytes) + " bytes");
  const std::string_view part = body.substr(0, bytes);
  body.remove_prefix(bytes);
  return part;
}

/// \param code  exactly the module's shared object, sections and sources
Module moduleFrom(Architecture arch, const json &j, std::string_view code) {
  Module m;
  m.arch = arch;
  m.name = j.at("name");
  m.sha256 = j.at("sha256");
  m.functions = j.at("functions").get<std::vector<std::string>>();
  m.tileFunctions = j.value("tileFunctions", std::vector<std::string>{});
  m.declarations = j.value("declarations", std::vector<std::string>{});
  m.variant = j.value("variant", "");
  m.missing = j.value("missing", std::vector<std::string>{});
  m.definitions = j.value("definitions", std::vector<std::string>{});
  m.elf = takeBytes(code, j.at("elfBytes").get<std::uint64_t>());
  for (const json &vertex : j.at("vertices"))
    m.vertices.push_back(vertexFrom(vertex));
  if (j.contains("object"))
    m.object = std::make_shared<const assembler::Object>(objectFrom(j.at("object"), code));
  for (const auto bytes : j.value("sourceBytes", std::vector<std::uint64_t>{}))
    m.sources.emplace_back(take(code, bytes));
  if (!code.empty())
    throw std::out_of_range("code of module " + m.name);
  return m;
}

void append(std::string &code, const std::vector<std::byte> &bytes) {
  code.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

std::string codeOf(const Module &module) {
  std::string code;
  append(code, module.elf);
  if (module.object)
    for (const assembler::Section &section : module.object->sections)
      append(code, section.bytes);
  for (const std::string &source : module.sources)
    code += source;
  return code;
}

/// The line before a module.
struct Heading {
  Architecture arch;
  std::uint64_t tableBytes, codeBytes;
};

Heading takeHeading(std::string_view &body) {
  const std::size_t end = body.find('\n');
  if (end == std::string_view::npos)
    throw std::out_of_range("no table");
  std::istringstream line{std::string(take(body, end + 1))};
  std::uint64_t arch = 0, tableBytes = 0, codeBytes = 0;
  if (!(line >> arch >> tableBytes >> codeBytes) || arch > number(Architecture::Ipu21))
    throw std::out_of_range("heading of a module");
  return {static_cast<Architecture>(arch), tableBytes, codeBytes};
}

std::vector<Module> modulesFrom(std::string_view body, std::optional<Architecture> only) {
  std::vector<Module> modules;
  while (!body.empty()) {
    const Heading heading = takeHeading(body);
    const std::string_view table = take(body, heading.tableBytes);
    const std::string_view code = take(body, heading.codeBytes);
    if (!only || *only == heading.arch)
      modules.push_back(moduleFrom(heading.arch, json::parse(table), code));
  }
  return modules;
}

/// Reads a stream block by block, because files of libraries have tens of megabytes.
std::string allOf(std::istream &in) {
  std::ostringstream all;
  all << in.rdbuf();
  return std::move(all).str();
}

} // namespace

void writeGp(std::ostream &out, const std::vector<Module> &modules) {
  std::string body;
  for (const Module &module : modules) {
    const std::string table = toJson(module).dump(), code = codeOf(module);
    body += std::to_string(number(module.arch)) + " " + std::to_string(table.size()) + " " +
            std::to_string(code.size()) + "\n" + table + code;
  }
  out << kMagic << disk_cache::sha256(body) << '\n' << body;
}

std::vector<Module> readGp(std::istream &in, const std::string &nameForMessages,
                           std::optional<Architecture> only) {
  const std::string all = allOf(in);
  const std::string_view text = all;
  if (text.substr(0, kMagic.size()) != kMagic)
    throw FileError(nameForMessages + ": not a .gp file of this version of popc; compile it again");
  const std::string_view digest = text.substr(kMagic.size()).substr(0, kDigestChars);
  const std::string_view body =
      text.substr(std::min(text.size(), kMagic.size() + kDigestChars + 1));
  if (disk_cache::sha256(body) != digest || text[kMagic.size() + kDigestChars] != '\n')
    throw FileError(nameForMessages + ": this .gp file is damaged; compile it again");
  try {
    return modulesFrom(body, only);
  } catch (const std::exception &e) {
    throw FileError(nameForMessages + ": this .gp file makes no sense (" + e.what() + ")");
  }
}

} // namespace copse::popc
