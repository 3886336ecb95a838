#pragma once

#include "control/loaded.hpp"
#include "locks/mutex.hpp"
#include "tile/bad_access.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

namespace copse::ipud {

/// What `copse check` has found on one IPU, as a file of one JSON object a line, ipuN-PID-LOAD.findings.jsonl: `kind`
/// (memory, race, init, alignment), `ipu`, `tile`, `address`, `bytes`, `variable`, `times`, `text`; of a vertex also
/// `vertex`, `compute_set`, `worker`, `source`, `access`, `field`, `index`.
///
/// The same fault of the same code counts once, with the place where it happened first.
///
/// Thread: add() any; the others that of the Ipu, while no compute set runs.
class CheckFindings : public AccessFindings {
public:
  /// Keeps a reference to \p loaded.
  CheckFindings(const std::filesystem::path &directory, const Loaded &loaded);

  /// Which one runs next.
  void setComputeSet(const wire::ComputeSet &set) { computeSet_ = &set; }
  void add(const BadAccess &access) override;
  /// \param reader  a step or the host
  void addUndefined(wire::TileAddress where, std::uint64_t bytes, const std::string &reader);
  /// Writes all that was found since the load.
  void flush();

private:
  using Json = nlohmann::ordered_json;
  /// What is the same fault: kind, function of the image, started function, source, whether it stores.
  using Key = std::tuple<int, std::uint32_t, std::uint32_t, std::string, bool>;

  std::string sourceOf(const BadAccess &access) const;
  std::string variableAt(wire::TileAddress where) const;
  Json describe(const BadAccess &access, const std::string &source) const;
  void count(const Key &key, const auto &describe);

  const Loaded &loaded_;
  std::filesystem::path file_;
  const wire::ComputeSet *computeSet_ = nullptr;
  locks::Mutex mutex_;
  std::map<Key, std::pair<Json, std::uint64_t>> found_ COPSE_GUARDED_BY(mutex_);
  bool isNew_ COPSE_GUARDED_BY(mutex_) = false; ///< something is not in the file
};

} // namespace copse::ipud
