#include "control/check_findings.hpp"

#include "control/tile_fault_text.hpp"
#include "tile/native_assembly.hpp"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <unistd.h>

namespace copse::ipud {
namespace {

using Json = nlohmann::ordered_json;
using wire::GivenRange;

constexpr std::uint32_t kNone = 0xFFFFFFFF;
constexpr std::size_t kMostFindings = 10'000; // per IPU; more would not be read

std::string counted(std::uint64_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

const char *nameOf(BadAccess::Kind kind) {
  switch (kind) {
  case BadAccess::Kind::Outside:
    return "memory";
  case BadAccess::Kind::Race:
  case BadAccess::Kind::Granule:
    return "race";
  case BadAccess::Kind::Undefined:
    return "init";
  case BadAccess::Kind::Misaligned:
    break;
  }
  return "alignment";
}

bool contains(const GivenRange &range, std::uint32_t address) {
  return address >= range.address && address - range.address < range.bytes;
}

std::uint32_t distance(const GivenRange &range, std::uint32_t address) {
  return address < range.address ? range.address - address
                                 : address - (range.address + range.bytes) + 1;
}

/// Returns the field that contains \p address, or else the nearest one; null if there are no
/// fields. The first range is the whole state and not a field.
const GivenRange *fieldAt(std::span<const GivenRange> given, std::uint32_t address) {
  const GivenRange *nearest = nullptr;
  for (const GivenRange &range : given.subspan(std::min<std::size_t>(given.size(), 1))) {
    if (contains(range, address))
      nearest = &range; // if ranges overlap, the last one is valid
    else if (range.bytes != 0 &&
             (nearest == nullptr || (!contains(*nearest, address) &&
                                     distance(range, address) < distance(*nearest, address))))
      nearest = &range;
  }
  return nearest;
}

/// Returns the element index of \p address, which is negative before the field.
std::int64_t indexIn(const GivenRange &range, std::uint32_t address) {
  const std::int64_t size = std::max<std::uint32_t>(range.elementBytes, 1);
  const std::int64_t offset = std::int64_t{address} - range.address;
  return offset >= 0 ? offset / size : -((-offset + size - 1) / size);
}

/// Returns a text such as "element 16 of field 'out', which has 16".
std::string fieldText(const BadAccess &access, const GivenRange &range, const std::string &name) {
  const std::int64_t index = indexIn(range, access.address);
  const std::string field = "field '" + name + "'";
  if (contains(range, access.address)) {
    const bool isReadOnly =
        access.kind == BadAccess::Kind::Outside && (range.access & GivenRange::kWritten) == 0;
    return "element " + std::to_string(index) + " of " + field +
           (isReadOnly ? ", which the vertex may only read" : "");
  }
  const std::uint64_t elements = range.bytes / std::max<std::uint32_t>(range.elementBytes, 1);
  if (index < 0)
    return counted(static_cast<std::uint64_t>(-index), "element") + " in front of " + field;
  return "element " + std::to_string(index) + " of " + field + ", which has " +
         std::to_string(elements);
}

/// Returns what is wrong with an access, as the continuation of "writes 4 bytes at 0x4c1a0".
std::string reasonOf(const BadAccess &access) {
  switch (access.kind) {
  case BadAccess::Kind::Outside:
    return "";
  case BadAccess::Kind::Race:
    return " which worker " + std::to_string(*access.otherWorker) + " accesses, too";
  case BadAccess::Kind::Granule:
    return access.otherVertex != nullptr
               ? " in a word that another vertex of the tile writes, too: the tile stores whole "
                 "words"
               : " in a word that worker " + std::to_string(*access.otherWorker) +
                     " writes, too: the tile stores whole words";
  case BadAccess::Kind::Undefined:
    return " that nothing has written";
  case BadAccess::Kind::Misaligned:
    break;
  }
  return " that must be aligned to " + std::to_string(access.alignment);
}

} // namespace

CheckFindings::CheckFindings(const std::filesystem::path &directory, const Loaded &loaded)
    : loaded_(loaded) {
  static std::atomic<unsigned> loads{0};
  file_ =
      directory / ("ipu" + std::to_string(loaded.placement.self.value) + "-" +
                   std::to_string(::getpid()) + "-" + std::to_string(loads++) + ".findings.jsonl");
  const std::ofstream empty(file_); // shows that the program was loaded
}

/// Describes the first finding with \p key, and counts the later ones.
void CheckFindings::count(const Key &key, const auto &describe) {
  const locks::Lock lock(mutex_);
  auto known = found_.find(key);
  if (known == found_.end()) {
    if (found_.size() == kMostFindings)
      return;
    known = found_.emplace(key, std::pair{describe(), 0}).first;
  }
  ++known->second.second;
  isNew_ = true;
}

void CheckFindings::add(const BadAccess &access) {
  const std::string source = sourceOf(access);
  count({static_cast<int>(access.kind), access.vertex->function, access.started.value_or(kNone),
         source, access.stores},
        [&] { return describe(access, source); });
}

std::string CheckFindings::sourceOf(const BadAccess &access) const {
  if (access.site != nullptr)
    return access.site;
  if (access.assembly != nullptr) {
    const std::string place = NativeAssembly(*access.assembly).place(); // "file.cpp:12 (ld32 ...)"
    return place.substr(0, place.find(" ("));
  }
  if (access.tileFunction != nullptr)
    return access.tileFunction;
  const CodePlace place = placeOf(loaded_.image, access.tile, access.pc);
  return place.source.empty() ? place.symbol : place.source;
}

std::string CheckFindings::variableAt(wire::TileAddress where) const {
  const auto &variables = loaded_.image.checks.variables;
  auto next = std::ranges::upper_bound(variables, where, {}, [](const wire::NamedRange &range) {
    return wire::TileAddress{range.tile, range.address};
  });
  if (next == variables.begin())
    return {};
  --next;
  return next->tile == where.tile && where.address - next->address < next->bytes
             ? loaded_.image.checks.names[next->name]
             : std::string();
}

CheckFindings::Json CheckFindings::describe(const BadAccess &access,
                                            const std::string &source) const {
  const wire::Image &image = loaded_.image;
  const std::string &vertex = image.functions[access.vertex->function].vertexType;
  const std::string variable = variableAt({access.tileOfAddress, access.address});
  const bool isElsewhere = access.tileOfAddress != access.tile;
  const GivenRange *const range = isElsewhere ? nullptr : fieldAt(access.given, access.address);
  const std::string field = range == nullptr ? "" : image.checks.names[range->field];
  std::string text = "vertex '" + vertex + "' of compute set '" + computeSet_->name + "'";
  if (access.started)
    text += " in '" + image.functions[*access.started].vertexType + "'";
  text += std::string(access.stores ? " writes " : " reads ") + counted(access.bytes, "byte") +
          " at " + hexadecimal(access.address) + reasonOf(access);
  if (isElsewhere)
    text += ", on tile " + std::to_string(access.tileOfAddress);
  else
    text +=
        range == nullptr ? "; the vertex has no fields" : ": " + fieldText(access, *range, field);
  if (!variable.empty())
    text += ", in variable '" + variable + "'";
  Json row = {{"kind", nameOf(access.kind)},
              {"ipu", loaded_.placement.self.value},
              {"tile", access.tile},
              {"vertex", vertex},
              {"compute_set", computeSet_->name}};
  if (access.worker)
    row["worker"] = *access.worker;
  row["source"] = source;
  row["access"] = access.stores ? "write" : "read";
  row["address"] = hexadecimal(access.address);
  row["bytes"] = access.bytes;
  row["field"] = field;
  if (range != nullptr)
    row["index"] = indexIn(*range, access.address);
  row["variable"] = variable;
  row["text"] = text;
  return row;
}

void CheckFindings::addUndefined(wire::TileAddress where, std::uint64_t bytes,
                                 const std::string &reader) {
  const std::string variable = variableAt(where);
  const std::string name = variable.empty() ? "" : " of variable '" + variable + "'";
  count({static_cast<int>(BadAccess::Kind::Undefined), kNone, kNone, reader + name, false}, [&] {
    return Json{{"kind", nameOf(BadAccess::Kind::Undefined)},
                {"ipu", loaded_.placement.self.value},
                {"tile", where.tile},
                {"access", "read"},
                {"address", hexadecimal(where.address)},
                {"bytes", bytes},
                {"variable", variable},
                {"text", reader + " reads " + counted(bytes, "byte") + name +
                             " that nothing has written, from " + hexadecimal(where.address) +
                             " on"}};
  });
}

void CheckFindings::flush() {
  const locks::Lock lock(mutex_);
  if (!isNew_)
    return;
  std::ofstream file(file_, std::ios::trunc);
  for (const auto &[key, found] : found_) {
    Json row = found.first;
    row["times"] = found.second;
    file << row.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
  }
  isNew_ = !file.flush();
}

} // namespace copse::ipud
