#include "processor/supervisor.hpp"

#include "isa/csr.hpp"
#include "isa/registers.hpp"
#include "processor/access_observer.hpp"
#include "processor/code_words.hpp"

#include <algorithm>

namespace copse::ipud {
namespace {

namespace csr = isa::supervisor_csr;
using isa::Exception;
using isa::Opcode;

/// The return address of functions that we call; no tile has this address.
constexpr std::uint32_t kReturnAddress = 0x1FFFFC;
constexpr std::uint32_t kLocalZone = 2;
constexpr std::uint32_t kWeightsPerUnit = Weights::kGroups;

bool isOwn(Opcode opcode) {
  const auto issue = isa::infoOf(opcode).issue;
  return issue == isa::Issue::Supervisor || issue == isa::Issue::SupervisorSolo ||
         issue == isa::Issue::SupervisorPayload || opcode == Opcode::Get || opcode == Opcode::Put;
}

} // namespace

Supervisor::Supervisor(TileProcessor &processor, TileContexts &tile, std::byte *memory,
                       std::uint32_t tileId)
    : processor_(processor), tile_(tile), core_(processor.supervisor_),
      fetcher_(processor.cache_, tile.code), tileId_(tileId) {
  static_cast<WorkerState &>(core_) = WorkerState{};
  core_.chip = &processor.cache_.chip();
  core_.context = isa::Context::Supervisor;
  core_.number = kSupervisor;
  core_.memory = memory;
  core_.fault = Exception::None;
  core_.cycles = 0;
  core_.block = nullptr;
  core_.checksPlaces = true;
  core_.returnAddress = kReturnAddress;
}

TileProcessor::Result Supervisor::run(std::uint32_t entry, std::uint32_t vertexBase,
                                      std::uint32_t stack) {
  core_.pc = entry;
  core_.registers.m(0) = vertexBase;
  core_.registers.m(isa::kLinkRegister) = kReturnAddress;
  core_.registers.m(isa::kStackPointer) = stack;
  TileProcessor::Result result = runTo(kReturnAddress);
  result.cycles = std::max(clock_, *std::ranges::max_element(busyUntil_));
  return result;
}

TileProcessor::Result Supervisor::runBlock(const CodePage &block) {
  const std::uint64_t began = clock_;
  core_.block = &block;
  core_.checksPlaces = false;
  core_.pc = block.address;
  core_.registers.m(isa::kLinkRegister) = kReturnAddress;
  TileProcessor::Result result = runTo(block.end());
  result.cycles = clock_ - began;
  return result;
}

TileProcessor::Result Supervisor::runTo(std::uint32_t end) {
  bool goesOn = true;
  while (goesOn && core_.pc != end)
    goesOn = step();
  TileProcessor::Result result;
  result.issues = static_cast<std::uint64_t>(core_.cycles);
  result.status = localStatus_;
  if (!goesOn)
    result.fault = workerFault_ ? std::move(workerFault_) : processor_.faultOf(core_, kSupervisor);
  return result;
}

bool Supervisor::step() {
  if (core_.cycles >= processor_.limit_ || processor_.interrupted_.load(std::memory_order_relaxed))
    return false;
  if (!isCode(core_, core_.pc))
    return core_.raise(Exception::InvalidPc);
  if (processor_.trace_ != nullptr)
    processor_.trace_->issue(core_, kSupervisor);
  const std::uint32_t word = wordAt(core_, core_.pc);
  if (const auto *const bad = core_.block != nullptr ? nullptr : errorIn(core_, {core_.pc, 4}))
    return core_.raiseAt(Exception::MemoryError, *bad);
  const auto instruction = isa::decode(word, core_.chip->architecture);
  if (instruction.opcode == Opcode::Invalid)
    return core_.raise(Exception::InvalidInstruction);
  wait(instruction);
  const std::uint32_t pc = core_.pc;
  const bool isSimple = (word & isa::kBundleBit) == 0 || instruction.opcode == Opcode::Sendpicp;
  const bool good =
      isSimple && isOwn(instruction.opcode) ? own(instruction) : stepOther(instruction);
  if (!good)
    return false;
  finish(instruction, core_.pc != pc + isa::infoOf(instruction.opcode).bytes());
  return true;
}

bool Supervisor::stepOther(const Instruction &) {
  return processor_.step(core_, fetcher_) == Stop::Stepped;
}

/// Waits until a slot is free and the operands are available.
void Supervisor::wait(const Instruction &instruction) {
  if (std::ranges::all_of(busyUntil_, [&](std::uint64_t end) { return end > clock_; }))
    clock_ = *std::ranges::min_element(busyUntil_);
  const auto shape = isa::infoOf(instruction.opcode).shape();
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i].kind == isa::OperandKind::MainRegister && shape[i].isRead)
      clock_ = std::max(clock_, ready_[instruction.operands[i] & 15]);
}

void Supervisor::finish(const Instruction &instruction, bool jumped) {
  const auto shape = isa::infoOf(instruction.opcode).shape();
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i].kind == isa::OperandKind::MainRegister && shape[i].isWritten)
      ready_[instruction.operands[i] & 15] = clock_ + timing_.result;
  const bool launches = instruction.opcode == Opcode::Run || instruction.opcode == Opcode::Runall;
  clock_ += jumped || launches ? timing_.jump : 1;
}

bool Supervisor::own(const Instruction &instruction) {
  bool good = true;
  switch (instruction.opcode) {
  case Opcode::Run:
    good = launchOne(instruction);
    break;
  case Opcode::Runall:
    good = launchAll(instruction);
    break;
  case Opcode::Sync:
    good = sync(instruction.operands[0]);
    break;
  case Opcode::Get:
    good = get(instruction);
    break;
  case Opcode::Put:
    good = put(instruction);
    break;
  case Opcode::Ld64putcs:
  case Opcode::Ld128putcs:
    good = loadWeights(instruction);
    break;
  case Opcode::Delay:
    clock_ += instruction.operands[0];
    break;
  default:
    // The control program does the exchange; vertices take no part in it.
    good = core_.raise(Exception::InvalidInstruction);
    break;
  }
  if (good) {
    ++core_.cycles;
    core_.pc += isa::infoOf(instruction.opcode).bytes();
  }
  return good;
}

bool Supervisor::isEntry(std::uint32_t address) const {
  return isExecutable(*core_.chip, address) || isNativeEntry(*core_.chip, address);
}

bool Supervisor::launchOne(const Instruction &instruction) {
  const std::uint32_t entry = core_.registers.m(instruction.operands[0]);
  const std::uint32_t offset = core_.registers.m(instruction.operands[1]);
  if (offset % 4 != 0 || !isEntry(entry))
    return core_.raise(Exception::InvalidOperand);
  for (unsigned worker = 0; worker < kWorkers; ++worker)
    if (!isActive(worker))
      return launch(worker, worker + 1, entry,
                    offset + 4 * instruction.operands[2] + core_.chip->begin, 0);
  return core_.raise(Exception::InvalidInstruction); // not reached: it waited for a slot
}

bool Supervisor::launchAll(const Instruction &instruction) {
  const std::uint32_t entry = core_.registers.m(instruction.operands[0]);
  const std::uint32_t base = core_.registers.m(instruction.operands[1]);
  if (base % 4 != 0 || !isEntry(entry))
    return core_.raise(Exception::InvalidOperand);
  for (unsigned worker = 0; worker < kWorkers; ++worker)
    if (isActive(worker)) {
      launchError_ = true;
      return core_.raise(Exception::InvalidInstruction);
    }
  if (core_.observer != nullptr)
    core_.observer->workersAreDone();
  return launch(0, kWorkers, entry, base, 4 * instruction.operands[2]);
}

/// Launches workers [first, last).
bool Supervisor::launch(unsigned first, unsigned last, std::uint32_t entry,
                        std::uint32_t vertexBase, std::uint32_t stride) {
  const std::uint64_t start = clock_ + timing_.jump;
  auto results =
      processor_.runWorkers(tile_, core_.memory, first, last, {entry, vertexBase, stride, start});
  for (unsigned worker = first; worker < last; ++worker) {
    TileProcessor::Result &result = results[worker];
    busyUntil_[worker] = start + result.cycles;
    localStatus_ = localStatus_ && result.status;
    if (result.fault != nullptr)
      workerFault_ = std::move(result.fault);
  }
  return workerFault_ == nullptr;
}

bool Supervisor::sync(std::uint32_t zone) {
  if (zone != kLocalZone)
    return core_.raise(Exception::InvalidInstruction);
  clock_ = std::max(clock_, *std::ranges::max_element(busyUntil_));
  if (core_.observer != nullptr)
    core_.observer->workersAreDone();
  return true;
}

bool Supervisor::get(const Instruction &instruction) {
  const std::uint32_t index = instruction.operands[1];
  if (isa::csrAt(isa::Context::Supervisor, index, core_.chip->architecture) == nullptr)
    return core_.raise(Exception::InvalidOperand);
  const std::uint32_t number = instruction.operands[0];
  if (number < isa::kWorkerBase)
    core_.registers.m(number) = readCsr(index);
  return true;
}

bool Supervisor::put(const Instruction &instruction) {
  const std::uint32_t index = instruction.operands[0];
  if (isa::csrAt(isa::Context::Supervisor, index, core_.chip->architecture) == nullptr)
    return core_.raise(Exception::InvalidOperand);
  return writeCsr(index, core_.registers.m(instruction.operands[1]));
}

std::uint32_t Supervisor::contextStatus() const {
  std::uint32_t status = 1;
  for (unsigned worker = 0; worker < kWorkers; ++worker)
    status |= (isActive(worker) ? 1U : 0U) << (2 * worker + 2);
  return status;
}

std::uint32_t Supervisor::readCsr(std::uint32_t index) const {
  switch (index) {
  case csr::PC:
    return core_.pc;
  case csr::SSR:
    return (localStatus_ ? 1U : 0U) | (launchError_ ? 8U : 0U);
  case csr::TILE_ID:
    return tileId_ & 0x7FF;
  case csr::FP_ICTL:
    return tile_.initialControl;
  case csr::FP_INFMT:
    return tile_.initialFormat;
  case csr::FP_ISCL:
    return tile_.initialScale;
  case csr::CCCSLOAD:
    return tile_.weightAddress;
  case csr::SCOUNT_L:
    return static_cast<std::uint32_t>(clock_);
  case csr::SCOUNT_U:
    return static_cast<std::uint32_t>(clock_ >> 32);
  case csr::DBG_DATA:
    return tile_.debugData;
  case csr::CTXT_STS:
    return contextStatus();
  default:
    break;
  }
  if (index >= csr::WORKER0_BASE && index < csr::WORKER0_BASE + kWorkers)
    return tile_.workerBase[index - csr::WORKER0_BASE];
  return 0;
}

bool Supervisor::writeCsr(std::uint32_t index, std::uint32_t value) {
  switch (index) {
  case csr::CR:
    if ((value & 3) != 0)
      localStatus_ = (value & 2) != 0;
    if ((value & 4) != 0)
      tile_.weights.clear();
    return true;
  case csr::FP_ICTL:
    tile_.initialControl = value & 0x180007;
    return true;
  case csr::FP_INFMT:
    tile_.initialFormat = value & 3;
    return true;
  case csr::FP_ISCL:
    tile_.initialScale = value & 63;
    return true;
  case csr::CCCSLOAD:
    tile_.weightAddress = value & 0xFFFFF;
    return true;
  case csr::DBG_DATA:
    tile_.debugData = value;
    return true;
  default:
    break;
  }
  if (index >= csr::WORKER0_BASE && index < csr::WORKER0_BASE + kWorkers) {
    if (isActive(index - csr::WORKER0_BASE))
      return core_.raise(Exception::InvalidInstruction);
    tile_.workerBase[index - csr::WORKER0_BASE] = value & 0xFFFFF;
  }
  return true;
}

bool Supervisor::loadWeights(const Instruction &instruction) {
  const bool two = instruction.opcode == Opcode::Ld128putcs;
  const std::uint32_t index = instruction.operands[0];
  const std::uint32_t count = 8 * core_.chip->accumulatorSets * kWeightsPerUnit;
  if (index >= count || (two && index % 2 != 0))
    return core_.raise(Exception::InvalidOperand);
  const std::uint32_t bytes = two ? 16 : 8, from = tile_.weightAddress;
  CodePage here; // only this instruction, to check clashes with its fetch
  here.address = core_.pc;
  core_.page = &here;
  const auto bad = checkAccesses(core_, MicroOp{}, {{from, bytes, two}}, false);
  if (bad != Exception::None)
    return core_.raise(bad);
  tile_.weights.set(index, loaded<std::uint64_t>(core_.memory + from));
  if (two)
    tile_.weights.set(index + 1, loaded<std::uint64_t>(core_.memory + from + 8));
  tile_.weightAddress = (from + bytes) & 0xFFFFF;
  return true;
}

} // namespace copse::ipud
