#include "tile/modules.hpp"

#include "tile/native_matrix.hpp"

#include "wire/checked_code.hpp"
#include "wire/codelet_abi.hpp"
#include "wire/cpu_levels.hpp"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <span>
#include <string>
#include <string_view>

namespace copse::ipud {
namespace {

wire::Status refused(const wire::ModuleRef &module, const std::string &why) {
  return {wire::Code::InvalidImage, "codelet module '" + module.name + "': " + why};
}

std::string linkerError() {
  const char *const text = dlerror();
  return text != nullptr ? text : "unknown error of the dynamic linker";
}

bool cpuHas(std::string_view level) {
  const auto levels = wire::cpuLevelsHere();
  return std::ranges::find(levels, level) != levels.end();
}

/// Returns the value of \p key in "key=value;key=value"; empty if it is absent.
std::string_view valueOf(std::string_view info, std::string_view key) {
  while (!info.empty()) {
    const auto entry = info.substr(0, info.find(';'));
    info.remove_prefix(std::min(info.size(), entry.size() + 1));
    const auto equals = entry.find('=');
    if (equals != entry.npos && entry.substr(0, equals) == key)
      return entry.substr(equals + 1);
  }
  return {};
}

wire::Status checkInfo(const wire::ModuleRef &module, std::string_view info,
                       const wire::TileGeometry &geometry) {
  const auto slotBits = valueOf(info, "slotBits"), cpu = valueOf(info, "cpu");
  if (slotBits != std::to_string(geometry.slotBits))
    return refused(module, "compiled for slots of 2^" + std::string(slotBits) +
                               " bytes, but this image has 2^" + std::to_string(geometry.slotBits) +
                               "; compile it for this target");
  if (!cpuHas(cpu))
    return refused(module, "needs a CPU of level '" + std::string(cpu) +
                               "', which this machine is not; compile it for a lower level");
  return wire::Status::success();
}

/// Sets the variable \p name of a module, if the module has it. Several IPUs of one process may
/// open a module at the same time.
template <class Value> void offer(void *handle, const char *name, Value value) {
  if (auto *const pointer = static_cast<Value *>(dlsym(handle, name)))
    std::atomic_ref(*pointer).store(value, std::memory_order_relaxed);
}

/// Returns the code addresses that setzi of inline assembly may name.
DecodedAssembly::CodeAddresses codeAddressesOf(const wire::Image &image) {
  DecodedAssembly::CodeAddresses addresses;
  constexpr std::string_view kPrefix = wire::kFunctionPrefix;
  for (const auto &function : image.functions)
    if (function.entry != 0)
      addresses.emplace(function.symbol.starts_with(kPrefix)
                            ? function.symbol.substr(kPrefix.size())
                            : function.symbol,
                        function.entry);
  for (const wire::CodeSection &section : image.code)
    if (!section.isForNativeCode)
      for (const wire::CodeSymbol &symbol : section.symbols)
        addresses.emplace(symbol.name, symbol.address);
  return addresses;
}

} // namespace

void Modules::Close::operator()(void *handle) const { dlclose(handle); }

wire::Status Modules::openOne(const wire::ModuleRef &module, const wire::Image &image,
                              const ModuleSource &source) {
  const auto path = source(module);
  if (!path.ok())
    return path.status();
  Handle handle(dlopen(path->c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!handle)
    return refused(module, "cannot be opened: " + linkerError());
  const auto *const info = static_cast<const char *>(dlsym(handle.get(), wire::kModuleInfoSymbol));
  if (info == nullptr)
    return refused(module,
                   std::string("is no codelet module: it has no ") + wire::kModuleInfoSymbol);
  if (auto status = checkInfo(module, info, image.geometry); !status.ok())
    return status;
  offer<wire::TileIdFunction>(handle.get(), wire::kTileIdSymbol, services_->tile);
  offer<wire::TileSlotFunction>(handle.get(), wire::kTileSlotSymbol, services_->slot);
  offer<wire::GeneratorFunction>(handle.get(), wire::kGeneratorSymbol, services_->generator);
  offer<wire::CycleOffset>(handle.get(), wire::kCycleOffsetSymbol, services_->cycleOffset);
  offer<wire::ReadRegisterFunction>(handle.get(), wire::kReadRegisterSymbol,
                                    services_->readRegister);
  offer<wire::WriteRegisterFunction>(handle.get(), wire::kWriteRegisterSymbol,
                                     services_->writeRegister);
  offer<wire::MatrixFunction>(handle.get(), wire::kMatrixSymbol, services_->matrix);
  offer<wire::LoadWeightsFunction>(handle.get(), wire::kLoadWeightsSymbol, services_->loadWeights);
  offer<wire::AssemblyFunction>(handle.get(), wire::kAssemblySymbol, services_->assembly);
  offer<wire::TileFunction>(handle.get(), wire::kTileFunctionSymbol, services_->tileFunction);
  offer<wire::CheckAccessFunction>(handle.get(), wire::kCheckAccessSymbol, services_->checkAccess);
  offer<wire::CheckRangeFunction>(handle.get(), wire::kCheckRangeSymbol, services_->checkRange);
  if (const auto *const range =
          static_cast<const wire::AssemblyRange *>(dlsym(handle.get(), wire::kAssemblyRangeSymbol)))
    std::for_each((*range)[0], (*range)[1], [&](const auto *block) { assembly_->add(*block); });
  auto *const function =
      static_cast<wire::RoundToHalfFunction *>(dlsym(handle.get(), wire::kRoundToHalfSymbol));
  auto *const mask = static_cast<std::uint32_t *>(dlsym(handle.get(), wire::kHalfMaskSymbol));
  if (function != nullptr && mask != nullptr)
    roundings_.push_back({function, mask});
  handles_.push_back(std::move(handle));
  return wire::Status::success();
}

wire::Result<Modules> Modules::open(const wire::Image &image, const ModuleSource &source,
                                    const NativeServices &services) {
  Modules modules(services);
  modules.assembly_ =
      std::make_unique<DecodedAssembly>(chipOf(image.architecture), codeAddressesOf(image));
  for (const wire::CodeSection &section : image.code)
    if (section.isForNativeCode)
      modules.assembly_->add(section, std::span(image.data).subspan(section.offset, section.bytes));
  for (const auto &module : image.modules)
    if (auto status = modules.openOne(module, image, source); !status.ok())
      return status;
  for (const auto &function : image.functions) {
    if (wire::isTileCode(function.kind)) {
      modules.entries_.push_back(nullptr);
      modules.isChecked_.push_back(true);
      continue;
    }
    void *const handle = modules.handles_[function.module].get();
    modules.isChecked_.push_back(dlsym(handle, wire::kCheckedCodeSymbol) != nullptr);
    void *const entry = dlsym(handle, function.symbol.c_str());
    if (entry == nullptr)
      return refused(image.modules[function.module], "has no codelet '" + function.symbol +
                                                         "' for vertex '" + function.vertexType +
                                                         "'");
    modules.entries_.push_back(reinterpret_cast<wire::CodeletEntry>(entry));
  }
  if (!image.registers.floatingPoint.empty() || image.registers.atLoad != 0)
    modules.roundByCall();
  return modules;
}

bool Modules::areAllChecked() const {
  return std::find(isChecked_.begin(), isChecked_.end(), false) == isChecked_.end();
}

void Modules::roundByCall() const {
  for (const Rounding &rounding : roundings_) {
    std::atomic_ref(*rounding.function).store(services_->roundToHalf, std::memory_order_relaxed);
    std::atomic_ref(*rounding.mask).store(0, std::memory_order_release);
  }
}

} // namespace copse::ipud
