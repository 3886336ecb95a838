#include "tile/native_code_on_tile.hpp"

#include "isa/registers.hpp"
#include "tile/floating_point_traps.hpp"

#include <algorithm>

namespace copse::ipud {
namespace {

constexpr std::uint32_t kSlots = 6;          ///< tile cycles of one worker cycle
constexpr std::uint32_t kFormatOfInputs = 2; ///< bit of $FP_NFMT that is a worker's own

} // namespace

bool CodeletThread::NativeCodeOnTile::run(Core &core, TileContexts &tile) {
  const Vertices &vertices = *thread_.vertices_;
  const auto number = vertices.code->natives.functionAt(core.pc);
  if (!number)
    return core.raise(isa::Exception::InvalidPc);
  if (vertices.functions[*number].kind == wire::CodeKind::NativeFunction) {
    runFunction(core, tile, *number);
    return true;
  }
  return runCodelet(core, tile, *number);
}

/// A codelet costs what the estimate of the vertex says: nothing else is known of it.
bool CodeletThread::NativeCodeOnTile::runCodelet(Core &core, TileContexts &tile,
                                                 std::uint32_t number) {
  const std::uint32_t base = core.registers.m(isa::kVertexBase);
  if (!thread_.vertices_->memory.populated(thread_.tile_, base, 1))
    return core.raiseAt(isa::Exception::InvalidAddress, base);
  core.status = call(core, tile, number, thread_.vertices_->memory.at(thread_.tile_, base));
  core.cycles += (vertex_.cycles + kSlots - 1) / kSlots;
  core.exited = true;
  return true;
}

void CodeletThread::NativeCodeOnTile::runFunction(Core &core, TileContexts &tile,
                                                  std::uint32_t number) {
  wire::FunctionRegisters registers;
  for (unsigned i = 0; i < std::size(registers.m); ++i)
    registers.m[i] = core.registers.m(i);
  for (unsigned i = 0; i < std::size(registers.a); ++i)
    registers.a[i] = core.registers.a(i);
  call(core, tile, number, &registers);
  for (unsigned i = 0; i < std::size(registers.m); ++i)
    core.registers.m(i) = registers.m[i];
  for (unsigned i = 0; i < std::size(registers.a); ++i)
    core.registers.a(i) = registers.a[i];
  core.pc = core.registers.m(isa::kLinkRegister);
}

bool CodeletThread::NativeCodeOnTile::call(Core &core, TileContexts &tile, std::uint32_t number,
                                           void *state) {
  const Vertices &vertices = *thread_.vertices_;
  const EntryPoint &function = vertices.functions[number];
  const FloatingPoint before = thread_.floatingPoint_;
  takeRegisters(core, number);
  const std::uint32_t control = thread_.floatingPoint_.controlWord();
  const std::uint32_t initial = vertices.registers.floatingPoint(thread_.tile_).controlWord();
  if (vertices.memory.hasErrors()) [[unlikely]]
    thread_.guardTile(thread_.tile_);
  bool status = true;
  if (!thread_.callOffInterpreter(function, state, function.multiVertex ? core.number : 0, status))
    throw LeftNativeCode{};
  thread_.openTile();
  if (thread_.floatingPoint_.controlWord() != control)
    core.fpControl = thread_.floatingPoint_.controlWord();
  const std::uint32_t after = vertices.registers.floatingPoint(thread_.tile_).controlWord();
  if (after != initial)
    tile.initialControl = after;
  giveRegisters(core);
  thread_.floatingPoint_ = before;
  return status;
}

void CodeletThread::NativeCodeOnTile::takeRegisters(const Core &core, std::uint32_t number) {
  TileRegisters &registers = thread_.vertices_->registers;
  thread_.started_ = {number, core.number};
  thread_.worker_.store(core.number, std::memory_order_relaxed);
  registers.setGenerator(thread_.tile_, core.number, core.prng);
  thread_.format_ = core.fpFormat & kFormatOfInputs;
  thread_.scale_ = core.fpScale;
  if (core.fpControl != 0 || registers.mayRoundHalves())
    thread_.setFloatingPoint(FloatingPoint::of(core.fpControl));
  else
    thread_.floatingPoint_ = {};
  thread_.controlWritten_ = true; // whoever leaves the codelet takes traps back
}

void CodeletThread::NativeCodeOnTile::giveRegisters(Core &core) const {
  const TileRegisters &registers = thread_.vertices_->registers;
  core.prng = registers.generator(thread_.tile_, core.number);
  core.fpFormat = (core.fpFormat & ~kFormatOfInputs) | *thread_.format_;
  core.fpScale = *thread_.scale_;
  if (registers.canStop())
    trapOn(0); // the interpreter's own arithmetic may do what it likes
  thread_.format_.reset();
  thread_.scale_.reset();
  thread_.controlWritten_ = false;
  thread_.started_.reset();
}

namespace {

/// Puts a value back, whichever way a function is left.
template <class Value> class PutBack {
public:
  explicit PutBack(std::atomic<Value> &where) : where_(where), value_(where.load()) {}
  ~PutBack() { where_.store(value_); }
  PutBack(const PutBack &) = delete;
  PutBack &operator=(const PutBack &) = delete;

private:
  std::atomic<Value> &where_;
  const Value value_;
};

} // namespace

/// Of a fault or an interrupt() of the codelet comes back here, so that the interpreter ends in
/// order.
/// \returns false then
[[gnu::noinline]] bool CodeletThread::callOffInterpreter(const EntryPoint &function, void *state,
                                                         std::uint32_t worker, bool &status) {
  sigjmp_buf here;
  const PutBack jump(jump_);
  if (sigsetjmp(here, 0) != 0)
    return false;
  jump_.store(&here);
  const PutBack interpreting(interpreting_);
  interpreting_.store(nullptr);
  status = function.entry(state, worker);
  return true;
}

} // namespace copse::ipud
