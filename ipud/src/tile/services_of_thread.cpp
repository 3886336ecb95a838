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

unsigned long long *cycleCounter() { return ofThisThread->registers.cycleCounter(); }

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
  static constexpr NativeServices kServices = {tile,         slot,         roundToHalf,   generator,
                                               cycleCounter, readRegister, writeRegister, matrix,
                                               loadWeights,  assembly,     tileFunction};
  return kServices;
}

void serveThisThread(CodeletContext *context) { ofThisThread = context; }

} // namespace copse::ipud
