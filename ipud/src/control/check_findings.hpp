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

/// Collects the findings of `copse check` on one IPU and writes them to
/// ipuN-PID-LOAD.findings.jsonl, one JSON object per line. An object has `kind` (memory, race,
/// init, alignment), `ipu`, `tile`, `address`, `bytes`, `variable`, `times` and `text`; a finding
/// in a vertex also has `vertex`, `compute_set`, `worker`, `source`, `access`, `field` and `index`.
///
/// Findings of one kind at one place in the code are combined, and described by the first of them.
///
/// Thread: any may call add(). The other functions belong to the thread of the Ipu, while no
/// compute set runs.
class CheckFindings : public AccessFindings {
public:
  /// Keeps a reference to \p loaded.
  CheckFindings(const std::filesystem::path &directory, const Loaded &loaded);

  /// Sets the compute set that runs next.
  void setComputeSet(const wire::ComputeSet &set) { computeSet_ = &set; }
  void add(const BadAccess &access) override;
  /// \param reader  a step, or the host
  void addUndefined(wire::TileAddress where, std::uint64_t bytes, const std::string &reader);
  /// Writes all findings since the load.
  void flush();

private:
  using Json = nlohmann::ordered_json;
  /// Findings with equal keys are combined: kind, function of the image, started function, source,
  /// and whether the access is a store.
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
  bool isNew_ COPSE_GUARDED_BY(mutex_) = false; ///< there are findings that are not in the file
};

} // namespace copse::ipud
