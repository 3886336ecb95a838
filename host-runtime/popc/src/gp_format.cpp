#include "gp_object.hpp"

#include "disk_cache/digest.hpp"
#include "popc/popc.hpp"

#include <algorithm>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>

/// A .gp file: the line "COPSE-GP 2", the SHA-256 of all that follows and a line end, the length of
/// the table in decimal and a line end, the table as JSON, and what the table gives sizes of, in
/// the order of the modules: a module's shared object, then the sections of its tile code.
namespace copse::popc {
namespace {

using nlohmann::json;

constexpr std::string_view kMagic = "COPSE-GP 2\n";
constexpr std::size_t kDigestChars = 64;

template <class E> json number(E value) { return static_cast<std::uint32_t>(value); }

/// An enumerator from a file; \p last is the greatest that there is.
template <class E> E enumerator(const json &value, E last) {
  const auto n = value.get<std::uint32_t>();
  if (n > static_cast<std::uint32_t>(last))
    throw std::out_of_range("enumerator " + std::to_string(n));
  return static_cast<E>(n);
}

json toJson(const Field &f) {
  return {{"name", f.name},
          {"direction", number(f.direction)},
          {"kind", number(f.kind)},
          {"type", number(f.type)},
          {"typeName", f.typeName},
          {"elementBytes", f.elementBytes},
          {"outer", number(f.outer)},
          {"inner", number(f.inner)},
          {"minAlign", f.minAlign},
          {"interleaved", f.interleaved},
          {"offset", f.offset},
          {"bytes", f.bytes},
          {"arrayLength", f.arrayLength}};
}

Field fieldFrom(const json &j) {
  Field f;
  f.name = j.at("name");
  f.direction = enumerator(j.at("direction"), FieldDirection::InOut);
  f.kind = enumerator(j.at("kind"), FieldKind::VectorList);
  f.type = enumerator(j.at("type"), ElementType::Other);
  f.typeName = j.at("typeName");
  f.elementBytes = j.at("elementBytes");
  f.outer = enumerator(j.at("outer"), Layout::DeltaNElements);
  f.inner = enumerator(j.at("inner"), Layout::DeltaNElements);
  f.minAlign = j.at("minAlign");
  f.interleaved = j.at("interleaved");
  f.offset = j.at("offset");
  f.bytes = j.at("bytes");
  f.arrayLength = j.at("arrayLength");
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
  json module = {{"arch", number(m.arch)},   {"name", m.name},
                 {"sha256", m.sha256},       {"elfBytes", m.elf.size()},
                 {"functions", m.functions}, {"vertices", std::move(vertices)}};
  if (!m.tileFunctions.empty())
    module["tileFunctions"] = m.tileFunctions;
  if (!m.declarations.empty())
    module["declarations"] = m.declarations;
  if (m.object)
    module["object"] = objectTable(*m.object);
  return module;
}

/// Takes the module's shared object and sections from the front of \p objects.
Module moduleFrom(const json &j, std::string_view &objects) {
  Module m;
  m.arch = enumerator(j.at("arch"), Arch::Ipu21);
  m.name = j.at("name");
  m.sha256 = j.at("sha256");
  m.functions = j.value("functions", std::vector<std::string>{}); // older files have none
  m.tileFunctions = j.value("tileFunctions", std::vector<std::string>{});
  m.declarations = j.value("declarations", std::vector<std::string>{});
  m.elf = takeBytes(objects, j.at("elfBytes").get<std::uint64_t>());
  for (const json &vertex : j.at("vertices"))
    m.vertices.push_back(vertexFrom(vertex));
  if (j.contains("object"))
    m.object = std::make_shared<const assembler::Object>(objectFrom(j.at("object"), objects));
  return m;
}

std::vector<Module> modulesFrom(std::string_view body) {
  const std::size_t lineEnd = body.find('\n');
  if (lineEnd == std::string_view::npos)
    throw std::out_of_range("no table");
  const std::size_t tableBytes = std::stoull(std::string(body.substr(0, lineEnd)));
  body.remove_prefix(lineEnd + 1);
  if (tableBytes > body.size())
    throw std::out_of_range("table of " + std::to_string(tableBytes) + " bytes");
  const json table = json::parse(body.substr(0, tableBytes));
  body.remove_prefix(tableBytes);
  std::vector<Module> modules;
  for (const json &module : table)
    modules.push_back(moduleFrom(module, body));
  return modules;
}

} // namespace

void writeGp(std::ostream &out, const std::vector<Module> &modules) {
  json table = json::array();
  for (const Module &module : modules)
    table.push_back(toJson(module));
  const std::string text = table.dump();
  std::string body = std::to_string(text.size()) + "\n" + text;
  const auto append = [&body](const std::vector<std::byte> &bytes) {
    body.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  };
  for (const Module &module : modules) {
    append(module.elf);
    if (module.object)
      for (const assembler::Section &section : module.object->sections)
        append(section.bytes);
  }
  out << kMagic << disk_cache::sha256(body) << '\n' << body;
}

std::vector<Module> readGp(std::istream &in, const std::string &nameForMessages) {
  const std::string all{std::istreambuf_iterator<char>(in), {}};
  const std::string_view text = all;
  if (text.substr(0, kMagic.size()) != kMagic)
    throw FileError(nameForMessages + ": not a .gp file of this version of popc; compile it again");
  const std::string_view digest = text.substr(kMagic.size()).substr(0, kDigestChars);
  const std::string_view body =
      text.substr(std::min(text.size(), kMagic.size() + kDigestChars + 1));
  if (disk_cache::sha256(body) != digest || text[kMagic.size() + kDigestChars] != '\n')
    throw FileError(nameForMessages + ": this .gp file is damaged; compile it again");
  try {
    return modulesFrom(body);
  } catch (const std::exception &e) {
    throw FileError(nameForMessages + ": this .gp file makes no sense (" + e.what() + ")");
  }
}

} // namespace copse::popc
