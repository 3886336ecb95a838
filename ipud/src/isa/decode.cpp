#include "isa/code_page.hpp"
#include "isa/executor.hpp"
#include "isa/memory_access.hpp"
#include "isa/operations.hpp"
#include "isa/registers.hpp"
#include "isa/repeat_rules.hpp"

#include <algorithm>
#include <optional>

namespace copse::ipud {
namespace {

using isa::Exception;
using isa::Instruction;
using isa::InstructionInfo;
using isa::Opcode;
using isa::OperandInfo;
using isa::OperandKind;

/// Instructions that may leave the stretch of code that they stand in.
bool isControl(Opcode opcode) {
  switch (opcode) {
  case Opcode::Brneg:
  case Opcode::Brnz:
  case Opcode::Brpos:
  case Opcode::Brz:
  case Opcode::Brnzdec:
  case Opcode::Call:
  case Opcode::Br:
  case Opcode::Bri:
  case Opcode::Rpt:
  case Opcode::RptZ:
  case Opcode::Exitneg:
  case Opcode::Exitnz:
  case Opcode::Exitpos:
  case Opcode::Exitz:
    return true;
  default:
    return false;
  }
}

constexpr unsigned kReadOnlyMain = isa::kWorkerBase, kReadOnlyAux = 8; // these and the ones above

/// A set of registers of both files.
using RegisterSet = std::uint32_t;

RegisterSet registersOf(const OperandInfo &operand, std::uint32_t number) {
  if (operand.registers == 0)
    return 0;
  const unsigned first = operand.registers == 3 ? number + 1 : number;
  const RegisterSet group = ((1U << operand.registers) - 1) << first;
  return operand.kind == OperandKind::AuxRegister ? group << 16 : group;
}

struct Footprint {
  RegisterSet read = 0, written = 0;
  bool writesTwice = false;
};

Footprint footprintOf(const Instruction &instruction) {
  Footprint print;
  const auto shape = isa::infoOf(instruction.opcode).shape();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const RegisterSet registers = registersOf(shape[i], instruction.operands[i]);
    if (shape[i].isRead)
      print.read |= registers;
    if (shape[i].isWritten) {
      print.writesTwice |= (print.written & registers) != 0;
      print.written |= registers;
    }
  }
  return print;
}

/// One instruction or bundle.
struct Issue {
  std::uint32_t word = 0; ///< where it starts
  std::uint32_t words = 1;
  Instruction main, aux; ///< Opcode::Invalid: none
  Exception bad = Exception::None;
};

bool isAux(const Instruction &i) {
  return i.opcode != Opcode::Invalid && isa::infoOf(i.opcode).isAux();
}

class Decoder {
public:
  Decoder(CodePage &page, const DecodeOptions &options)
      : page_(page), options_(options), chip_(*options.chip) {}

  void run() {
    const auto count = static_cast<std::uint32_t>(page_.words.size());
    page_.start.assign(count + 1, CodePage::kNoStart);
    page_.issues.assign(count + 1, 0);
    const std::uint32_t end = findIssues();
    if (!options_.single)
      findRepeats();
    for (const Issue &issue : issues_)
      emit(issue);
    page_.start[end] = static_cast<std::uint16_t>(page_.steps.size());
    append(Label::PageEnd, end);
    countIssues(end);
    connect();
  }

private:
  Instruction decoded(std::uint32_t word) const {
    return isa::decode(word & ~isa::kBundleBit, chip_.architecture);
  }

  /// \returns the word after the last issue: all of them, but for a bundle that is cut off
  std::uint32_t findIssues() {
    const auto count = static_cast<std::uint32_t>(page_.words.size());
    std::uint32_t at = 0;
    while (at < count) {
      Issue issue;
      if (!readIssue(at, issue))
        return at;
      issues_.push_back(issue);
      at += issue.words;
    }
    return at;
  }

  bool readIssue(std::uint32_t at, Issue &issue) const {
    const std::uint32_t word = page_.words[at];
    issue.word = at;
    const bool inBundle = (word & isa::kBundleBit) != 0;
    const Instruction first = isa::decode(
        inBundle && !isPayloadForm(word) ? word & ~isa::kBundleBit : word, chip_.architecture);
    if (first.opcode == Opcode::Invalid || !isa::infoOf(first.opcode).isLegalIn(options_.context)) {
      issue.bad = Exception::InvalidInstruction;
      return true;
    }
    if (!inBundle) {
      (isAux(first) ? issue.aux : issue.main) = first;
      checkDestinations(issue);
      return true;
    }
    return readBundle(at, first, issue);
  }

  bool isPayloadForm(std::uint32_t word) const {
    return options_.context == isa::Context::Supervisor && (word & 0xF0000000) == 0xF0000000 &&
           chip_.architecture == isa::Architecture::Ipu21;
  }

  bool readBundle(std::uint32_t at, const Instruction &first, Issue &issue) const {
    issue.bad = Exception::InvalidInstruction;
    if (options_.context != isa::Context::Worker || isAux(first) ||
        isa::infoOf(first.opcode).isSolo())
      return true;
    if (at + 1 >= page_.words.size()) {
      if (isExecutable(chip_, page_.end()))
        return false; // the other half is in the next page
      issue.bad = Exception::InvalidPc;
      return true;
    }
    const std::uint32_t second = page_.words[at + 1];
    const Instruction other = decoded(second);
    if ((second & isa::kBundleBit) == 0 || !isAux(other))
      return true;
    issue.words = 2;
    issue.main = first;
    issue.aux = other;
    issue.bad = Exception::None;
    checkDestinations(issue);
    return true;
  }

  static void checkDestinations(Issue &issue) {
    const bool both = issue.main.opcode != Opcode::Invalid && issue.aux.opcode != Opcode::Invalid;
    Footprint main, aux;
    if (issue.main.opcode != Opcode::Invalid)
      main = footprintOf(issue.main);
    if (issue.aux.opcode != Opcode::Invalid)
      aux = footprintOf(issue.aux);
    if (both && (main.written & aux.written) != 0)
      issue.bad = Exception::InvalidInstruction;
    else if (main.writesTwice || aux.writesTwice)
      issue.bad = Exception::InvalidOperand;
  }

  // Repeats whose body this page has as a whole.
  void findRepeats() {
    for (std::size_t i = 0; i < issues_.size(); ++i) {
      const Opcode opcode = issues_[i].main.opcode;
      if (issues_[i].bad == Exception::None && (opcode == Opcode::Rpt || opcode == Opcode::RptZ) &&
          hasWholeBody(i))
        repeatEnds_.push_back(bodyEnd(issues_[i]));
    }
    std::sort(repeatEnds_.begin(), repeatEnds_.end());
  }

  static std::uint32_t bundlesOf(const Issue &repeat) { return repeat.main.operands[1] + 1; }
  static std::uint32_t bodyEnd(const Issue &repeat) {
    return repeat.word + repeat.words + 2 * bundlesOf(repeat);
  }

  bool hasWholeBody(std::size_t repeat) const {
    const std::uint32_t end = bodyEnd(issues_[repeat]);
    if (end > page_.words.size())
      return false;
    for (std::size_t i = repeat + 1; i < issues_.size() && issues_[i].word < end; ++i)
      if (issues_[i].words != 2 || issues_[i].bad != Exception::None ||
          isForbiddenInRepeat(issues_[i].main.opcode) || isForbiddenInRepeat(issues_[i].aux.opcode))
        return false;
    return end == page_.words.size() || isStart(end);
  }

  bool isStart(std::uint32_t word) const {
    return std::any_of(issues_.begin(), issues_.end(),
                       [&](const Issue &issue) { return issue.word == word; });
  }

  // Steps.
  MicroOp &append(Label label, std::uint32_t word) {
    MicroOp &op = page_.steps.emplace_back();
    op.label = addressOf(label);
    op.at = static_cast<std::uint16_t>(word);
    return op;
  }

  void emit(const Issue &issue) {
    page_.start[issue.word] = static_cast<std::uint16_t>(page_.steps.size());
    if (const Exception bad = problemOf(issue); bad != Exception::None)
      append(Label::Raise, issue.word).immediate = static_cast<std::int32_t>(bad);
    else
      emitHalves(issue);
    if (std::binary_search(repeatEnds_.begin(), repeatEnds_.end(), issue.word + issue.words))
      append(Label::RepeatEnd, issue.word);
  }

  /// What is wrong whatever the registers hold.
  Exception problemOf(const Issue &issue) const {
    if (issue.bad != Exception::None)
      return issue.bad;
    const auto shape = issue.main.opcode == Opcode::Invalid
                           ? std::span<const OperandInfo>{}
                           : isa::infoOf(issue.main.opcode).shape();
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (shape[i].kind == OperandKind::CodeAddress &&
          !isExecutable(chip_, targetOf(issue.main.operands[i])))
        return Exception::InvalidPc;
    if (issue.main.opcode == Opcode::Trap)
      return (issue.main.operands[0] & 1) != 0 ? Exception::PatchedBreak1
                                               : Exception::PatchedBreak0;
    if (issue.main.opcode == Opcode::Rpt || issue.main.opcode == Opcode::RptZ) {
      const std::uint32_t first = addressOfWord(issue.word + issue.words);
      if (first % 8 != 0 || !isExecutable(chip_, first) ||
          !isExecutable(chip_, addressOfWord(bodyEnd(issue))))
        return Exception::InvalidOperand;
    }
    return Exception::None;
  }

  /// Bit 19 of a call's field has no meaning.
  static std::uint32_t targetOf(std::uint32_t operand) { return operand & 0x1FFFFF; }
  std::uint32_t addressOfWord(std::uint32_t word) const { return page_.address + 4 * word; }

  void emitHalves(const Issue &issue) {
    if (isControl(issue.main.opcode)) {
      // It reads and writes what the other half does not, and what follows it may not run.
      if (issue.main.opcode == Opcode::Br && issue.aux.opcode != Opcode::Invalid)
        emitControl(issue, Label::CheckTarget);
      emitPlain(issue, issue.aux);
      emitControl(issue, std::nullopt);
      return;
    }
    const Footprint main =
        issue.main.opcode == Opcode::Invalid ? Footprint{} : footprintOf(issue.main);
    const Footprint aux =
        issue.aux.opcode == Opcode::Invalid ? Footprint{} : footprintOf(issue.aux);
    const bool pending = (main.written & aux.read) >> 16 != 0;
    const std::size_t first = page_.steps.size();
    emitPlain(issue, issue.main);
    std::vector<MicroOp> commits;
    if (pending && page_.steps.size() > first)
      commits = postpone(issue, page_.steps.back());
    emitPlain(issue, issue.aux);
    page_.steps.insert(page_.steps.end(), commits.begin(), commits.end());
  }

  /// Makes \p op load into pending registers. \returns the steps that bring them home
  std::vector<MicroOp> postpone(const Issue &issue, MicroOp &op) const {
    std::vector<MicroOp> commits;
    std::uint8_t pending = RegisterFiles::kAuxPending;
    const auto shape = isa::infoOf(issue.main.opcode).shape();
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i].kind != OperandKind::AuxRegister || !shape[i].isWritten)
        continue;
      const unsigned offset = shape[i].registers == 3 ? 1 : 0;
      MicroOp commit;
      commit.label = addressOf(shape[i].registers == 1   ? Label::CommitOne
                               : shape[i].registers == 2 ? Label::CommitPair
                                                         : Label::Commit);
      commit.at = static_cast<std::uint16_t>(issue.word);
      commit.r[0] = static_cast<std::uint8_t>(op.r[i] + offset);
      commit.r[1] = static_cast<std::uint8_t>(pending + offset);
      commit.r[2] = shape[i].registers;
      commits.push_back(commit);
      op.r[i] = pending;
      pending = static_cast<std::uint8_t>(pending + 2);
    }
    return commits;
  }

  void emitControl(const Issue &issue, std::optional<Label> label) {
    const Instruction &i = issue.main;
    MicroOp &op = append(label.value_or(farLabel(i.opcode)), issue.word);
    fillOperands(op, i);
    switch (i.opcode) {
    case Opcode::Call:
      op.r[1] = static_cast<std::uint8_t>(4 * issue.words);
      break;
    case Opcode::Rpt:
    case Opcode::RptZ:
      fillRepeat(op, issue);
      break;
    case Opcode::Exitneg:
    case Opcode::Exitnz:
    case Opcode::Exitpos:
    case Opcode::Exitz:
      op.r[1] = static_cast<std::uint8_t>(static_cast<unsigned>(i.opcode) -
                                          static_cast<unsigned>(Opcode::Exitneg));
      break;
    default:
      break;
    }
    for (std::size_t k = 0; k < isa::infoOf(i.opcode).shape().size(); ++k)
      if (isa::infoOf(i.opcode).shape()[k].kind == OperandKind::CodeAddress) {
        op.immediate = static_cast<std::int32_t>(targetOf(i.operands[k]));
        branches_.push_back(page_.steps.size() - 1);
      }
  }

  void fillRepeat(MicroOp &op, const Issue &issue) {
    const bool fromRegister = issue.main.opcode == Opcode::Rpt;
    const std::uint32_t count = issue.main.operands[0];
    op.r[0] = static_cast<std::uint8_t>(count);
    op.r[1] = static_cast<std::uint8_t>(issue.main.operands[1]);
    op.r[2] = static_cast<std::uint8_t>(issue.words);
    op.r[3] = fromRegister ? MicroOp::kCountInRegister : 0;
    op.r[4] = static_cast<std::uint8_t>(fromRegister ? 0 : count >> 8);
    const std::uint32_t end = bodyEnd(issue);
    // Only those whose body was found good are among the ends; two repeats may share one.
    if (!options_.single && end <= page_.words.size() &&
        std::binary_search(repeatEnds_.begin(), repeatEnds_.end(), end) && bodyIsGood(issue))
      repeats_.push_back({page_.steps.size() - 1, end});
  }

  bool bodyIsGood(const Issue &repeat) const {
    const auto at = std::find_if(issues_.begin(), issues_.end(),
                                 [&](const Issue &i) { return i.word == repeat.word; });
    return hasWholeBody(static_cast<std::size_t>(at - issues_.begin()));
  }

  static Label farLabel(Opcode opcode) {
    switch (opcode) {
    case Opcode::Brneg:
      return Label::IfNegativeFar;
    case Opcode::Brnz:
      return Label::IfNotZeroFar;
    case Opcode::Brpos:
      return Label::IfPositiveFar;
    case Opcode::Brz:
      return Label::IfZeroFar;
    case Opcode::Brnzdec:
      return Label::CountDownFar;
    case Opcode::Call:
      return Label::CallFar;
    case Opcode::Br:
      return Label::JumpToRegister;
    case Opcode::Bri:
      return Label::JumpFar;
    case Opcode::Rpt:
    case Opcode::RptZ:
      return Label::Repeat;
    default:
      return Label::Exit;
    }
  }

  void emitPlain(const Issue &issue, const Instruction &i) {
    if (i.opcode == Opcode::Invalid || hasNoEffect(i))
      return;
    MicroOp op;
    op.at = static_cast<std::uint16_t>(issue.word);
    fillOperands(op, i);
    op.function = operation::functionOf(i.opcode);
    if (op.function == nullptr) { // the supervisor's own, which never come here
      append(Label::Raise, issue.word).immediate =
          static_cast<std::int32_t>(Exception::InvalidInstruction);
      return;
    }
    op.label = addressOf(i.opcode == Opcode::Uput ? Label::WriteControl : plainLabel(op, i.opcode));
    if (i.opcode == Opcode::Uput)
      op.r[4] = static_cast<std::uint8_t>(issue.words);
    page_.steps.push_back(op);
  }

  /// nop and fnop, and what else loads a constant into a register that ignores it.
  static bool hasNoEffect(const Instruction &i) {
    return (i.opcode == Opcode::Setzi && i.operands[0] >= kReadOnlyMain) ||
           (i.opcode == Opcode::AuxSetzi && i.operands[0] >= kReadOnlyAux);
  }

  static Label plainLabel(MicroOp &op, Opcode opcode) {
    if (const Label simple = simpleForm(op, opcode); simple != Label::Call)
      return simple;
    switch (opcode) {
#define COPSE_HOT(name)                                                                            \
  case Opcode::name:                                                                               \
    return Label::name;
#include "isa/hot_operations.def"
#undef COPSE_HOT
    default:
      return Label::Call;
    }
  }

  /// Forms that leave out registers which read zero.
  static Label simpleForm(MicroOp &op, Opcode opcode) {
    // A stepped register is then written where it is read.
    const bool noBase = op.r[1] == isa::kMainZero && op.r[2] < kReadOnlyMain;
    const bool noDelta = op.r[2] == isa::kMainZero;
    switch (opcode) {
    case Opcode::Ld32stepS:
      return noBase ? Label::SteppedLoad32 : Label::Call;
    case Opcode::Ld32stepAS:
      return noBase ? Label::SteppedLoadAux32 : Label::Call;
    case Opcode::Ld64stepS:
      return noBase ? Label::SteppedLoadAux64 : Label::Call;
    case Opcode::St32stepS:
      return noBase ? Label::SteppedStore32 : Label::Call;
    case Opcode::St32stepAS:
      return noBase ? Label::SteppedStoreAux32 : Label::Call;
    case Opcode::St64stepS:
      return noBase ? Label::SteppedStoreAux64 : Label::Call;
    case Opcode::Ld32Z:
    case Opcode::Ld32AZ:
    case Opcode::Ld64Z:
    case Opcode::St32Z:
      break;
    default:
      return Label::Call;
    }
    if (op.r[1] != isa::kMainZero && !noDelta)
      return Label::Call;
    if (!noDelta)
      op.r[1] = op.r[2];
    switch (opcode) {
    case Opcode::Ld32Z:
      return Label::PlainLoad32;
    case Opcode::Ld32AZ:
      return Label::PlainLoadAux32;
    case Opcode::Ld64Z:
      return Label::PlainLoadAux64;
    default:
      return Label::PlainStore32;
    }
  }

  static std::uint8_t destination(const OperandInfo &operand, std::uint32_t number) {
    if (operand.kind == OperandKind::MainRegister)
      return static_cast<std::uint8_t>(number >= kReadOnlyMain ? RegisterFiles::kMainSink : number);
    return static_cast<std::uint8_t>(number >= kReadOnlyAux ? RegisterFiles::kAuxSink : number);
  }

  static void fillOperands(MicroOp &op, const Instruction &i) {
    const InstructionInfo &info = isa::infoOf(i.opcode);
    unsigned stepped = 0;
    for (std::size_t k = 0; k < info.shape().size(); ++k) {
      const OperandInfo &operand = info.shape()[k];
      const std::uint32_t value = i.operands[k];
      if (operand.registers == 0) {
        op.immediate = static_cast<std::int32_t>(value * scaleOf(info, operand));
        continue;
      }
      const bool isOnlyWritten = operand.isWritten && !operand.isRead;
      op.r[k] = isOnlyWritten ? destination(operand, value) : static_cast<std::uint8_t>(value);
      if (operand.isWritten && operand.isRead)
        (stepped++ == 0 ? op.written : op.r[4]) = destination(operand, value);
    }
  }

  /// Offsets and strides count elements; the selectors of pace instructions do not.
  static std::uint32_t scaleOf(const InstructionInfo &info, const OperandInfo &operand) {
    const bool counts =
        operand.kind == OperandKind::Unsigned || operand.kind == OperandKind::Signed;
    if (!counts || info.accessBytes == 0 || info.mnemonic.ends_with("pace") ||
        info.mnemonic.ends_with("putcs"))
      return 1;
    return info.accessBytes;
  }

  void countIssues(std::uint32_t end) {
    std::uint16_t count = 0;
    std::size_t next = 0;
    for (std::uint32_t word = 0; word <= page_.words.size(); ++word) {
      page_.issues[word] = count;
      if (next < issues_.size() && issues_[next].word == word) {
        ++count;
        ++next;
      }
      if (word >= end)
        page_.issues[word] = count;
    }
  }

  // Branches and repeats to steps of the page itself.
  void connect() {
    if (options_.single)
      return;
    for (const std::size_t branch : branches_)
      connectBranch(branch);
    for (const auto &[step, end] : repeats_) {
      MicroOp &op = page_.steps[step];
      op.r[3] |= MicroOp::kNearRepeat;
      op.immediate = page_.start[end] - static_cast<std::int32_t>(step);
    }
  }

  void connectBranch(std::size_t step) {
    MicroOp &op = page_.steps[step];
    const auto target = static_cast<std::uint32_t>(op.immediate);
    if (target < page_.address || target >= page_.end())
      return;
    const std::uint32_t word = (target - page_.address) / 4;
    const std::uint16_t start = page_.start[word];
    if (start == CodePage::kNoStart || page_.steps[start].label == addressOf(Label::PageEnd))
      return;
    if (op.label == addressOf(Label::CountDownFar) && op.r[0] >= kReadOnlyMain)
      return; // near ones count down in place
    op.label = addressOf(nearLabel(op.label));
    op.immediate =
        (start - static_cast<std::int32_t>(step)) * static_cast<std::int32_t>(sizeof(MicroOp));
    const bool late = (page_.words[word] & isa::kBundleBit) != 0 && target % 8 != 0;
    op.issues = page_.issues[op.at] + 1 - page_.issues[word] + (late ? 1 : 0);
  }

  static Label nearLabel(const void *far) {
    for (const auto label :
         {Label::JumpFar, Label::IfZeroFar, Label::IfNotZeroFar, Label::IfNegativeFar,
          Label::IfPositiveFar, Label::CountDownFar, Label::CallFar})
      if (addressOf(label) == far)
        return static_cast<Label>(static_cast<unsigned>(label) - 1);
    return Label::Raise; // not reached: branches have one of these
  }

  struct Repeat {
    std::size_t step;
    std::uint32_t end;
  };

  CodePage &page_;
  const DecodeOptions options_;
  const Chip &chip_;
  std::vector<Issue> issues_;
  std::vector<std::uint32_t> repeatEnds_; ///< words after the bodies, ascending
  std::vector<std::size_t> branches_;     ///< steps
  std::vector<Repeat> repeats_;
};

} // namespace

bool isForbiddenInRepeat(Opcode opcode) {
  if (isControl(opcode))
    return true;
  switch (opcode) {
  case Opcode::Get:
  case Opcode::Put:
  case Opcode::Uget:
  case Opcode::Uput:
  case Opcode::Trap:
    return true;
  default:
    return false;
  }
}

std::unique_ptr<CodePage> decodePage(std::uint32_t address, std::vector<std::uint32_t> words,
                                     const DecodeOptions &options) {
  auto page = std::make_unique<CodePage>();
  page->address = address;
  page->words = std::move(words);
  Decoder(*page, options).run();
  return page;
}

} // namespace copse::ipud
