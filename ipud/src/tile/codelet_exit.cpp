#include "tile/codelet_exit.hpp"

#include "wire/printable.hpp"

#include <cstdlib>
#include <cxxabi.h>
#include <exception>
#include <typeinfo>
#include <utility>

namespace copse::ipud {
namespace {

std::string nameOf(const std::type_info *type) {
  if (type == nullptr)
    return "exception of another language";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), &std::free);
  return wire::printableName(name ? name.get() : type->name());
}

/// Returns the type and text of the current exception: "std::runtime_error: the text".
std::string textOfException() {
  std::string text = nameOf(abi::__cxa_current_exception_type());
  try {
    throw;
  } catch (const std::exception &error) {
    text += ": " + wire::printableName(error.what());
  } catch (...) { // has no text
  }
  return text;
}

} // namespace

CodeletFault &CodeletExit::record(CodeletFault::Kind kind, int signal, int code,
                                  const void *address) {
  close();
  fault_ = {kind,
            signal,
            code,
            address,
            running_.vertex.load(std::memory_order_relaxed),
            running_.worker.load(std::memory_order_relaxed)};
  if (running_.started)
    fault_.started = running_.started->function;
  return fault_;
}

void CodeletExit::record(std::unique_ptr<TileFault> fault, bool interrupted) {
  record(interrupted ? CodeletFault::Kind::Interrupted : CodeletFault::Kind::TileException);
  fault_.worker = fault->context;
  fault_.tile = std::move(fault);
}

void CodeletExit::recordException() {
  auto text = std::make_shared<const std::string>(
      textOfException()); // while faults of it are the codelet's
  record(CodeletFault::Kind::Exception).thrown = std::move(text);
}

} // namespace copse::ipud
