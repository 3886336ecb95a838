#pragma once

#include "processor/access_observer.hpp"
#include "tile/bad_access.hpp"
#include "tile/codelet_signals.hpp"
#include "tile/running_vertex.hpp"
#include "tile/slot_bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>

namespace copse::ipud {

/// Checks each access of the vertex that a thread runs against the ranges that the vertex was
/// given.
///
/// While a vertex runs, a shadow byte for each byte of its tile says what the vertex may do there,
/// so a check of an access only reads these bytes. If workers share a vertex, two more shadow bytes
/// record which of them have read and written the byte.
///
/// Life: begin() before the tiles of a compute set, enterTile(), then enterVertex() and
/// leaveVertex() around each vertex. Outside of these calls nothing is checked. A vertex that ends
/// with a fault needs no leaveVertex().
///
/// Thread: the one that runs the vertices.
class AccessWatch : public AccessObserver {
public:
  /// Keeps references to its arguments.
  AccessWatch(const RunningVertex &running, CodeletSignals &signals)
      : running_(running), signals_(signals) {}

  void begin(const Vertices &vertices);
  void enterTile();
  /// \param number  number of the current vertex in its compute set
  void enterVertex(std::uint32_t number);
  void leaveVertex();

  /// Checks an access of native code: wire::CheckAccessFunction.
  void check(const void *address, std::size_t bytes, unsigned flags, const char *site);
  /// Accesses that a loop of native code is going to make: wire::CheckRangeFunction.
  struct Range {
    const void *first;
    long stride; ///< [bytes]
    std::size_t bytes, count;
    unsigned flags;
  };
  bool checkRange(const Range &range);
  void access(const Core &core, std::uint32_t pc, const Access &access, bool stores) override;
  void workersAreDone() override;

  /// Names the assembly that tile code is about to run for native code.
  void nameAssembly(const wire::AssemblyBlock *block, const char *tileFunction) {
    assembly_ = block;
    tileFunction_ = tileFunction;
  }
  bool isActive() const { return active_; }

private:
  static constexpr std::uint8_t kMayRead = 1, kMayWrite = 2, kSharedGranule = 4;
  static constexpr std::uint32_t kGranule =
      wire::kWordBytes; ///< the unit that a store of fewer bytes writes

  /// The origin of an access.
  struct From {
    const char *site = nullptr;
    std::uint32_t pc = 0;
    std::optional<std::uint32_t> worker;
    bool isInline = false;       ///< tile code that native code runs
    const Core *loads = nullptr; ///< set for tile code
  };
  /// A word that fields of several vertices of a tile share.
  struct Granule {
    std::uint32_t vertex = 0;
    bool shared = false;
    const wire::VertexRecord *writer = nullptr;
  };

  void paint(std::uint32_t address, std::uint32_t bytes, std::uint8_t value);
  void unpaint(std::uint32_t address, std::uint32_t bytes);
  template <class Use> void eachGranuleAtAnEnd(const wire::GivenRange &range, Use use) const;
  void findSharedGranules();
  void paintSharedGranules();
  template <class Use> void eachCommonRange(Use use) const;
  void defineAllThatIsWritten() const;
  void clearPaint();
  void clearMarks();

  bool isReadAhead(std::uint32_t address, std::size_t bytes, const From &from) const;
  void checkInSlot(std::uint32_t address, std::size_t bytes, bool stores, const From &from);
  bool isGood(std::uint32_t address, std::size_t bytes, bool stores,
              std::optional<std::uint32_t> worker) const;
  void happens(std::uint32_t address, std::size_t bytes, bool stores,
               std::optional<std::uint32_t> worker);
  void reportOutside(std::uint32_t address, std::size_t bytes, bool stores, const From &from);
  void checkDefined(std::uint32_t address, std::size_t bytes, const From &from);
  void checkWorkers(std::uint32_t address, std::size_t bytes, bool stores, const From &from);
  void checkSharedGranules(std::uint32_t address, std::size_t bytes, const From &from);
  void checkForeign(const void *address, std::size_t bytes, bool stores, const From &from);
  std::optional<std::uint32_t> nativeWorker() const;
  void report(const BadAccess &access);
  BadAccess badAccess(BadAccess::Kind kind, std::uint32_t address, std::size_t bytes, bool stores,
                      const From &from) const;

  const RunningVertex &running_;
  CodeletSignals &signals_;
  const CheckedSet *checks_ = nullptr;
  std::unique_ptr<SlotBytes> paint_, readers_,
      /// Shadow bytes of the slot; `readers_` and `writers_` have a bit for each worker.
      writers_;
  std::uint8_t *defined_ = nullptr; ///< shadow of address 0 of the tile
  std::uintptr_t slot_ = 0;
  std::size_t slotBytes_ = 0;
  /// By address, where fields of the tile end within a word.
  std::unordered_map<std::uint32_t, Granule> granules_;
  std::span<const wire::GivenRange> given_;
  bool isChecked_ = true;     ///< all code of the vertex is checked
  bool active_ = false;       ///< a vertex is being checked
  bool sharesVertex_ = false; ///< several workers run the vertex
  bool hasGranules_ = false;  ///< the tile has shared granules
  const wire::AssemblyBlock *assembly_ = nullptr;
  const char *tileFunction_ = nullptr;
};

} // namespace copse::ipud
