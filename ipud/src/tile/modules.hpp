#pragma once

#include "tile/native_assembly.hpp"
#include "tile/native_services.hpp"

#include "ipud/environment.hpp"
#include "wire/codelet_abi.hpp"
#include "wire/image.hpp"
#include "wire/result.hpp"

#include <memory>
#include <vector>

namespace copse::ipud {

/// The opened codelet modules of an image, and the entry points of its functions. The destructor
/// closes the modules.
class Modules {
public:
  /// Opens all modules of \p image.
  /// \param services  that modules call; must outlive the modules
  /// \returns InvalidImage if a module cannot be opened, lacks a symbol, was compiled for another
  ///   slot size, or needs a CPU level that this machine lacks; or the error of \p source
  static wire::Result<Modules> open(const wire::Image &image, const ModuleSource &source,
                                    const NativeServices &services);

  /// Makes native code round each half by NativeServices::roundToHalf from now on. Any thread that
  /// runs codelets may call this.
  void roundByCall() const;

  /// Returns the entry of image.functions[function]; null if that is not native.
  wire::CodeletEntry entry(std::uint32_t function) const { return entries_[function]; }

  /// Returns true if the accesses of image.functions[function], which must be native, are checked.
  bool isChecked(std::uint32_t function) const { return isChecked_[function]; }
  /// Returns true if the accesses of all native functions are checked.
  bool areAllChecked() const;

  /// Returns the inline assembly of all modules.
  DecodedAssembly &assembly() const { return *assembly_; }

private:
  explicit Modules(const NativeServices &services) : services_(&services) {}

  struct Close {
    void operator()(void *handle) const;
  };
  using Handle = std::unique_ptr<void, Close>;

  wire::Status openOne(const wire::ModuleRef &module, const wire::Image &image,
                       const ModuleSource &source);

  const NativeServices *services_;
  std::vector<Handle> handles_; ///< shape [modules]
  std::vector<wire::CodeletEntry> entries_;
  std::vector<bool> isChecked_; ///< shape [functions]; true for tile code
  struct Rounding {
    wire::RoundToHalfFunction *function; ///< variables of a module
    std::uint32_t *mask;
  };
  std::vector<Rounding> roundings_; ///< set for the modules that use halves
  std::unique_ptr<DecodedAssembly> assembly_;
};

} // namespace copse::ipud
