#include "refusals.hpp"

#include <algorithm>
#include <initializer_list>
#include <poputil/exceptions.hpp>

namespace gcl {

void refuse(const char *function, const std::string &why) {
  throw poputil::poplibs_error(std::string(function) + ": " + why);
}

void checkReduces(const char *function, CollectiveOperator op, const poplar::Type &type) {
  using namespace poplar;
  const auto oneOf = [&](std::initializer_list<Type> types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  bool known = true;
  switch (op) {
  case CollectiveOperator::LOGICAL_AND:
  case CollectiveOperator::LOGICAL_OR:
    known = type == BOOL;
    break;
  case CollectiveOperator::MEAN:
  case CollectiveOperator::SQUARE_ADD:
    known = oneOf({FLOAT, HALF, INT, UNSIGNED_INT});
    break;
  case CollectiveOperator::LOCAL:
    break;
  default:
    known =
        oneOf({FLOAT, HALF, INT, UNSIGNED_INT, SHORT, UNSIGNED_SHORT, SIGNED_CHAR, UNSIGNED_CHAR});
  }
  if (!known)
    refuse(function,
           "this operator does not reduce elements of type " + type.toString().cloneAsString());
}

} // namespace gcl
