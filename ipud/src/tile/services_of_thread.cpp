#include "tile/services_of_thread.hpp"

namespace copse::ipud {
namespace {

// Initial-exec: modules call these all the time.
[[gnu::tls_model("initial-exec")]] thread_local CodeletContext *ofThisThread = nullptr;

unsigned tile() { return ofThisThread->running.tile; }

unsigned long slot() {
  const RunningVertex &running = ofThisThread->running;
  return reinterpret_cast<unsigned long>(running.vertices->memory.at(running.tile, 0));
}

unsigned short roundToHalf(float x) { return ofThisThread->registers.roundToHalf(x); }

unsigned long long *generator() {
  const RunningVertex &running = ofThisThread->running;
  return reinterpret_cast<unsigned long long *>(
      running.vertices->registers.stateOf(running.tile, running.currentWorker()));
}

/// The same on every thread, as CycleCount::ofThread is in the memory that each has from its start.
wire::CycleOffset cycleOffset() {
  return reinterpret_cast<const char *>(&CycleCount::ofThread) -
         static_cast<const char *>(__builtin_thread_pointer());
}

unsigned readRegister(unsigned index) { return ofThisThread->registers.read(index); }

void writeRegister(unsigned index, unsigned value) { ofThisThread->registers.write(index, value); }

void matrix(unsigned word, void *words) {
  ofThisThread->matrix.execute(word, *static_cast<wire::MatrixWords *>(words));
}

void loadWeights(unsigned index, unsigned groups) {
  ofThisThread->matrix.loadWeights(index, groups);
}

void assembly(const wire::AssemblyBlock *block, void *values, void *accumulators) {
  ofThisThread->assembly.run(*block, static_cast<std::byte *>(values),
                             *static_cast<wire::MatrixWords *>(accumulators));
}

void tileFunction(const char *symbol, wire::TileCall *call) {
  ofThisThread->assembly.call(symbol, *call);
}

} // namespace

const NativeServices &servicesOfThread() {
  static const NativeServices kServices = {tile,          slot,         roundToHalf,   generator,
                                           cycleOffset(), readRegister, writeRegister, matrix,
                                           loadWeights,   assembly,     tileFunction};
  return kServices;
}

void serveThisThread(CodeletContext *context) { ofThisThread = context; }

} // namespace copse::ipud
