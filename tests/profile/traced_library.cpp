// A library that is built twice for one program, like PopLibs' libraries: each defines the channel,
// and the dynamic linker makes both one object, which each library constructs and destroys.
#include <pvti/pvti.hpp>

namespace traced {

pvti::TraceChannel channel{"a name too long to lie in a string object"};

} // namespace traced

void LIBRARY_FUNCTION() { const pvti::Tracepoint point(&traced::channel, "in a library"); }
