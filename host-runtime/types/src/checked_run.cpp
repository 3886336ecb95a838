#include "types/checked_run.hpp"

#include <cstdlib>

namespace copse::types {

bool isCheckedRun() {
  const char *const directory =
      std::getenv("COPSE_CHECK"); // NOLINT(concurrency-mt-unsafe): it is not set meanwhile
  return directory != nullptr && *directory != '\0';
}

} // namespace copse::types
