#include "pvti/pvti.hpp"

#include "types/trace.hpp"

#include <mutex>
#include <set>

namespace pvti {

const std::string &TraceChannel::kept(const std::string &name) {
  static std::mutex mutex;
  static auto &names = *new std::set<std::string>; // outlives the globals of all libraries
  const std::lock_guard lock(mutex);
  return *names.insert(name).first;
}

bool isTracing() { return copse::types::trace() != nullptr; }

void Series::add(double value) {
  if (auto *const trace = copse::types::trace())
    trace->count(graph_, label_, value);
}

void Tracepoint::write(const TraceChannel *channel, const char *label, std::size_t length,
                       const Metadata *metadata) {
  copse::types::trace()->begin(channel ? channel->name() : "", std::string_view(label, length),
                               metadata ? metadata->text() : "");
}

void Tracepoint::writeEnd() { copse::types::trace()->end(); }

} // namespace pvti
