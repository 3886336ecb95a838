#include "program_time.hpp"

#include "program_clock/program_clock.hpp"

#include "poplar/exceptions.hpp"
#include "wire/environment.hpp"

#include <algorithm>
#include <cmath>
#include <dlfcn.h>
#include <string_view>

namespace copse::engine {
namespace {

using program_clock::Interface;

constexpr double kNanoseconds = 1e9;

/// Returns the interface of the program's clocks; null if these are real.
const Interface *find() {
  const auto get = reinterpret_cast<Interface::Get>(::dlsym(RTLD_DEFAULT, Interface::kSymbol));
  const Interface *const found = get != nullptr ? get() : nullptr;
  return found != nullptr && found->version == Interface::kVersion ? found : nullptr;
}

/// Finds the interface when this library is loaded. From then on, threads of this library, and of
/// the libraries that it uses, have the real time.
const Interface *findAndKeepReal() {
  const Interface *const found = find();
  if (found != nullptr)
    found->keepReal(reinterpret_cast<const void *>(&findAndKeepReal));
  return found;
}

const Interface *const clockOfProgram = findAndKeepReal();

} // namespace

bool isProgramClockModelled() { return clockOfProgram != nullptr; }

void requireClockOfEnvironment() {
  if (wire::environmentVariable("COPSE_CLOCK") == "modelled" && !isProgramClockModelled())
    throw poplar::no_environment(
        "COPSE_CLOCK is modelled, but libcopse_clock.so was not loaded before the program, so its "
        "clocks are real; start it with copse run --clock modelled, or name the library in "
        "LD_PRELOAD");
}

std::int64_t dateOfProgramBegin() {
  return clockOfProgram != nullptr ? clockOfProgram->dateOfBegin() : 0;
}

std::chrono::steady_clock::time_point programSteadyTime() {
  using Steady = std::chrono::steady_clock;
  return clockOfProgram != nullptr
             ? Steady::time_point(std::chrono::nanoseconds(clockOfProgram->steady()))
             : Steady::now();
}

DeviceCall::DeviceCall() {
  if (clockOfProgram != nullptr)
    begin_ = clockOfProgram->begin();
}

DeviceCall::~DeviceCall() {
  if (clockOfProgram != nullptr)
    clockOfProgram->end(time(), taken_);
}

void DeviceCall::take(double seconds) {
  if (clockOfProgram == nullptr)
    return;
  taken_ += std::llround(seconds * kNanoseconds);
  clockOfProgram->reach(time());
}

void DeviceCall::takeUntil(std::int64_t end) {
  if (clockOfProgram == nullptr)
    return;
  taken_ = std::max(taken_, end - begin_);
  clockOfProgram->reach(time());
}

std::int64_t RunTime::at(wire::Cycles moment) const {
  const std::uint64_t since = moment.value - std::min(start.value, moment.value);
  return begin + std::llround(static_cast<double>(since) / clockHz * kNanoseconds);
}

CallbackTime::CallbackTime(std::optional<std::int64_t> time) {
  if (clockOfProgram == nullptr)
    return;
  if (time)
    clockOfProgram->reach(*time);
  clockOfProgram->enterCallback();
}

CallbackTime::~CallbackTime() {
  if (clockOfProgram != nullptr)
    clockOfProgram->leaveCallback();
}

} // namespace copse::engine
