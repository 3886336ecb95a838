#include "assembly.hpp"
#include "text.hpp"

#include <bit>
#include <charconv>
#include <cstring>

namespace copse::assembler {
namespace {

/// How much one directive may add to a section: enough for any tile, too little to exhaust the
/// host.
constexpr std::int64_t kMaxBytes = 1 << 21;
/// The limit for all sections of a source together. This limit is larger than the one of a section,
/// because the vertices need not be on one tile.
constexpr std::uint64_t kMaxFilled = std::uint64_t{1} << 26;

bool isHexDigit(char c) { return isDigit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }
unsigned hexDigit(char c) {
  return static_cast<unsigned>(isDigit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
}

bool isCodeName(std::string_view name) { return name == ".text" || name.starts_with(".text."); }

} // namespace

const std::unordered_map<std::string_view, Assembly::Directive> &Assembly::directives() {
  using A = Assembly;
  static const std::unordered_map<std::string_view, Directive> kAll = {
      {".section", &A::section},
      {".text", &A::text},
      {".data", &A::data},
      {".bss", &A::data},
      {".rodata", &A::data},
      {".pushsection", &A::pushSection},
      {".popsection", &A::popSection},
      {".previous", &A::previousSection},
      {".align", &A::align},
      {".balign", &A::align},
      {".p2align", &A::alignPower},
      {".org", &A::org},
      {".type", &A::type},
      {".size", &A::size},
      {".globl", &A::global},
      {".global", &A::global},
      {".worker", &A::worker},
      {".supervisor", &A::supervisor},
      {".equ", &A::equ},
      {".set", &A::equ},
      {".equiv", &A::equiv},
      {".byte", &A::bytes1},
      {".short", &A::bytes2},
      {".half", &A::bytes2},
      {".hword", &A::bytes2},
      {".2byte", &A::bytes2},
      {".int", &A::bytes4},
      {".word", &A::bytes4},
      {".long", &A::bytes4},
      {".4byte", &A::bytes4},
      {".quad", &A::bytes8},
      {".8byte", &A::bytes8},
      {".float", &A::float32},
      {".single", &A::float32},
      {".ascii", &A::ascii},
      {".asciz", &A::asciz},
      {".string", &A::asciz},
      {".space", &A::space},
      {".skip", &A::space},
      {".zero", &A::space},
      {".fill", &A::fill},
      {"DEF_STACK_USAGE", &A::stackUsage},
      {"DEF_STACK_SIZE_OWN", &A::stackSizeOwn},
      {"DEF_FUNC_CALL_PTRS", &A::ignored},
      {".allow_optimizations", &A::allowOptimizations},
      {".error", &A::error},
      {".err", &A::error},
      {".warning", &A::warning},
      {".macro", &A::defineMacro},
      {".purgem", &A::purgeMacro},
      {".exitm", &A::exitMacro},
      {".rept", &A::rept},
      {".irp", &A::irp},
      {".irpc", &A::irpc},
      // Useless for a tile, or the default.
      {".extern", &A::ignored},
      {".weak", &A::global},
      {".local", &A::ignored},
      {".hidden", &A::ignored},
      {".protected", &A::ignored},
      {".internal", &A::ignored},
      {".file", &A::ignored},
      {".loc", &A::ignored},
      {".ident", &A::ignored},
      {".addrsig", &A::ignored},
      {".addrsig_sym", &A::ignored},
      {".noaltmacro", &A::ignored},
      {".print", &A::ignored},
      {".end", &A::ignored},
      {".warn_on_invalid_bundles", &A::ignored},
      {".error_on_invalid_bundles", &A::ignored},
      {".allow_invalid_bundles", &A::ignored},
      {".allow_invalid_operands", &A::ignored},
      {".error_on_invalid_operands", &A::ignored},
      {".allow_invalid_repeat", &A::ignored},
      {".error_on_invalid_repeat", &A::ignored},
      {".allow_invalid_execution_mode", &A::ignored},
      {".error_on_invalid_execution_mode", &A::ignored},
  };
  return kAll;
}

std::uint32_t Assembly::sectionNamed(std::string_view name) {
  const auto [found, isNew] =
      sectionByName_.emplace(name, static_cast<std::uint32_t>(sections_.size()));
  if (isNew) {
    SectionDraft &draft = sections_.emplace_back();
    draft.section.name = name;
    draft.section.isExecutable = isCodeName(name);
  }
  return found->second;
}

void Assembly::enter(std::uint32_t section) {
  if (bundle_)
    throw StatementError(nullptr, "a section cannot change inside a bundle");
  previous_ = current_;
  current_ = section;
}

void Assembly::section(std::string_view operands) {
  const std::string_view name = unquoted(takeUntilComma(operands));
  if (name.empty())
    throw StatementError(nullptr, "a section's name is missing");
  enter(sectionNamed(name));
  const std::string_view flags = unquoted(takeUntilComma(operands));
  if (flags.find('x') != std::string_view::npos && !flags.starts_with("@") &&
      !flags.starts_with("%"))
    here().section.isExecutable = true;
  if (flags.find("worker") != std::string_view::npos)
    here().section.isWorkerCode = true;
}

void Assembly::text(std::string_view) { enter(sectionNamed(".text")); }
void Assembly::data(std::string_view) { enter(sectionNamed(".data")); }

void Assembly::pushSection(std::string_view operands) {
  sectionStack_.push_back(current_);
  section(operands);
}

void Assembly::popSection(std::string_view) {
  if (sectionStack_.empty())
    throw StatementError(nullptr, ".popsection without .pushsection");
  enter(sectionStack_.back());
  sectionStack_.pop_back();
}

void Assembly::previousSection(std::string_view) { enter(previous_); }

/// Checks that a directive may fill \p bytes of the section.
void Assembly::claim(std::int64_t bytes) {
  if (bytes < 0 || bytes > kMaxBytes - here().size())
    throw StatementError(nullptr, std::to_string(bytes) + " bytes do not fit into a tile's memory");
  filledBytes_ += static_cast<std::uint64_t>(bytes);
  if (filledBytes_ > kMaxFilled)
    throw StatementError(nullptr, "this source fills more than 64 MiB");
}

void Assembly::alignBy(std::uint32_t bytes, std::string_view rest) {
  if (bundle_)
    throw StatementError(nullptr, "nothing but two instructions may stand inside a bundle");
  const std::uint32_t missing = (bytes - here().size() % bytes) % bytes;
  const std::string_view with = takeUntilComma(rest);
  if (!trimmed(rest).empty() && missing > numberNow(rest)) {
    here().section.align = std::max(here().section.align, bytes);
    return; // more than the source allows for padding
  }
  claim(missing);
  if (with.empty() || here().section.isExecutable)
    return here().alignTo(bytes);
  here().section.align = std::max(here().section.align, bytes);
  here().fill(missing, static_cast<std::uint8_t>(numberNow(with)));
}

void Assembly::org(std::string_view operands) {
  const std::string_view to = takeUntilComma(operands);
  moveTo(to, operands);
}

void Assembly::moveTo(std::string_view place, std::string_view with) {
  if (bundle_)
    throw StatementError(nullptr, "nothing but two instructions may stand inside a bundle");
  const Expression expression = wholeExpression(place);
  const Value *value = expression.known();
  const bool isHere =
      value != nullptr &&
      (value->isNumber() || (value->base == Value::Base::Section && value->index == current_));
  if (!isHere)
    throw StatementError(place.data(), "the place to go on at must be in this section, and known");
  const std::int64_t size = here().size();
  if (value->number < size) // by how much may need 64 bits
    throw StatementError(place.data(),
                         "the place to go on at is " +
                             std::to_string(static_cast<std::uint64_t>(size) -
                                            static_cast<std::uint64_t>(value->number)) +
                             " bytes back; code and data only grow");
  const std::int64_t bytes = value->number - size;
  claim(bytes);
  if (here().section.isExecutable && bytes % 4 != 0)
    throw StatementError(place.data(), "code goes on at a multiple of 4");
  here().fill(static_cast<std::uint64_t>(bytes),
              static_cast<std::uint8_t>(trimmed(with).empty() ? 0 : numberNow(with)));
}

void Assembly::align(std::string_view operands) {
  constexpr std::int64_t kMaxAlign = 1 << 16;
  const std::int64_t bytes = numberNow(takeUntilComma(operands));
  if (bytes < 1 || bytes > kMaxAlign || !std::has_single_bit(static_cast<std::uint64_t>(bytes)))
    throw StatementError(nullptr, "an alignment must be a power of two up to 65536, not " +
                                      std::to_string(bytes));
  alignBy(static_cast<std::uint32_t>(bytes), operands);
}

void Assembly::alignPower(std::string_view operands) {
  constexpr std::int64_t kMaxPower = 16;
  const std::int64_t power = numberNow(takeUntilComma(operands));
  if (power < 0 || power > kMaxPower)
    throw StatementError(nullptr, "an alignment must be a power of two from 0 to 16, not " +
                                      std::to_string(power));
  alignBy(1U << power, operands);
}

void Assembly::type(std::string_view operands) {
  const std::string_view name = unquoted(takeUntilComma(operands));
  symbols_[symbols_.named(name)].isFunction = operands.find("function") != std::string_view::npos ||
                                              operands.find("STT_FUNC") != std::string_view::npos;
}

void Assembly::size(std::string_view operands) {
  const std::string_view name = unquoted(takeUntilComma(operands));
  symbols_[symbols_.named(name)].size = std::make_unique<Expression>(wholeExpression(operands));
}

void Assembly::global(std::string_view operands) {
  while (!trimmed(operands).empty())
    symbols_[symbols_.named(unquoted(takeUntilComma(operands)))].isGlobal = true;
}

void Assembly::worker(std::string_view) { mode_.context = isa::Context::Worker; }
void Assembly::supervisor(std::string_view) { mode_.context = isa::Context::Supervisor; }

void Assembly::equ(std::string_view operands) {
  const std::string_view name = takeUntilComma(operands);
  assign(name, operands, false);
}

void Assembly::equiv(std::string_view operands) {
  const std::string_view name = takeUntilComma(operands);
  assign(name, operands, true);
}

void Assembly::emitData(std::string_view operands, unsigned bytes) {
  if (bundle_)
    throw StatementError(nullptr, "nothing but two instructions may stand inside a bundle");
  while (!trimmed(operands).empty()) {
    const std::string_view item = takeUntilComma(operands);
    Fixup fixup{current_,
                here().size(),
                isa::Opcode::Invalid,
                0,
                static_cast<std::uint8_t>(bytes),
                wholeExpression(item),
                at_};
    here().append(0, bytes);
    if (fixup.value.known() && fixup.value.known()->isNumber())
      resolveData(fixup, *fixup.value.known());
    else
      fixups_.push_back(std::move(fixup));
  }
}

void Assembly::float32(std::string_view operands) {
  while (!trimmed(operands).empty()) {
    std::string_view item = takeUntilComma(operands);
    const bool hasPlus = item.starts_with("+");
    item.remove_prefix(hasPlus ? 1 : 0);
    float value = 0;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), value);
    if (error != std::errc{} || end != item.data() + item.size())
      throw StatementError(item.data(), "'" + std::string(item) + "' is no number");
    here().append(std::bit_cast<std::uint32_t>(value), 4);
  }
}

std::string Assembly::stringOf(std::string_view item) const {
  if (item.size() < 2 || item.front() != '"' || item.back() != '"')
    throw StatementError(item.data(), "a string in quotes is missing");
  item = unquoted(item);
  std::string text;
  for (std::size_t i = 0; i < item.size(); ++i) {
    if (item[i] != '\\' || i + 1 == item.size()) {
      text += item[i];
      continue;
    }
    const char c = item[++i];
    if (c == 'x' && i + 1 < item.size() && isHexDigit(item[i + 1])) {
      unsigned value = 0;
      while (i + 1 < item.size() && isHexDigit(item[i + 1]))
        value = value * 16 + hexDigit(item[++i]);
      text += static_cast<char>(value);
    } else if (c >= '0' && c <= '7') {
      unsigned value = 0;
      const std::size_t end = std::min(i + 3, item.size());
      while (i < end && item[i] >= '0' && item[i] <= '7')
        value = value * 8 + static_cast<unsigned>(item[i++] - '0');
      --i;
      text += static_cast<char>(value);
    } else {
      constexpr std::string_view kEscapes = "ntrbf", kValues = "\n\t\r\b\f";
      const std::size_t at = kEscapes.find(c);
      text += at == std::string_view::npos ? c : kValues[at];
    }
  }
  return text;
}

void Assembly::ascii(std::string_view operands) {
  while (!trimmed(operands).empty())
    for (const char c : stringOf(takeUntilComma(operands)))
      here().append(static_cast<unsigned char>(c), 1);
}

void Assembly::asciz(std::string_view operands) {
  while (!trimmed(operands).empty()) {
    ascii(takeUntilComma(operands));
    here().append(0, 1);
  }
}

void Assembly::space(std::string_view operands) {
  const std::int64_t bytes = numberNow(takeUntilComma(operands));
  const std::int64_t with = trimmed(operands).empty() ? 0 : numberNow(operands);
  claim(bytes);
  here().fill(static_cast<std::uint64_t>(bytes), static_cast<std::uint8_t>(with));
}

void Assembly::fill(std::string_view operands) {
  const std::int64_t repeats = numberNow(takeUntilComma(operands));
  const std::int64_t bytes = trimmed(operands).empty() ? 1 : numberNow(takeUntilComma(operands));
  const std::int64_t value = trimmed(operands).empty() ? 0 : numberNow(operands);
  const bool fits = bytes >= 0 && bytes <= 8 && repeats >= 0 && repeats <= kMaxBytes / 8;
  if (!fits)
    throw StatementError(nullptr, ".fill has a repeat count, a size up to 8 bytes and a value");
  claim(repeats * bytes);
  for (std::int64_t i = 0; i < repeats; ++i)
    here().append(static_cast<std::uint64_t>(value), static_cast<unsigned>(bytes));
}

/// Declares a stack size from "size name". The name is the last word; the size is an expression
/// that may contain blanks.
void Assembly::declareStack(std::string_view operands, bool isTotal) {
  operands = trimmed(operands);
  const std::size_t cut = operands.find_last_of(" \t,");
  if (cut == std::string_view::npos)
    throw StatementError(nullptr, "a stack size and the name of a function or section are missing");
  const std::string_view name = unquoted(operands.substr(cut + 1));
  std::string_view bytes = trimmed(operands.substr(0, cut));
  while (bytes.ends_with(","))
    bytes = trimmed(bytes.substr(0, bytes.size() - 1));
  const std::int64_t size = numberNow(bytes);
  if (size < 0 || size > kMaxBytes)
    throw StatementError(bytes.data(), "a stack of " + std::to_string(size) +
                                           " bytes does not fit into a tile's memory");
  stackUses_.push_back({std::string(name), static_cast<std::uint32_t>(size), isTotal});
}

void Assembly::stackUsage(std::string_view operands) { declareStack(operands, true); }
void Assembly::stackSizeOwn(std::string_view operands) { declareStack(operands, false); }
void Assembly::allowOptimizations(std::string_view) { allowsSwap_ = true; }
void Assembly::ignored(std::string_view) {}

void Assembly::error(std::string_view operands) {
  throw StatementError(nullptr, operands.empty() ? "the source says .error"
                                                 : std::string(unquoted(operands)));
}

void Assembly::warning(std::string_view operands) { diagnostics_.warning(at_, unquoted(operands)); }

} // namespace copse::assembler
