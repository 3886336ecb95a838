#include "assembler/linker.hpp"

#include "native_addresses.hpp"
#include "runtime_code.hpp"
#include "stack_use.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

namespace copse::assembler {
namespace {

/// A supervisor prefetches this far, so nothing else may be there.
constexpr std::uint32_t kFetchAhead = 64;

struct Definition {
  enum class Kind : std::uint8_t {
    Plain,
    StackLimit, ///< a number that depends on all stacks
    Native      ///< native code number `offset`; gets an address when code refers to it
  };
  std::uint32_t object = 0, section = 0, offset = 0;
  Kind kind = Kind::Plain;
  bool isNumber() const { return section == kAbsolute; }
};
using SectionId = std::pair<std::uint32_t, std::uint32_t>; ///< object, section

std::uint64_t alignedUp(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

/// Finds definitions by name.
class Names {
public:
  Names(std::span<const Object *const> objects, std::span<const std::string> natives)
      : objects_(objects) {
    for (std::uint32_t n = 0; n < natives.size(); ++n)
      natives_.emplace(natives[n], n);
    for (const bool globals : {true, false})
      for (std::uint32_t o = 0; o < objects.size(); ++o)
        for (const Symbol &symbol : objects[o]->symbols)
          if (symbol.section != kNoSection && symbol.isGlobal == globals)
            (globals ? global_ : any_)[symbol.name].push_back({o, symbol.section, symbol.offset});
  }

  /// Finds an entry, which need not be global.
  /// \throws LinkError if it is defined more than once
  const Definition *entry(const std::string &name) const {
    const Definition *const place = global(name);
    return place != nullptr ? place : only(any_, name);
  }
  const Definition *global(const std::string &name) const { return only(global_, name); }

  Definition targetOf(std::uint32_t object, const Relocation &relocation) const {
    if (relocation.isSection)
      return {object, relocation.target, 0};
    const Symbol &symbol = objects_[object]->symbols[relocation.target];
    if (symbol.section != kNoSection)
      return {object, symbol.section, symbol.offset};
    if (const Definition *place = global(symbol.name))
      return *place;
    if (symbol.name == kStackGrowthLimit)
      return {object, kAbsolute, 0, Definition::Kind::StackLimit};
    if (const auto native = natives_.find(symbol.name); native != natives_.end())
      return {object, kAbsolute, native->second, Definition::Kind::Native};
    throw LinkError("nothing defines '" + symbol.name + "', which tile code in section '" +
                        sectionUsing(object, relocation) + "' uses; add the codelets that have it",
                    "undefined symbol: " + symbol.name);
  }

private:
  using Definitions = std::map<std::string, std::vector<Definition>>;

  /// Returns the only definition. A symbol that is defined twice is refused where it is used,
  /// unless one source was added twice. A program's definition takes precedence over the runtime's.
  const Definition *only(const Definitions &definitions, const std::string &name) const {
    const auto found = definitions.find(name);
    if (found == definitions.end())
      return nullptr;
    const std::vector<Definition> &places = found->second;
    for (const Definition &place : places)
      if (objects_[place.object] != &runtimeCode() &&
          *objects_[place.object] != *objects_[places[0].object])
        throw LinkError("'" + name + "' is defined by " + sourceOf(places[0]) + " and by " +
                            sourceOf(place) + "; rename one, or leave out the .globl of one that " +
                            "only its own source uses",
                        "duplicate symbol: " + name);
    return &places.front();
  }

  /// Returns the source location, such as "file.S:7", as far as the object has it.
  std::string sourceOf(const Definition &place) const {
    const Object &object = *objects_[place.object];
    if (place.isNumber())
      return "an .equ of object " + std::to_string(place.object);
    const auto &lines = object.sections[place.section].lines;
    const auto after = std::ranges::upper_bound(lines, place.offset, {}, &SourceLine::offset);
    if (after == lines.begin())
      return "section '" + object.sections[place.section].name + "' of object " +
             std::to_string(place.object);
    return object.files[std::prev(after)->file] + ":" + std::to_string(std::prev(after)->line);
  }

  std::string sectionUsing(std::uint32_t object, const Relocation &relocation) const {
    for (const Section &section : objects_[object]->sections)
      for (const Relocation &r : section.relocations)
        if (&r == &relocation)
          return section.name;
    return {};
  }

  std::span<const Object *const> objects_;
  Definitions global_, any_;
  std::unordered_map<std::string_view, std::uint32_t> natives_;
};

/// Determines which sections refer to which, and how much stack they use.
class Reach {
public:
  Reach(std::span<const Object *const> objects, const Names &names)
      : objects_(objects), names_(names) {}

  std::set<SectionId> from(SectionId start) const {
    std::set<SectionId> seen{start};
    std::vector<SectionId> open{start};
    while (!open.empty()) {
      const SectionId at = open.back();
      open.pop_back();
      for (const Relocation &r : sectionAt(at).relocations) {
        const Definition target = names_.targetOf(at.first, r);
        if (target.isNumber())
          continue;
        if (seen.emplace(target.object, target.section).second)
          open.emplace_back(target.object, target.section);
      }
    }
    return seen;
  }

  /// \throws LinkError unless the entry's stack is declared exactly once, or evidently unused
  std::uint32_t entryStack(const std::string &name, const Definition &place) const {
    const auto use = declaredFor(name, place);
    if (!use && usesNoStack(sectionAt({place.object, place.section})))
      return 0;
    if (!use)
      throw LinkError("the stack size of '" + name +
                          "' is not declared, but its code uses the stack pointer or calls "
                          "functions; put DEF_STACK_USAGE or DEF_STACK_SIZE_OWN into its "
                          "source",
                      "no stack size for " + name);
    return total(*use, {place.object, place.section}, true);
  }

  /// Returns the largest stack of functions whose addresses the code in \p sections loads; a
  /// supervisor launches these. For an undeclared function, it is the stack of its callees, but at
  /// least \p undeclared.
  std::uint32_t launchedStack(const std::set<SectionId> &sections, std::uint32_t undeclared) const {
    std::uint32_t most = 0;
    for (const SectionId &id : sections)
      for (const Relocation &r : sectionAt(id).relocations) {
        if (r.kind != RelocationKind::Setzi20 && r.kind != RelocationKind::Bytes4)
          continue;
        const Definition target = names_.targetOf(id.first, r);
        if (target.isNumber() || !sectionAt({target.object, target.section}).isExecutable)
          continue;
        const bool isDeclared = declaredFor(functionAt(target, r), target).has_value();
        most = std::max({most, stackOf(target, r, false), isDeclared ? 0 : undeclared});
      }
    return most;
  }

private:
  const Section &sectionAt(SectionId id) const { return objects_[id.first]->sections[id.second]; }

  /// Finds the declaration for a function. A declaration for the function takes precedence over one
  /// for its section, and that over declarations for other entries of the section.
  std::optional<StackUse> declaredFor(const std::string &name, const Definition &place) const {
    for (const std::string &wanted : {name, sectionAt({place.object, place.section}).name}) {
      std::vector<StackUse> found;
      for (const StackUse &use : objects_[place.object]->stackUses)
        if (use.name == wanted)
          found.push_back(use);
      if (found.size() > 1)
        throw LinkError("the stack size of '" + wanted + "' is declared " +
                            std::to_string(found.size()) + " times; leave one",
                        "several stack sizes for " + wanted);
      if (!found.empty())
        return found.front();
    }
    return declaredBeside(place);
  }

  /// Returns the largest declaration in a section. Vertices often have several entries in a section
  /// of their own, and declare only one of them. Functions that share .text are unrelated, so this
  /// does not apply there.
  std::optional<StackUse> declaredBeside(const Definition &place) const {
    const Object &object = *objects_[place.object];
    std::optional<StackUse> largest;
    if (object.sections[place.section].name == ".text")
      return largest;
    for (const StackUse &use : object.stackUses) {
      const bool isThere = std::ranges::any_of(object.symbols, [&](const Symbol &symbol) {
        return symbol.section == place.section && symbol.name == use.name;
      });
      if (isThere && (!largest || use.bytes > largest->bytes))
        largest = use;
    }
    return largest;
  }

  /// \param strict  true: called functions must declare their stacks
  std::uint32_t total(const StackUse &use, SectionId section, bool strict) const {
    if (use.isTotal)
      return use.bytes;
    active_.insert(section);
    std::uint32_t most = 0;
    for (const Relocation &r : sectionAt(section).relocations)
      if (r.kind == RelocationKind::Call20 || r.kind == RelocationKind::Branch19)
        most = std::max(most, stackOf(names_.targetOf(section.first, r), r,
                                      strict && r.kind == RelocationKind::Call20));
    active_.erase(section);
    return use.bytes + most;
  }

  /// Returns the stack that the function at \p target needs in addition to its caller's.
  std::uint32_t stackOf(const Definition &target, const Relocation &relocation, bool strict) const {
    if (target.isNumber())
      return 0;
    const SectionId id{target.object, target.section};
    // A branch within the function, or recursion, which cannot be bounded.
    if (active_.contains(id))
      return 0;
    const std::string name = functionAt(target, relocation);
    const auto use = declaredFor(name, target);
    if (!use && strict)
      throw LinkError("the stack size of '" + name +
                          "' is not declared, but a function that calls "
                          "it has DEF_STACK_SIZE_OWN; declare both",
                      "no stack size for " + name);
    return total(use.value_or(StackUse{name, 0, false}), id, strict);
  }

  std::string functionAt(const Definition &target, const Relocation &relocation) const {
    const std::int64_t offset = target.offset + (relocation.isSection ? relocation.addend : 0);
    for (const Symbol &symbol : objects_[target.object]->symbols)
      if (symbol.section == target.section && symbol.offset == offset)
        return symbol.name;
    return sectionAt({target.object, target.section}).name;
  }

  std::span<const Object *const> objects_;
  const Names &names_;
  mutable std::set<SectionId> active_; ///< sections of the current call chain
};

/// Assigns addresses to sections, and applies relocations.
class Layout {
public:
  Layout(std::span<const Object *const> objects, const Names &names, const CodeRange &range,
         NativeAddresses &natives)
      : objects_(objects), names_(names), range_(range), natives_(natives) {}

  /// \returns the end of all sections
  std::uint32_t place(const std::set<SectionId> &needed) {
    std::uint64_t at = range_.begin;
    for (const SectionId &id : needed)
      if (isCode(id))
        at = add(id, at);
    const bool hasCode = !sections_.empty();
    if (hasCode)
      at = alignedUp(at + kFetchAhead, range_.align);
    if (at > range_.end)
      throw LinkError("the code of this program needs " + std::to_string(at - range_.begin) +
                          " bytes, but a tile has " + std::to_string(range_.end - range_.begin) +
                          " bytes of executable memory; use fewer kinds of vertices in assembly",
                      "region overflow");
    for (const SectionId &id : needed)
      if (!isCode(id))
        at = add(id, at);
    return static_cast<std::uint32_t>(alignedUp(at, 8));
  }

  std::uint32_t indexOf(SectionId id) const { return index_.at(id); }
  /// Returns the address of a section's symbol, or the value of a number.
  std::uint32_t addressOf(const Definition &place) const {
    return place.isNumber()
               ? place.offset
               : sections_[index_.at({place.object, place.section})].address + place.offset;
  }

  /// \param stackLimit  the largest stack of all entries, plus 1 [bytes]
  std::vector<LinkedSection> filled(std::uint32_t stackLimit) {
    stackLimit_ = stackLimit;
    for (const auto &[id, index] : index_)
      for (const Relocation &r : objects_[id.first]->sections[id.second].relocations)
        fill(sections_[index], r, valueOf(names_.targetOf(id.first, r)) + r.addend);
    return std::move(sections_);
  }

private:
  std::uint32_t valueOf(const Definition &place) {
    switch (place.kind) {
    case Definition::Kind::StackLimit:
      return stackLimit_;
    case Definition::Kind::Native:
      return natives_.addressOf(place.offset);
    case Definition::Kind::Plain:
      break;
    }
    return addressOf(place);
  }

  bool isCode(SectionId id) const { return objects_[id.first]->sections[id.second].isExecutable; }

  std::uint64_t add(SectionId id, std::uint64_t at) {
    constexpr std::uint32_t kLeastAlign = 4;
    const Section &source = objects_[id.first]->sections[id.second];
    at = alignedUp(at, std::max(source.align, kLeastAlign));
    index_[id] = static_cast<std::uint32_t>(sections_.size());
    LinkedSection linked{objects_[id.first], id.second, static_cast<std::uint32_t>(at),
                         source.bytes};
    linked.bytes.resize(alignedUp(source.bytes.size(), kLeastAlign));
    sections_.push_back(std::move(linked));
    return at + sections_.back().bytes.size();
  }

  void fill(LinkedSection &section, const Relocation &r, std::int64_t address) const {
    const auto value = static_cast<std::uint64_t>(address);
    switch (r.kind) {
    case RelocationKind::Bytes1:
      return patch(section, r, value, 8, 0);
    case RelocationKind::Bytes2:
      return patch(section, r, value, 16, 0);
    case RelocationKind::Bytes4:
      return patch(section, r, value, 32, 0);
    case RelocationKind::Branch19:
      return patch(section, r, value, 19, 2);
    case RelocationKind::Call20:
      return patch(section, r, value, 19, 2); // bit 19 of the field is ignored
    case RelocationKind::Setzi20:
      return patch(section, r, value, 20, 0);
    }
  }

  void patch(LinkedSection &section, const Relocation &r, std::uint64_t address, unsigned bits,
             unsigned shift) const {
    const std::uint64_t field = address >> shift;
    const bool fits = field < std::uint64_t{1} << bits && field << shift == address;
    if (!fits)
      throw LinkError("address " + std::to_string(address) + " does not fit into " +
                          std::to_string(bits) + " bits in section '" + section.source().name + "'",
                      "relocation out of range");
    const unsigned bytes = bits <= 8 ? 1 : bits == 16 ? 2 : 4;
    for (unsigned i = 0; i < bytes; ++i) {
      const std::uint64_t kept = bits > 8 * i + 8 ? 0 : 0xFFU << (bits > 8 * i ? bits - 8 * i : 0);
      std::byte &target = section.bytes[r.offset + i];
      target = (target & static_cast<std::byte>(kept)) |
               (static_cast<std::byte>(field >> (8 * i)) & ~static_cast<std::byte>(kept));
    }
  }

  std::span<const Object *const> objects_;
  const Names &names_;
  const CodeRange &range_;
  NativeAddresses &natives_;
  std::uint32_t stackLimit_ = 0;
  std::vector<LinkedSection> sections_;
  std::map<SectionId, std::uint32_t> index_;
};

} // namespace

bool defines(std::span<const Object *const> objects, const std::string &symbol) {
  return std::ranges::any_of(objects, [&](const Object *object) {
    return std::ranges::any_of(object->symbols, [&](const Symbol &s) {
      return s.section != kNoSection && s.name == symbol;
    });
  });
}

LinkedCode link(std::span<const Object *const> sources, std::span<const std::string> entries,
                const CodeRange &range, std::span<const std::string> natives) {
  std::vector<const Object *> objects(sources.begin(), sources.end());
  objects.push_back(&runtimeCode());
  const Names names(objects, natives);
  const Reach reach(objects, names);
  std::set<SectionId> needed;
  std::vector<std::set<SectionId>> neededBy;
  std::vector<Definition> places;
  for (const std::string &entry : entries) {
    const Definition *const place = names.entry(entry);
    if (!place || place->isNumber())
      throw LinkError("nothing defines " + entry, "undefined symbol: " + entry);
    places.push_back(*place);
    neededBy.push_back(reach.from({place->object, place->section}));
    needed.insert(neededBy.back().begin(), neededBy.back().end());
  }
  NativeAddresses addresses(natives, range);
  Layout layout(objects, names, range, addresses);
  LinkedCode code;
  code.end = layout.place(needed);
  std::uint32_t mostStack = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    LinkedEntry entry{layout.addressOf(places[i]), reach.entryStack(entries[i], places[i]), 0, {}};
    entry.launchedStackBytes = reach.launchedStack(neededBy[i], entry.stackBytes);
    for (const SectionId &id : neededBy[i])
      entry.sections.push_back(layout.indexOf(id));
    std::ranges::sort(entry.sections);
    mostStack = std::max({mostStack, entry.stackBytes, entry.launchedStackBytes});
    code.entries.push_back(std::move(entry));
  }
  code.sections = layout.filled(mostStack + 1);
  code.natives = addresses.take();
  return code;
}

} // namespace copse::assembler
