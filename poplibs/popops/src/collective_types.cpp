#include "popops/CollectiveTypes.hpp"
#include "poputil/exceptions.hpp"

#include <ostream>

namespace popops {

std::ostream &operator<<(std::ostream &out, CollectiveOperator op) {
  switch (op) {
  case CollectiveOperator::ADD:
    return out << "ADD";
  case CollectiveOperator::MEAN:
    return out << "MEAN";
  case CollectiveOperator::MUL:
    return out << "MUL";
  case CollectiveOperator::MIN:
    return out << "MIN";
  case CollectiveOperator::MAX:
    return out << "MAX";
  case CollectiveOperator::LOGICAL_AND:
    return out << "LOGICAL_AND";
  case CollectiveOperator::LOGICAL_OR:
    return out << "LOGICAL_OR";
  case CollectiveOperator::SQUARE_ADD:
    return out << "SQUARE_ADD";
  case CollectiveOperator::LOCAL:
    return out << "LOCAL";
  }
  return out << "?";
}

CollectiveOperator operationToCollectiveOperator(const Operation &col) {
  switch (col) {
  case Operation::ADD:
    return CollectiveOperator::ADD;
  case Operation::MUL:
    return CollectiveOperator::MUL;
  case Operation::MIN:
    return CollectiveOperator::MIN;
  case Operation::MAX:
    return CollectiveOperator::MAX;
  case Operation::LOGICAL_AND:
    return CollectiveOperator::LOGICAL_AND;
  case Operation::LOGICAL_OR:
    return CollectiveOperator::LOGICAL_OR;
  case Operation::SQUARE_ADD:
    return CollectiveOperator::SQUARE_ADD;
  case Operation::LOG_ADD:
    break;
  }
  throw poputil::poplibs_error("there is no collective operator LOG_ADD");
}

} // namespace popops
