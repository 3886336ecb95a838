// A run for programs in Python, which call it through ctypes.
#include "timed_engine.hpp"

namespace {
timed::TimedEngine *engine = nullptr;
} // namespace

extern "C" void timed_load() {
  engine = new timed::TimedEngine;
  engine->engine->load(engine->device);
}
extern "C" void timed_run() { engine->engine->run(timed::kThousandTurns); }
extern "C" unsigned long timed_cycles() { return engine->cycles(); }
extern "C" void timed_end() { delete engine; }
