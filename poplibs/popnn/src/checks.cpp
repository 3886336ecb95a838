#include "checks.hpp"

#include <poputil/exceptions.hpp>

namespace popnn {

void require(const char *function, bool holds, const std::string &what) {
  if (!holds)
    throw poputil::poplibs_error(std::string(function) + ": " + what);
}

void requireFloatingPoint(const char *function, const poplar::Tensor &t) {
  require(function, t.elementType() == poplar::FLOAT || t.elementType() == poplar::HALF,
          "the tensor must be FLOAT or HALF, not " + t.elementType().toString());
}

} // namespace popnn
