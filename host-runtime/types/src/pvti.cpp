#include "pvti/pvti.hpp"

#include "types/trace.hpp"

namespace pvti {

bool Tracepoint::isTracing() { return copse::types::trace() != nullptr; }

void Tracepoint::write(const TraceChannel *channel, const char *label, std::size_t length,
                       const Metadata *metadata) {
  copse::types::trace()->begin(channel ? channel->name() : "", std::string_view(label, length),
                               metadata ? metadata->text() : "");
}

void Tracepoint::writeEnd() { copse::types::trace()->end(); }

} // namespace pvti
