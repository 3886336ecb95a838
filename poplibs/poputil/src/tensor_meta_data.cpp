#include "poputil/TensorMetaData.hpp"

namespace poputil {

TensorMetaDataBase::~TensorMetaDataBase() = default;

} // namespace poputil
