#include "isa/registers.hpp"
#include "processor/code_page.hpp"
#include "processor/executor.hpp"
#include "processor/host_processor.hpp"
#include "processor/integer_emitter.hpp"
#include "processor/known_instructions.hpp"
#include "processor/native_loop.hpp"
#include "processor/operations.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <vector>
#include <xbyak/xbyak.h>

namespace copse::ipud {
namespace {

using isa::Instruction;
using isa::Opcode;
using Xbyak::Xmm;

/// Vectors that f32 results are held against; the upper two lanes are always in order.
struct alignas(16) FloatLimits {
  std::uint32_t shift[4] = {0x7F000000, 0x7F000000, 0, 0};
  std::uint32_t limit[4] = {0x7DFFFFFF, 0x7DFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF};
};
constexpr FloatLimits kLimits;

/// Makes host code of one loop. What the host code keeps while it runs:
///
///   rbx  the Core        r12  address 0 of the tile        r13  turns that are left
///   the main registers that the loop uses most, in other registers than rax, rcx and rdx
///   pairs of aux registers in xmm0 to xmm3, with zeros in the upper halves, if nothing is called
///
/// All others stay in the Core; those that were written go back there at each exit.
class LoopTranslator : private IntegerEmitter {
public:
  LoopTranslator(Xbyak::CodeGenerator &code, const CodePage &page, const CodeLoop &loop)
      : IntegerEmitter(code), page_(page), loop_(loop) {}

  /// \param chip  that the page was decoded for
  NativeLoop translate(const Chip &chip) {
    readBody(chip);
    assignRegisters();
    NativeLoop result = describe();
    x_.align(16);
    result.entry = x_.getCurr<NativeLoop::Entry>();
    prologue();
    for (std::size_t i = 0; i < body_.size(); ++i)
      emitIssue(i);
    closing();
    for (const ZeroCheck &check : zeros_)
      emitZeros(check);
    for (const Exit &exit : exits_) {
      x_.L(*exit.label);
      leave(exit.step, 0);
    }
    x_.L(epilogue_);
    epilogue();
    return result;
  }

private:
  struct Exit {
    std::unique_ptr<Xbyak::Label> label;
    const MicroOp *step;
  };
  struct Factors {
    Xmm a, b;
  };
  /// Code away from the loop that looks twice at a product in xmm4 that may be a right zero.
  struct ZeroCheck {
    ZeroCheck(const Factors &of, bool single, const Xbyak::Label *otherwise)
        : factors(of), isSingle(single), exit(otherwise) {}
    Factors factors;
    bool isSingle;
    const Xbyak::Label *exit;
    std::unique_ptr<Xbyak::Label> unsure = std::make_unique<Xbyak::Label>(),
                                  right = std::make_unique<Xbyak::Label>();
  };
  /// Where the results of an aux half are, before any of it is written.
  enum class Result : std::uint8_t { None, Single, Pair, Accumulator, Accumulators };

  // Preparation.

  void readBody(const Chip &chip) {
    const DecodeOptions options{.chip = &chip};
    const IssueReader reader(page_, options);
    for (std::uint32_t at = loop_.first; at < loop_.end;) {
      Issue issue;
      reader.read(at, issue);
      at += issue.words;
      body_.push_back(issue);
    }
    addresses_ = addressesOf(body_, counter());
    if (!loop_.isRepeat)
      body_.back().main.opcode = Opcode::Invalid; // closing() has it
    for (const Issue &issue : body_)
      calls_ = calls_ || isCalled(issue.main) || isCalled(issue.aux);
  }

  bool isCounted() const { return loop_.branch == Opcode::Brnzdec; }
  unsigned counter() const { return isCounted() ? loop_.tested : kZeroMain; }

  static bool isCalled(const Instruction &i) {
    return i.opcode != Opcode::Invalid && !hasNoEffect(i) && !isMainKnown(i) && !isAuxKnown(i);
  }

  static bool isMainKnown(const Instruction &i) {
    if (accessFormOf(i))
      return i.operands[0] < (isa::infoOf(i.opcode).shape()[0].kind == isa::OperandKind::AuxRegister
                                  ? 8U
                                  : 12U) ||
             accessFormOf(i)->isStore;
    return isInteger(i.opcode) && i.operands[0] < isa::kWorkerBase;
  }

  void assignRegisters() {
    std::array<unsigned, 16> uses{};
    const auto count = [&](const Instruction &i) {
      const Footprint print = footprintOf(i);
      for (unsigned r = 0; r < 15; ++r)
        uses[r] += (print.read >> r & 1) + (print.written >> r & 1);
      written_ |= print.written;
      read_ |= print.read;
    };
    for (const Issue &issue : body_) {
      count(issue.main);
      count(issue.aux);
    }
    countsItself_ = isCounted() && (read_ >> loop_.tested & 1) != 0;
    if (countsItself_) {
      written_ |= 1U << loop_.tested;
      uses[loop_.tested] += 1;
    }
    if (!loop_.isRepeat && !isCounted())
      uses[loop_.tested] += 1;
    // Functions keep the first ones.
    static constexpr int kHosts[] = {5, 14, 15, 6, 7, 8, 9, 10, 11};
    const std::size_t hosts = calls_ ? 3 : std::size(kHosts);
    std::array<unsigned, 15> order{};
    for (unsigned r = 0; r < 15; ++r)
      order[r] = r;
    std::stable_sort(order.begin(), order.end(),
                     [&](unsigned a, unsigned b) { return uses[a] > uses[b]; });
    for (std::size_t i = 0; i < hosts && uses[order[i]] > 0; ++i)
      host_[order[i]] = kHosts[i];
  }

  NativeLoop describe() const {
    NativeLoop result;
    result.isRepeat = loop_.isRepeat;
    result.isCounted = isCounted();
    result.countsItself = countsItself_;
    result.counter = loop_.tested;
    if (!loop_.isRepeat)
      result.issues = closingStep()->issues;
    for (const MovingAccess &access : addresses_.accesses) {
      NativeLoop::Access &a = result.accesses.emplace_back();
      a.start = access.address.constant;
      a.step = access.step.constant;
      a.startTerms = termsOf(access.address);
      a.stepTerms = termsOf(access.step);
      a.shift = static_cast<std::uint8_t>(std::countr_zero(access.bytes));
    }
    return result;
  }

  static std::vector<NativeLoop::Term> termsOf(const Linear &value) {
    std::vector<NativeLoop::Term> terms;
    for (std::uint8_t r = 0; r < 15; ++r)
      if (value.factors[r] != 0)
        terms.push_back({r, value.factors[r]});
    return terms;
  }

  /// The step that goes back to the first: of a branch, or the end of a repeat.
  const MicroOp *closingStep() const { return &page_.steps[page_.start[loop_.end] - 1U]; }
  /// The first of an issue's own.
  const MicroOp *stepOf(const Issue &issue) const {
    const MicroOp *const first = &page_.steps[page_.start[issue.word]];
    return first->label == addressOf(Label::EnterLoop) ? first + 1 : first;
  }
  const MicroOp *endOf(const Issue &issue) const {
    return &page_.steps[page_.start[issue.word + issue.words]];
  }

  bool hasPairs() const { return !calls_; }
  static Xmm pair(unsigned r) { return Xmm(static_cast<int>(r / 2)); }

  // The frame.

  void prologue() {
    using namespace Xbyak::util;
    for (const auto &r : {rbx, rbp, r12, r13, r14, r15})
      x_.push(r);
    x_.sub(rsp, 8);
    x_.mov(rbx, rdi);
    x_.mov(r13, rsi);
    x_.mov(r12, rdx);
    for (unsigned r = 0; r < 15; ++r)
      if (isHosted(r))
        x_.mov(host(r), mainPlace(r));
    if (hasPairs())
      for (unsigned p = 0; p < 8; p += 2)
        if (((read_ | written_) >> (16 + p) & 3) != 0)
          x_.vmovq(pair(p), place(p));
    if (countsItself_) {
      x_.jmp(bodyEntry_, Xbyak::CodeGenerator::T_NEAR);
      x_.align(16);
      x_.L(top_);
      if (isHosted(loop_.tested))
        x_.dec(host(loop_.tested));
      else
        x_.dec(dword[rbx + offsetOfMain(loop_.tested)]);
      x_.L(bodyEntry_);
    } else {
      x_.align(16);
      x_.L(top_);
    }
  }

  void closing() {
    using namespace Xbyak::util;
    x_.dec(r13);
    if (loop_.isRepeat || isCounted()) {
      x_.jnz(top_, Xbyak::CodeGenerator::T_NEAR);
      leave(closingStep(), 1);
      return;
    }
    Xbyak::Label done;
    x_.jz(done);
    if (isHosted(loop_.tested))
      x_.test(host(loop_.tested), host(loop_.tested));
    else
      x_.cmp(dword[rbx + offsetOfMain(loop_.tested)], 0);
    constexpr auto kNear = Xbyak::CodeGenerator::T_NEAR;
    switch (loop_.branch) {
    case Opcode::Brnz:
      x_.jnz(top_, kNear);
      break;
    case Opcode::Brz:
      x_.jz(top_, kNear);
      break;
    case Opcode::Brpos:
      x_.jns(top_, kNear);
      break;
    default:
      x_.js(top_, kNear);
      break;
    }
    x_.L(done);
    leave(closingStep(), 1);
  }

  /// \param extra  turns that are not closed beside those of r13
  void leave(const MicroOp *step, int extra) {
    using namespace Xbyak::util;
    x_.mov(rax, reinterpret_cast<std::size_t>(step));
    x_.lea(rdx, ptr[r13 + extra]);
    x_.jmp(epilogue_, Xbyak::CodeGenerator::T_NEAR);
  }

  /// Where the code goes on if \p issue is to be interpreted, of which nothing has been done.
  const Xbyak::Label &exitBefore(const Issue &issue) { return exitAt(stepOf(issue)); }
  const Xbyak::Label &exitAt(const MicroOp *step) {
    for (const Exit &exit : exits_)
      if (exit.step == step)
        return *exit.label;
    exits_.push_back({std::make_unique<Xbyak::Label>(), step});
    return *exits_.back().label;
  }

  void epilogue() {
    using namespace Xbyak::util;
    for (unsigned r = 0; r < 12; ++r)
      if (isHosted(r) && (written_ >> r & 1) != 0)
        x_.mov(mainPlace(r), host(r));
    if (hasPairs())
      for (unsigned p = 0; p < 8; p += 2)
        if ((written_ >> (16 + p) & 3) != 0)
          x_.vmovq(place(p), pair(p));
    x_.add(rsp, 8);
    for (const auto &r : {r15, r14, r13, r12, rbp, rbx})
      x_.pop(r);
    x_.ret();
  }

  // Instructions and bundles.

  void emitIssue(std::size_t number) {
    const Issue &issue = body_[number];
    const bool callsMain = isCalled(issue.main), callsAux = isCalled(issue.aux);
    const bool needsAux = issue.aux.opcode != Opcode::Invalid && !hasNoEffect(issue.aux);
    if (callsMain || (needsAux && callsAux && loadsWhatAuxReads(issue))) {
      emitSteps(issue); // as the interpreter does, step by step
      return;
    }
    const auto form = accessFormOf(issue.main);
    if (form) {
      emitAddress(*form);
      if (!addresses_.moves[number])
        emitCheck(*form, issue);
    }
    Result result = Result::None;
    if (needsAux && !callsAux)
      result = emitAux(issue);
    if (form)
      emitAccess(*form, issue.main);
    else if (issue.main.opcode != Opcode::Invalid && !hasNoEffect(issue.main))
      emitMain(issue.main);
    if (result != Result::None)
      emitResult(result, issue.aux.operands[0]);
    if (needsAux && callsAux)
      emitCall(*auxStepOf(issue), issue.aux);
  }

  static bool loadsWhatAuxReads(const Issue &issue) {
    return (footprintOf(issue.main).written & footprintOf(issue.aux).read) >> 16 != 0;
  }

  /// The step of a called aux half.
  const MicroOp *auxStepOf(const Issue &issue) const {
    const auto function = operation::functionOf(issue.aux.opcode, immediateOf(issue.aux));
    for (const MicroOp *step = stepOf(issue); step != endOf(issue); ++step)
      if (isFunction(*step) && step->function == function)
        return step;
    return stepOf(issue); // not reached: the decoder has made a step of each half
  }

  static bool isCommit(const MicroOp &step) {
    return step.label == addressOf(Label::Commit) || step.label == addressOf(Label::CommitOne) ||
           step.label == addressOf(Label::CommitPair);
  }
  static bool isFunction(const MicroOp &step) {
    return !isCommit(step) && step.function != nullptr;
  }

  /// All steps of an issue that are calls or what follows them.
  void emitSteps(const Issue &issue) {
    for (const MicroOp *step = stepOf(issue); step != endOf(issue); ++step) {
      if (step == closingStep())
        continue;
      if (isCommit(*step))
        emitCommit(*step);
      else
        emitCall(*step, isAuxStep(*step, issue) ? issue.aux : issue.main);
    }
  }
  bool isAuxStep(const MicroOp &step, const Issue &issue) const {
    return issue.aux.opcode != Opcode::Invalid && !hasNoEffect(issue.aux) &&
           &step == auxStepOf(issue);
  }

  void emitCommit(const MicroOp &step) {
    const unsigned count = step.label == addressOf(Label::CommitPair)  ? 2
                           : step.label == addressOf(Label::CommitOne) ? 1
                                                                       : step.r[2];
    for (unsigned i = 0; i < count; ++i) {
      x_.mov(Xbyak::util::eax, place(step.r[1] + i));
      x_.mov(place(step.r[0] + i), Xbyak::util::eax);
    }
  }

  /// Calls the interpreter's function of \p step, which does \p instruction.
  void emitCall(const MicroOp &step, const Instruction &instruction) {
    using namespace Xbyak::util;
    const Footprint print = footprintOf(instruction);
    for (unsigned r = 0; r < 12; ++r)
      if (isHosted(r) && (written_ >> r & 1) != 0 && ((print.read | print.written) >> r & 1) != 0)
        x_.mov(mainPlace(r), host(r));
    x_.mov(rdi, rbx);
    x_.mov(rsi, reinterpret_cast<std::size_t>(&step));
    x_.mov(rax, reinterpret_cast<std::size_t>(step.function));
    x_.call(rax);
    for (unsigned r = 0; r < 12; ++r)
      if (isHosted(r) && (print.written >> r & 1) != 0)
        x_.mov(host(r), mainPlace(r));
    x_.test(al, al);
    x_.jz(exitAt(&step), Xbyak::CodeGenerator::T_NEAR); // Core::fault says why
  }

  // Accesses.

  /// Leaves the tile address of an access in edx, or where direct_ says.
  void emitAddress(const AccessForm &form) {
    using namespace Xbyak::util;
    const bool isSimple = form.offset == kZeroMain && form.immediate == 0;
    const unsigned one = form.base == kZeroMain    ? form.delta
                         : form.delta == kZeroMain ? form.base
                                                   : 16;
    direct_ = edx;
    if (isSimple && one < 15 && isHosted(one)) {
      direct_ = host(one);
      return;
    }
    load(edx, form.base);
    if (form.delta != kZeroMain)
      withOperand(form.delta, [&](const Xbyak::Operand &y) { x_.add(edx, y); });
    if (form.offset != kZeroMain) {
      load(ecx, form.offset);
      x_.imul(ecx, ecx, static_cast<int>(form.bytes));
      x_.add(edx, ecx);
    }
    if (form.immediate != 0)
      x_.add(edx, form.immediate);
  }

  /// Of an access that is not known to be in the window.
  void emitCheck(const AccessForm &form, const Issue &issue) {
    using namespace Xbyak::util;
    const auto shift = static_cast<unsigned>(std::countr_zero(form.bytes));
    x_.mov(ecx, direct_);
    x_.sub(ecx, dword[rbx + offsetOf(form.bytes == 16 ? &Core::interleaved : &Core::windowBegin)]);
    if (shift != 0)
      x_.ror(ecx, static_cast<int>(shift));
    x_.cmp(ecx, dword[rbx + offsetOf(&Core::windowLimit) + 4 * static_cast<int>(shift)]);
    x_.jae(exitBefore(issue), Xbyak::CodeGenerator::T_NEAR);
  }

  void emitAccess(const AccessForm &form, const Instruction &i) {
    using namespace Xbyak::util;
    const unsigned d = i.operands[0];
    const auto memory = r12 + Xbyak::Reg64(direct_.getIdx());
    if (form.isStore)
      emitStore(form, d, memory);
    if (form.isStore || form.isAux) {
      if (!form.isStore)
        emitAuxLoad(form, d, memory);
      emitStep(form);
      return;
    }
    // The stride may be the register that is loaded.
    const Reg32 to = isHosted(d) && form.stride != d ? host(d) : eax;
    if (form.bytes == 4)
      x_.mov(to, ptr[memory]);
    else if (form.bytes == 2)
      form.signExtends ? x_.movsx(to, word[memory]) : x_.movzx(to, word[memory]);
    else
      form.signExtends ? x_.movsx(to, byte[memory]) : x_.movzx(to, byte[memory]);
    emitStep(form);
    write(d, to);
  }

  void emitStep(const AccessForm &form) {
    using namespace Xbyak::util;
    const unsigned r = form.stepped;
    if (r >= isa::kWorkerBase)
      return;
    if (form.stride != kZeroMain) {
      load(ecx, form.stride);
      x_.imul(ecx, ecx, static_cast<int>(form.bytes));
      addTo(r, ecx);
    } else if (form.strideBytes != 0) {
      if (isHosted(r))
        x_.add(host(r), form.strideBytes);
      else
        x_.add(dword[rbx + offsetOfMain(r)], form.strideBytes);
    }
  }
  void addTo(unsigned r, const Reg32 &y) {
    if (isHosted(r))
      x_.add(host(r), y);
    else
      x_.add(mainPlace(r), y);
  }

  void emitStore(const AccessForm &form, unsigned d, const Xbyak::RegExp &memory) {
    using namespace Xbyak::util;
    if (!form.isAux) {
      if (d != kZeroMain && isHosted(d)) {
        x_.mov(ptr[memory], host(d));
      } else {
        load(eax, d);
        x_.mov(ptr[memory], eax);
      }
    } else if (form.bytes == 8) {
      x_.vmovq(ptr[memory], pairIn(d, xmm7));
    } else if (hasPairs() && d < 8 && d % 2 == 1) {
      x_.vpextrd(ptr[memory], pair(d), 1);
    } else {
      x_.vmovd(ptr[memory], singleIn(d, xmm7));
    }
  }

  void emitAuxLoad(const AccessForm &form, unsigned d, const Xbyak::RegExp &memory) {
    using namespace Xbyak::util;
    const auto next = memory + 8;
    if (form.bytes < 4) {
      form.bytes == 2 ? x_.movzx(eax, word[memory]) : x_.movzx(eax, byte[memory]);
      x_.imul(eax, eax, static_cast<int>(form.copies));
      if (hasPairs())
        x_.vpinsrd(pair(d), pair(d), eax, d % 2);
      else
        x_.mov(place(d), eax);
    } else if (!hasPairs()) {
      for (unsigned word = 0; word < form.bytes; word += 8)
        if (form.bytes == 4) {
          x_.mov(eax, ptr[memory]);
          x_.mov(place(d), eax);
        } else {
          x_.mov(word == 0 ? rax : rcx, ptr[word == 0 ? memory : next]);
          x_.mov(place(d + word / 4), word == 0 ? rax : rcx);
        }
    } else if (form.bytes == 4) {
      x_.vpinsrd(pair(d), pair(d), ptr[memory], d % 2);
    } else {
      x_.vmovq(pair(d), ptr[memory]);
      if (form.bytes == 16)
        x_.vmovq(pair(d + 2), ptr[next]);
    }
  }

  // Aux lane. Results are computed in xmm4 and written last; xmm5 to xmm10 are free for use.

  /// The pair that starts at \p r; the upper half is zero.
  Xmm pairIn(unsigned r, const Xmm &scratch) {
    if (r >= 8)
      x_.vpxor(scratch, scratch, scratch);
    else if (hasPairs())
      return pair(r);
    else
      x_.vmovq(scratch, place(r));
    return scratch;
  }
  /// One register in lane 0.
  Xmm singleIn(unsigned r, const Xmm &scratch) {
    if (r >= 8)
      x_.vpxor(scratch, scratch, scratch);
    else if (!hasPairs())
      x_.vmovd(scratch, place(r));
    else if (r % 2 == 0)
      return pair(r);
    else
      x_.vmovshdup(scratch, pair(r));
    return scratch;
  }

  Result emitAux(const Issue &issue) {
    using namespace Xbyak::util;
    const Instruction &i = issue.aux;
    const auto &o = i.operands;
    switch (i.opcode) {
    case Opcode::AuxSetzi:
      x_.mov(eax, o[1]);
      x_.vmovd(xmm4, eax);
      return Result::Single;
    case Opcode::AuxOr:
      x_.vpor(xmm4, singleIn(o[1], xmm4), singleIn(o[2], xmm5));
      return Result::Single;
    case Opcode::AuxAnd:
      x_.vpand(xmm4, singleIn(o[1], xmm4), singleIn(o[2], xmm5));
      return Result::Single;
    case Opcode::Or64:
      x_.vpor(xmm4, pairIn(o[1], xmm4), pairIn(o[2], xmm5));
      return Result::Pair;
    case Opcode::And64:
      x_.vpand(xmm4, pairIn(o[1], xmm4), pairIn(o[2], xmm5));
      return Result::Pair;
    case Opcode::F32add:
    case Opcode::F32sub:
    case Opcode::F32mul:
      return emitSingle(issue);
    case Opcode::F32mac:
      return emitMac(issue);
    case Opcode::F32v2mac:
      return emitMacs(issue);
    default:
      return emitCouple(issue);
    }
  }

  Result emitSingle(const Issue &issue) {
    using namespace Xbyak::util;
    const Instruction &i = issue.aux;
    const Factors f{singleIn(i.operands[1], xmm7), singleIn(i.operands[2], xmm5)};
    const auto &[a, b] = f;
    if (i.opcode == Opcode::F32add)
      x_.vaddss(xmm4, a, b);
    else if (i.opcode == Opcode::F32sub)
      x_.vsubss(xmm4, a, b);
    else
      x_.vmulss(xmm4, a, b);
    checkSingle(i.opcode == Opcode::F32mul ? &f : nullptr, issue);
    return Result::Single;
  }
  /// operation::isRight() of lane 0 of xmm4.
  /// \param product  what was multiplied; null: it is a sum
  void checkSingle(const Factors *product, const Issue &issue) {
    using namespace Xbyak::util;
    x_.vmovd(eax, xmm4);
    if (product == nullptr) {
      x_.add(eax, eax);
      x_.cmp(eax, 0xFF000000U);
      x_.jae(exitBefore(issue), Xbyak::CodeGenerator::T_NEAR);
    } else {
      x_.lea(eax, ptr[rax + rax - 0x1000000]);
      x_.cmp(eax, 0xFE000000U);
      zeros_.emplace_back(*product, true, &exitBefore(issue));
      x_.jae(*zeros_.back().unsure, Xbyak::CodeGenerator::T_NEAR);
      x_.L(*zeros_.back().right);
    }
  }

  Result emitCouple(const Issue &issue) {
    using namespace Xbyak::util;
    const Instruction &i = issue.aux;
    const bool isBroadcast = i.opcode == Opcode::F32v2addB || i.opcode == Opcode::F32v2subB ||
                             i.opcode == Opcode::F32v2mulB;
    const bool isProduct = i.opcode == Opcode::F32v2mul || i.opcode == Opcode::F32v2mulB;
    Xmm a = xmm7;
    if (isBroadcast) {
      x_.vmovsldup(xmm7, singleIn(i.operands[1], xmm7));
      x_.vmovq(xmm7, xmm7);
    } else {
      a = pairIn(i.operands[1], xmm7);
    }
    const Xmm b = pairIn(i.operands[2], xmm5);
    const Factors f{a, b};
    if (isProduct)
      x_.vmulps(xmm4, a, b);
    else if (i.opcode == Opcode::F32v2add || i.opcode == Opcode::F32v2addB)
      x_.vaddps(xmm4, a, b);
    else
      x_.vsubps(xmm4, a, b);
    checkCouple(isProduct ? &f : nullptr, issue);
    return Result::Pair;
  }
  /// operation::areRight() of xmm4.
  void checkCouple(const Factors *product, const Issue &issue) {
    using namespace Xbyak::util;
    if (product == nullptr) {
      x_.vsubps(xmm6, xmm4, xmm4); // zero, but for infinities and NaNs
      x_.vptest(xmm6, xmm6);
      x_.jnz(exitBefore(issue), Xbyak::CodeGenerator::T_NEAR);
      return;
    }
    x_.vpaddd(xmm6, xmm4, xmm4);
    x_.vpaddd(xmm6, xmm6, ptr[rip + limitsShift_]);
    x_.vpcmpgtd(xmm6, xmm6, ptr[rip + limitsLimit_]);
    x_.vptest(xmm6, xmm6);
    zeros_.emplace_back(*product, false, &exitBefore(issue));
    x_.jnz(*zeros_.back().unsure, Xbyak::CodeGenerator::T_NEAR);
    x_.L(*zeros_.back().right);
  }

  /// A product that is zero is right after all where one of the factors is.
  void emitZeros(const ZeroCheck &check) {
    using namespace Xbyak::util;
    x_.L(*check.unsure);
    x_.vpxor(xmm8, xmm8, xmm8);
    x_.vcmpeqps(xmm9, check.factors.a, xmm8);
    x_.vcmpeqps(xmm10, check.factors.b, xmm8);
    x_.vorps(xmm9, xmm9, xmm10);
    x_.vcmpeqps(xmm10, xmm4, xmm8);
    x_.vandps(xmm9, xmm9, xmm10);
    if (check.isSingle) {
      x_.vmovd(eax, xmm9);
      x_.test(eax, eax);
      x_.jnz(*check.right, Xbyak::CodeGenerator::T_NEAR);
    } else {
      x_.vandnps(xmm9, xmm9, xmm6);
      x_.vptest(xmm9, xmm9);
      x_.jz(*check.right, Xbyak::CodeGenerator::T_NEAR);
    }
    x_.jmp(*check.exit, Xbyak::CodeGenerator::T_NEAR);
  }

  static Xbyak::Address accumulators() { return at(offsetOf<Accumulators>(&Core::accumulators)); }

  Result emitMac(const Issue &issue) {
    using namespace Xbyak::util;
    const Factors f{singleIn(issue.aux.operands[0], xmm7), singleIn(issue.aux.operands[1], xmm5)};
    x_.vmulss(xmm4, f.a, f.b);
    checkSingle(&f, issue);
    x_.vaddss(xmm4, xmm4, accumulators());
    x_.vucomiss(xmm4, xmm4);
    x_.jp(exitBefore(issue), Xbyak::CodeGenerator::T_NEAR);
    return Result::Accumulator;
  }
  Result emitMacs(const Issue &issue) {
    using namespace Xbyak::util;
    const Factors f{pairIn(issue.aux.operands[0], xmm7), pairIn(issue.aux.operands[1], xmm5)};
    x_.vmulps(xmm4, f.a, f.b);
    checkCouple(&f, issue);
    x_.vmovq(xmm5, accumulators());
    x_.vaddps(xmm4, xmm5, xmm4);
    x_.vcmpunordps(xmm6, xmm4, xmm4);
    x_.vptest(xmm6, xmm6);
    x_.jnz(exitBefore(issue), Xbyak::CodeGenerator::T_NEAR);
    return Result::Accumulators;
  }

  void emitResult(Result result, unsigned d) {
    using namespace Xbyak::util;
    const bool isRead = d < 8;
    switch (result) {
    case Result::Single:
      if (!isRead)
        break;
      if (!hasPairs())
        x_.vmovd(place(d), xmm4);
      else if (d % 2 == 0)
        x_.vblendps(pair(d), pair(d), xmm4, 1);
      else
        x_.vinsertps(pair(d), pair(d), xmm4, 0x1C);
      break;
    case Result::Pair:
      if (!isRead)
        break;
      if (hasPairs())
        x_.vmovaps(pair(d), xmm4);
      else
        x_.vmovq(place(d), xmm4);
      break;
    case Result::Accumulator:
      x_.vmovd(accumulators(), xmm4);
      break;
    default:
      x_.vmovq(accumulators(), xmm4);
      break;
    }
  }

public:
  /// Vectors that translated code refers to stand in front of it.
  void setLimits(const Xbyak::Label &shift, const Xbyak::Label &limit) {
    limitsShift_ = shift;
    limitsLimit_ = limit;
  }

private:
  const CodePage &page_;
  const CodeLoop &loop_;
  std::vector<Issue> body_;
  LoopAddresses addresses_;
  bool calls_ = false;
  bool countsItself_ = false;
  RegisterSet read_ = 0, written_ = 0;
  Reg32 direct_ = Xbyak::util::edx;
  std::vector<Exit> exits_;
  std::vector<ZeroCheck> zeros_;
  Xbyak::Label top_, bodyEntry_, epilogue_, limitsShift_, limitsLimit_;
};

/// A page's host code, in memory of its own: first written, then executable and no more written.
class TranslatedPage final : public NativePage {
public:
  TranslatedPage(const CodePage &page, const Chip &chip)
      : code_(sizeFor(page), Xbyak::DontSetProtectRWE) {
    loops_.resize(page.loops.size());
    try {
      emit(page, chip);
      code_.setProtectModeRE();
    } catch (const Xbyak::Error &) {
      loops_.assign(page.loops.size(), NativeLoop{}); // the interpreter does it all
    }
  }

private:
  /// Memory is not touched before it is used, so this may be generous.
  static std::size_t sizeFor(const CodePage &page) {
    constexpr std::size_t kForIssue = 512, kForLoop = 1024, kPage = 4096;
    std::size_t issues = 0;
    for (const CodeLoop &loop : page.loops)
      issues += loop.end - loop.first;
    return (kForIssue * issues + kForLoop * page.loops.size()) / kPage * kPage + 2 * kPage;
  }

  void emit(const CodePage &page, const Chip &chip) {
    Xbyak::Label shift, limit;
    code_.align(16);
    code_.L(shift);
    for (const std::uint32_t word : kLimits.shift)
      code_.dd(word);
    code_.L(limit);
    for (const std::uint32_t word : kLimits.limit)
      code_.dd(word);
    for (std::size_t i = 0; i < page.loops.size(); ++i) {
      LoopTranslator translator(code_, page, page.loops[i]);
      translator.setLimits(shift, limit);
      loops_[i] = translator.translate(chip);
    }
  }

  Xbyak::CodeGenerator code_;
};

} // namespace

bool canTranslate() { return hasWideVectors(); }

std::unique_ptr<NativePage> translatePage(const CodePage &page, const Chip &chip) {
  return std::make_unique<TranslatedPage>(page, chip);
}

} // namespace copse::ipud
