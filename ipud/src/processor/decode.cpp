#include "isa/control_flow.hpp"
#include "isa/registers.hpp"
#include "processor/code_page.hpp"
#include "processor/executor.hpp"
#include "processor/issue.hpp"
#include "processor/memory_access.hpp"
#include "processor/operations.hpp"
#include "processor/translator/known_instructions.hpp"
#include "processor/waiting_loops.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace copse::ipud {
namespace {

using isa::Exception;
using isa::Instruction;
using isa::InstructionInfo;
using isa::Opcode;
using isa::OperandInfo;
using isa::OperandKind;

// The first read-only register of each file.
constexpr unsigned kReadOnlyMain = isa::kWorkerBase, kReadOnlyAux = 8;

class Decoder {
public:
  Decoder(CodePage &page, const DecodeOptions &options)
      : page_(page), options_(options), chip_(*options.chip), reader_(page, options) {}

  void run() {
    const auto count = static_cast<std::uint32_t>(page_.words.size());
    page_.start.assign(count + 1, CodePage::kNoStart);
    page_.issues.assign(count + 1, 0);
    const std::uint32_t end = findIssues();
    page_.inStep = options_.inStep;
    if (!options_.single) {
      findRepeats();
      page_.hasWaitingLoop = haveWaitingLoop(issues_, page_.address);
      if (options_.isTranslated) {
        page_.natives = std::make_unique<HostCode>();
        findLoops();
      }
    }
    for (const Issue &issue : issues_)
      emit(issue);
    page_.start[end] = static_cast<std::uint16_t>(page_.steps.size());
    append(Label::PageEnd, end);
    countIssues(end);
    connect();
  }

private:
  /// \returns the word after the last issue: all words, unless the last bundle is cut off
  std::uint32_t findIssues() {
    const auto count = static_cast<std::uint32_t>(page_.words.size());
    issues_ = reader_.readAll(0, count);
    return issues_.empty() ? 0 : issues_.back().word + issues_.back().words;
  }

  // Finds repeats whose body lies in this page.
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
          isa::isForbiddenInRepeat(issues_[i].main.opcode) ||
          isa::isForbiddenInRepeat(issues_[i].aux.opcode))
        return false;
    return end == page_.words.size() || isStart(end);
  }

  /// Finds the shortest loop that starts at each word.
  void findLoops() {
    const auto add = [&](const CodeLoop &loop) {
      if (loop.end != 0 && std::ranges::none_of(page_.loops, [&](const CodeLoop &other) {
            return other.first == loop.first;
          }))
        page_.loops.push_back(loop);
    };
    for (std::size_t i = 0; i < issues_.size(); ++i) {
      const Opcode opcode = issues_[i].main.opcode;
      const bool isRepeat = issues_[i].bad == Exception::None &&
                            (opcode == Opcode::Rpt || opcode == Opcode::RptZ) && hasWholeBody(i) &&
                            problemOf(issues_[i]) == Exception::None;
      if (isRepeat)
        add({issues_[i].word + issues_[i].words, bodyEnd(issues_[i]), true});
      else
        add(loopClosedBy(issues_, i, page_.address));
    }
    std::erase_if(page_.loops, [&](const CodeLoop &loop) { return !isGoodLoop(loop); });
  }
  bool isGoodLoop(const CodeLoop &loop) const {
    return std::ranges::all_of(issues_, [&](const Issue &issue) {
      const bool isInside = issue.word >= loop.first && issue.word + issue.words <= loop.end;
      const bool isBranch = !loop.isRepeat && issue.word + issue.words == loop.end;
      return !isInside || (problemOf(issue) == Exception::None &&
                           (isBranch || isStraight(issue) || isSkip(issue, page_.address)));
    });
  }

  bool isStart(std::uint32_t word) const {
    return std::any_of(issues_.begin(), issues_.end(),
                       [&](const Issue &issue) { return issue.word == word; });
  }

  // Steps
  MicroOp &append(Label label, std::uint32_t word) {
    MicroOp &op = page_.steps.emplace_back();
    op.label = addressOf(label);
    op.at = static_cast<std::uint16_t>(word);
    return op;
  }

  void emit(const Issue &issue) {
    page_.start[issue.word] = static_cast<std::uint16_t>(page_.steps.size());
    for (std::size_t i = 0; i < page_.loops.size(); ++i)
      if (page_.loops[i].first == issue.word)
        append(Label::EnterLoop, issue.word).immediate = static_cast<std::int32_t>(i);
    if (const Exception bad = problemOf(issue); bad != Exception::None)
      append(Label::Raise, issue.word).immediate = static_cast<std::int32_t>(bad);
    else
      emitHalves(issue);
    if (options_.inStep)
      append(Label::TurnEnd, issue.word + issue.words);
    if (std::binary_search(repeatEnds_.begin(), repeatEnds_.end(), issue.word + issue.words))
      append(Label::RepeatEnd, issue.word);
  }

  /// Returns the exception that the issue raises whatever the registers contain.
  Exception problemOf(const Issue &issue) const {
    if (issue.bad != Exception::None)
      return issue.bad;
    const auto shape = issue.main.opcode == Opcode::Invalid
                           ? std::span<const OperandInfo>{}
                           : isa::infoOf(issue.main.opcode).shape();
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (shape[i].kind == OperandKind::CodeAddress && !isTarget(targetOf(issue.main.operands[i])))
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

  bool isTarget(std::uint32_t address) const {
    return isExecutable(chip_, address) || isNativeEntry(chip_, address);
  }

  /// Bit 19 of a call's operand has no meaning.
  static std::uint32_t targetOf(std::uint32_t operand) { return operand & 0x1FFFFF; }
  std::uint32_t addressOfWord(std::uint32_t word) const { return page_.address + 4 * word; }

  void emitHalves(const Issue &issue) {
    if (isa::isControl(issue.main.opcode)) {
      // The two halves use different registers, but the code after it may not run.
      if (issue.main.opcode == Opcode::Br && issue.aux.opcode != Opcode::Invalid)
        emitControl(issue, Label::CheckTarget);
      emitPlain(issue, issue.aux);
      emitControl(issue, std::nullopt);
      return;
    }
    const std::size_t first = page_.steps.size();
    emitPlain(issue, issue.main);
    if (emitFused(issue, first))
      return;
    const bool pending = (footprintOf(issue.main).written & footprintOf(issue.aux).read) >> 16 != 0;
    std::vector<MicroOp> commits;
    if (pending && page_.steps.size() > first)
      commits = postpone(issue, page_.steps.back());
    emitPlain(issue, issue.aux);
    page_.steps.insert(page_.steps.end(), commits.begin(), commits.end());
  }

  /// Merges the aux half into a step for both halves, if there is such a label.
  bool emitFused(const Issue &issue, std::size_t first) {
    const std::size_t steps = page_.steps.size() - first;
    if (options_.single || steps != 1)
      return false;
    const void *const label = fusedLabel(page_.steps[first].label, issue.aux.opcode);
    if (label == nullptr)
      return false;
    MicroOp &memory = page_.steps[first];
    memory.label = label;
    memory.r[MicroOp::kLoaded] = issue.main.opcode == Opcode::Ld64stepS    ? 2
                                 : issue.main.opcode == Opcode::Ld32stepAS ? 1
                                                                           : 0;
    emitPlain(issue, issue.aux);
    return true;
  }

  /// Returns the label of a fused step for memory label \p memory and an instruction; null if there
  /// is none.
  static const void *fusedLabel(const void *memory, Opcode arithmetic) {
    Label row;
    switch (arithmetic) {
#define COPSE_FUSED_ROW(name)                                                                      \
  case Opcode::name:                                                                               \
    row = Label::SteppedLoadAux64##name;                                                           \
    break;
#include "processor/fused_bundles.def"
#undef COPSE_FUSED_ROW
    default:
      return nullptr;
    }
    const auto column = [&](unsigned i) {
      return addressOf(static_cast<Label>(static_cast<unsigned>(row) + i));
    };
    return memory == addressOf(Label::SteppedLoadAux64)    ? column(0)
           : memory == addressOf(Label::SteppedLoadAux32)  ? column(1)
           : memory == addressOf(Label::SteppedStoreAux64) ? column(2)
           : memory == addressOf(Label::SteppedStoreAux32) ? column(3)
                                                           : nullptr;
  }

  /// Makes \p op load into pending registers.
  /// \returns the steps that copy these to their destinations
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
    op.r[0] = static_cast<std::uint8_t>(fromRegister ? RegisterFiles::kMain + count : count);
    op.r[1] = static_cast<std::uint8_t>(issue.main.operands[1]);
    op.r[2] = static_cast<std::uint8_t>(issue.words);
    op.r[3] = fromRegister ? MicroOp::kCountInRegister : 0;
    op.r[4] = static_cast<std::uint8_t>(fromRegister ? 0 : count >> 8);
    const std::uint32_t end = bodyEnd(issue);
    // repeatEnds_ contains only the ends of valid bodies. Two repeats may have a common end, so
    // check this body too.
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
    op.function = operation::functionOf(i.opcode, op.immediate);
    if (op.function == nullptr) { // supervisor instructions, which do not get here
      append(Label::Raise, issue.word).immediate =
          static_cast<std::int32_t>(Exception::InvalidInstruction);
      return;
    }
    op.label = addressOf(i.opcode == Opcode::Uput  ? Label::WriteControl
                         : i.opcode == Opcode::Get ? Label::ReadControl
                                                   : plainLabel(op, i.opcode));
    if (i.opcode == Opcode::Uput)
      op.r[4] = static_cast<std::uint8_t>(issue.words);
    page_.steps.push_back(op);
  }

  static Label plainLabel(MicroOp &op, Opcode opcode) {
    if (const Label simple = simpleForm(op, opcode); simple != Label::Call)
      return simple;
    switch (opcode) {
#define COPSE_HOT(name)                                                                            \
  case Opcode::name:                                                                               \
    return Label::name;
#include "processor/hot_operations.def"
#undef COPSE_HOT
    default:
      return Label::Call;
    }
  }

  /// Returns the label of a simpler form without registers that read zero.
  static Label simpleForm(MicroOp &op, Opcode opcode) {
    // A stepped register is then written where it is read.
    constexpr unsigned kZero = RegisterFiles::kMain + isa::kMainZero;
    const bool noBase = op.r[1] == kZero && op.r[2] < RegisterFiles::kMain + kReadOnlyMain;
    const bool noDelta = op.r[2] == kZero;
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
    if (op.r[1] != kZero && !noDelta)
      return Label::Call;
    if (!noDelta)
      op.r[1] = std::exchange(op.r[2], kZero); // op.function adds both
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

  /// Indices of registers
  static std::uint8_t source(const OperandInfo &operand, std::uint32_t number) {
    return static_cast<std::uint8_t>(
        operand.kind == OperandKind::MainRegister ? RegisterFiles::kMain + number : number);
  }
  static std::uint8_t destination(const OperandInfo &operand, std::uint32_t number) {
    if (operand.kind == OperandKind::MainRegister && number >= kReadOnlyMain)
      return RegisterFiles::kMainSink;
    if (operand.kind == OperandKind::AuxRegister && number >= kReadOnlyAux)
      return RegisterFiles::kAuxSink;
    return source(operand, number);
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
      op.r[k] = isOnlyWritten ? destination(operand, value) : source(operand, value);
      if (operand.isWritten && operand.isRead)
        (stepped++ == 0 ? op.written : op.r[4]) = destination(operand, value);
    }
  }

  /// Returns the scale of an immediate: offsets and strides count elements; selectors of pace
  /// instructions do not.
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
        count = static_cast<std::uint16_t>(count + 1 +
                                           operation::extraCycles(issues_[next].aux.opcode));
        ++next;
      }
      if (word >= end)
        page_.issues[word] = count;
    }
  }

  // Connects branches and repeats with the steps of this page.
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
    if (op.label == addressOf(Label::CountDownFar) &&
        op.r[0] >= RegisterFiles::kMain + kReadOnlyMain)
      return; // near branches count down in place
    op.label = addressOf(nearLabel(op.label));
    op.distance =
        (start - static_cast<std::int64_t>(step)) * static_cast<std::int64_t>(sizeof(MicroOp));
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
  const IssueReader reader_;
  std::vector<Issue> issues_;
  std::vector<std::uint32_t> repeatEnds_; ///< words after the bodies, ascending
  std::vector<std::size_t> branches_;     ///< steps
  std::vector<Repeat> repeats_;
};

} // namespace

std::unique_ptr<CodePage> decodePage(std::uint32_t address, std::vector<std::uint32_t> words,
                                     const DecodeOptions &options) {
  auto page = std::make_unique<CodePage>();
  page->address = address;
  page->words = std::move(words);
  Decoder(*page, options).run();
  return page;
}

} // namespace copse::ipud
