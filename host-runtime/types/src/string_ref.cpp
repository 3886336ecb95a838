#include "poplar/StringRef.hpp"

#include <ostream>

namespace poplar {

std::ostream &operator<<(std::ostream &out, StringRef s) {
  return out << std::string_view(s.data(), s.size()); // honours setw, like std::string
}

} // namespace poplar
