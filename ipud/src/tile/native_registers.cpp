#include "tile/native_registers.hpp"

#include "isa/csr.hpp"
#include "processor/f16.hpp"
#include "processor/float_bits.hpp"

namespace copse::ipud {

constinit thread_local unsigned long long CycleCount::ofThread = 0;

namespace {

using namespace isa::worker_csr;
using isa::supervisor_csr::CCCSLOAD;
using isa::supervisor_csr::CR;
using isa::supervisor_csr::FP_ICTL;
using isa::supervisor_csr::FP_INFMT;
using isa::supervisor_csr::FP_ISCL;

constexpr std::uint32_t kFormats = 3, kFormatOfWeights = 1, kFormatOfInputs = 2, kScale = 63;

constexpr std::uint32_t kClearsWeights = 4; ///< bit of $CR

bool isGenerator(unsigned index) { return index >= PRNG_0_0 && index <= PRNG_1_1; }

/// Returns the word of a generator that a register shows.
std::uint32_t wordOf(const fp::Prng &generator, unsigned index) {
  const std::uint64_t state = index < PRNG_1_0 ? generator.s0 : generator.s1;
  return static_cast<std::uint32_t>(state >> (32 * ((index - PRNG_0_0) % 2)));
}

void setWord(fp::Prng &generator, unsigned index, std::uint32_t value) {
  std::uint64_t &state = index < PRNG_1_0 ? generator.s0 : generator.s1;
  const unsigned shift = 32 * ((index - PRNG_0_0) % 2);
  state = (state & ~(std::uint64_t{0xFFFFFFFF} << shift)) | std::uint64_t{value} << shift;
}

} // namespace

void leaveForEvents(CodeletExit &exit, std::uint32_t events) {
  const int code = (events & fp::kOverflow) != 0       ? FPE_FLTOVF
                   : (events & fp::kDivideByZero) != 0 ? FPE_FLTDIV
                                                       : FPE_FLTINV;
  exit.leaveFor(CodeletFault::Kind::Signal, SIGFPE, code);
}

void NativeRegisters::begin() {
  floatingPoint_ = {};
  isWritten_ = false;
  format_.reset();
  scale_.reset();
  assemblyCycles_ = 0;
  CycleCount::ofThread = 0;
}

void NativeRegisters::enterTile() {
  const RegisterWords &registers = file();
  if (!registers.mayRoundHalves())
    return;
  floatingPoint_ = registers.floatingPoint(running_.tile);
  if (registers.mayStop())
    trapOn(floatingPoint_.stops);
}

unsigned NativeRegisters::read(unsigned index) {
  switch (index) {
  case WSR:
    return running_.currentWorker();
  case VERTEX_BASE:
    return running_.vertexBase();
  case COUNT_L:
    return static_cast<unsigned>(now());
  case COUNT_U:
    return static_cast<unsigned>(now() >> 32);
  case FP_CTL:
  case FP_ICTL:
    return floatingPoint_.controlWord();
  case CCCSLOAD:
    return matrix().address;
  case FP_NFMT:
  case FP_SCL:
  case FP_INFMT:
  case FP_ISCL:
    return readQuarters(index);
  default:
    if (!isGenerator(index))
      endFor(index);
    return wordOf(file().generator(running_.tile, running_.currentWorker()), index);
  }
}

void NativeRegisters::write(unsigned index, unsigned value) {
  switch (index) {
  case FP_STS: // read-only
  case FP_CLR: // native code has no sticky flags, and clears its accumulators itself
    return;
  case FP_CTL:
    isWritten_ = true;
    return setFloatingPoint(FloatingPoint::of(value));
  case FP_ICTL:
    return file().setFloatingPoint(running_.tile, value);
  case PRNG_SEED:
    return file().seed(running_.tile, running_.currentWorker(), value);
  case CCCSLOAD:
    matrix().address = value & kWeightAddressMask;
    return;
  case FP_NFMT:
  case FP_SCL:
  case FP_INFMT:
  case FP_ISCL:
    return writeQuarters(index, value);
  case CR:
    if ((value & kClearsWeights) != 0)
      matrix().weights.clear();
    return;
  default:
    break;
  }
  if (!isGenerator(index))
    endFor(index);
  const std::uint32_t worker = running_.currentWorker();
  fp::Prng generator = file().generator(running_.tile, worker);
  setWord(generator, index, value);
  file().setGenerator(running_.tile, worker, generator);
}

unsigned short NativeRegisters::roundToHalf(float x) {
  fp::RandomBits noise;
  if (floatingPoint_.stochastic)
    noise = file().random(running_.tile, running_.currentWorker());
  std::uint32_t events = 0;
  // Codelets in C++ compute in float what a tile computes in halves, where a too large result is
  // never an infinity. An infinity therefore counts as too large.
  std::uint32_t bits = fp::asBits(x);
  if (fp::isInfinite32(bits))
    --bits;
  const auto half = fp::round16(
      bits, 0, {floatingPoint_.nanOnOverflow, floatingPoint_.stochastic ? &noise : nullptr},
      events);
  events &= floatingPoint_.stops;
  if (events != 0)
    leaveForEvents(exit_, events);
  return half;
}

MatrixOfTile NativeRegisters::matrix() {
  const Vertices &vertices = *running_.vertices;
  if (vertices.code != nullptr && vertices.code->tiles[running_.tile] != nullptr) {
    TileContexts &tile = *vertices.code->tiles[running_.tile];
    return {tile.weights, tile.weightAddress, tile.initialFormat, tile.initialScale};
  }
  const CodeletSignals::HeldBack untilItIsThere(signals_);
  MatrixUnits::Unit &unit = vertices.matrixUnits->of(running_.tile);
  return {unit.weights, unit.weightAddress, unit.initialFormat, unit.initialScale};
}

/// \returns the formats of the current vertex; the format of weights is the tile's
NativeRegisters::Quarters NativeRegisters::quartersOn(const MatrixOfTile &tile) const {
  return {format_ ? (tile.format & kFormatOfWeights) | *format_ : tile.format,
          scale_.value_or(tile.scale)};
}

/// Ends the vertex if the architecture lacks 8-bit numbers and therefore these registers.
void NativeRegisters::requireQuarters(unsigned index) {
  if (running_.vertices->matrixUnits->chip().architecture != isa::Architecture::Ipu21)
    endFor(index);
}

unsigned NativeRegisters::readQuarters(unsigned index) {
  requireQuarters(index);
  const MatrixOfTile tile = matrix();
  switch (index) {
  case FP_NFMT:
    return quartersOn(tile).format;
  case FP_SCL:
    return quartersOn(tile).scale;
  case FP_INFMT:
    return tile.format;
  default:
    return tile.scale;
  }
}

void NativeRegisters::writeQuarters(unsigned index, unsigned value) {
  requireQuarters(index);
  switch (index) {
  case FP_NFMT:
    format_ = value & kFormatOfInputs;
    isWritten_ = true;
    return;
  case FP_SCL:
    scale_ = value & kScale;
    isWritten_ = true;
    return;
  case FP_INFMT:
    matrix().format = value & kFormats;
    return;
  default:
    matrix().scale = value & kScale;
    return;
  }
}

/// Sets how the current vertex computes. Modules that round halves themselves round to nearest, so
/// from the first call on, all modules call us for rounding.
void NativeRegisters::setFloatingPoint(const FloatingPoint &behaviour) {
  floatingPoint_ = behaviour;
  if (!file().canStop())
    floatingPoint_.stops = 0;
  if (running_.vertices->modules != nullptr)
    running_.vertices->modules->roundByCall();
  if (file().canStop())
    trapOn(floatingPoint_.stops);
}

void NativeRegisters::restore() {
  isWritten_ = false;
  format_.reset();
  scale_.reset();
  const RegisterWords &registers = file();
  floatingPoint_ =
      registers.mayRoundHalves() ? registers.floatingPoint(running_.tile) : FloatingPoint{};
  if (registers.canStop())
    trapOn(floatingPoint_.stops);
}

void NativeRegisters::give(WorkerState &state) {
  const Quarters quarters = quartersOn(matrix());
  state.fpStatus = 0;
  state.fpControl = floatingPoint_.controlWord();
  state.fpFormat = quarters.format;
  state.fpScale = quarters.scale;
  state.prng = file().generator(running_.tile, running_.currentWorker());
}

void NativeRegisters::take(const WorkerState &state) {
  file().setGenerator(running_.tile, running_.currentWorker(), state.prng);
  if (state.fpControl != floatingPoint_.controlWord())
    write(FP_CTL, state.fpControl);
  const Quarters before = quartersOn(matrix());
  if (state.fpFormat != before.format)
    write(FP_NFMT, state.fpFormat);
  if (state.fpScale != before.scale)
    write(FP_SCL, state.fpScale);
}

NativeRegisters::Caller NativeRegisters::enter(const Core &core) {
  Caller caller;
  caller.floatingPoint = floatingPoint_;
  file().setGenerator(running_.tile, core.number, core.prng);
  format_ = core.fpFormat & kFormatOfInputs;
  scale_ = core.fpScale;
  if (core.fpControl != 0 || file().mayRoundHalves())
    setFloatingPoint(FloatingPoint::of(core.fpControl));
  else
    floatingPoint_ = {};
  // The traps are then disabled when the codelet is left.
  isWritten_ = true;
  caller.control = floatingPoint_.controlWord();
  caller.initial = file().floatingPoint(running_.tile).controlWord();
  return caller;
}

void NativeRegisters::leave(const Caller &caller, Core &core, TileContexts &tile) {
  if (floatingPoint_.controlWord() != caller.control)
    core.fpControl = floatingPoint_.controlWord();
  const std::uint32_t initial = file().floatingPoint(running_.tile).controlWord();
  if (initial != caller.initial)
    tile.initialControl = initial;
  core.prng = file().generator(running_.tile, core.number);
  core.fpFormat = (core.fpFormat & ~kFormatOfInputs) | *format_;
  core.fpScale = *scale_;
  if (file().canStop())
    trapOn(0); // the interpreter's arithmetic must not trap
  format_.reset();
  scale_.reset();
  isWritten_ = false;
  floatingPoint_ = caller.floatingPoint;
}

} // namespace copse::ipud
