#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

namespace copse::fabric {

/// A peer could exhaust a daemon by opening connections. This table limits their number. If the
/// table is full, a new connection replaces the least recently used connection of the origin that
/// has most connections. An origin that floods a port therefore evicts only its own connections.
///
/// Thread: one at a time.
template <class Connection> class ConnectionTable {
public:
  explicit ConnectionTable(std::size_t most) : most_(most) {}

  /// Adds a connection.
  /// \returns the connection to evict; null if there is room, or if no connection may be evicted
  std::shared_ptr<Connection> add(std::shared_ptr<Connection> connection, std::string origin) {
    auto displaced = entries_.size() < most_ ? nullptr : takeVictim();
    const Connection *const key = connection.get();
    entries_[key] = {std::move(connection), std::move(origin), ++uses_};
    return displaced;
  }
  void remove(const Connection *connection) { entries_.erase(connection); }
  /// Makes \p connection the one that was used most recently.
  void use(const Connection *connection) {
    if (const auto found = entries_.find(connection); found != entries_.end())
      found->second.used = ++uses_;
  }
  /// Sets whether a connection is protected from eviction.
  /// \param stays  true: \p connection is never evicted
  void keep(const Connection *connection, bool stays) {
    if (const auto found = entries_.find(connection); found != entries_.end())
      found->second.stays = stays;
  }
  std::size_t size() const { return entries_.size(); }
  template <class Work> void forEach(const Work &work) const {
    for (const auto &[key, entry] : entries_)
      work(*entry.connection);
  }

private:
  struct Entry {
    std::shared_ptr<Connection> connection;
    std::string origin;
    std::uint64_t used = 0;
    bool stays = false;
  };

  std::shared_ptr<Connection> takeVictim() {
    std::map<std::string, std::size_t> counts;
    for (const auto &[key, entry] : entries_)
      if (!entry.stays)
        ++counts[entry.origin];
    auto victim = entries_.end();
    for (auto at = entries_.begin(); at != entries_.end(); ++at) {
      const auto rank = [&](const Entry &entry) {
        return std::tuple(counts[entry.origin], ~entry.used);
      };
      if (!at->second.stays &&
          (victim == entries_.end() || rank(at->second) > rank(victim->second)))
        victim = at;
    }
    if (victim == entries_.end())
      return nullptr;
    auto connection = std::move(victim->second.connection);
    entries_.erase(victim);
    return connection;
  }

  std::size_t most_;
  std::uint64_t uses_ = 0;
  std::map<const Connection *, Entry> entries_;
};

} // namespace copse::fabric
