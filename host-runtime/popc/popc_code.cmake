# Writes OUT, a header that names the code of popc: a digest of what is in FILES.
set(digests "")
foreach(file IN LISTS FILES)
  file(SHA256 ${file} digest)
  string(APPEND digests "${digest}\n")
endforeach()
string(SHA256 code "${digests}")
file(WRITE ${OUT} "#pragma once

namespace copse::popc {

/// A digest of the sources of popc, and of what they take from other parts.
inline constexpr const char *kPopcCode = \"${code}\";

} // namespace copse::popc
")
