#include "tile/services_of_thread.hpp"

namespace copse::ipud {
namespace {

// Initial-exec, because modules call these functions often.
[[gnu::tls_model("initial-exec")]] thread_local CodeletContext *contextOfThisThread = nullptr;

unsigned tile() { return contextOfThisThread->running.tile; }

unsigned long slot() {
  const RunningVertex &running = contextOfThisThread->running;
  return reinterpret_cast<unsigned long>(running.vertices->memory.at(running.tile, 0));
}

unsigned short roundToHalf(float x) { return contextOfThisThread->registers.roundToHalf(x); }

unsigned long long *generator() {
  const RunningVertex &running = contextOfThisThread->running;
  return reinterpret_cast<unsigned long long *>(
      running.vertices->registers.stateOf(running.tile, running.currentWorker()));
}

/// Returns the offset of CycleCount::ofThread, which is equal on every thread because it is in the
/// static thread-local memory.
wire::CycleOffset cycleOffset() {
  return reinterpret_cast<const char *>(&CycleCount::ofThread) -
         static_cast<const char *>(__builtin_thread_pointer());
}

unsigned readRegister(unsigned index) { return contextOfThisThread->registers.read(index); }

void writeRegister(unsigned index, unsigned value) {
  contextOfThisThread->registers.write(index, value);
}

void matrix(unsigned word, void *words) {
  contextOfThisThread->matrix.execute(word, *static_cast<wire::MatrixWords *>(words));
}

void loadWeights(unsigned index, unsigned groups) {
  contextOfThisThread->matrix.loadWeights(index, groups);
}

void assembly(const wire::AssemblyBlock *block, void *values, void *accumulators) {
  contextOfThisThread->watch.nameAssembly(block, nullptr);
  contextOfThisThread->assembly.run(*block, static_cast<std::byte *>(values),
                                    *static_cast<wire::MatrixWords *>(accumulators));
}

void tileFunction(const char *symbol, wire::TileCall *call) {
  contextOfThisThread->watch.nameAssembly(nullptr, symbol);
  contextOfThisThread->assembly.call(symbol, *call);
}

void checkAccess(const void *address, unsigned long bytes, unsigned flags, const char *site) {
  contextOfThisThread->watch.check(address, bytes, flags, site);
}

bool checkRange(const void *first, long stride, unsigned long bytes, unsigned long count,
                unsigned flags) {
  return contextOfThisThread->watch.checkRange({first, stride, bytes, count, flags});
}

} // namespace

const NativeServices &servicesOfThread() {
  static const NativeServices kServices = {
      tile,   slot,        roundToHalf, generator,    cycleOffset(), readRegister, writeRegister,
      matrix, loadWeights, assembly,    tileFunction, checkAccess,   checkRange};
  return kServices;
}

void serveThisThread(CodeletContext *context) { contextOfThisThread = context; }

} // namespace copse::ipud
