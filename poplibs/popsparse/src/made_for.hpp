#pragma once

#include <memory>
#include <poputil/TensorMetaData.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <utility>

namespace popsparse {

/// The operation that a sparse tensor was made for, with its parameters; other operations refuse
/// the tensor.
template <typename Params> class MadeFor : public poputil::TensorMetaDataBase {
public:
  explicit MadeFor(Params own) : params(std::move(own)) {}
  std::unique_ptr<poputil::TensorMetaDataBase> clone() const override {
    return std::make_unique<MadeFor>(params);
  }
  const Params params;
};

template <typename Params> poputil::TensorMetaData madeFor(const Params &params) {
  return poputil::TensorMetaData(std::make_unique<MadeFor<Params>>(params));
}

/// \throws poputil::poplibs_error if the tensor was made for another operation
template <typename Params, typename Tensor>
const Params &paramsOf(const char *function, const Tensor &tensor) {
  const auto *made = dynamic_cast<const MadeFor<Params> *>(tensor.getOpMetaData().getData());
  if (made == nullptr)
    throw poputil::poplibs_error(std::string(function) +
                                 ": the sparse tensor was not made for this operation");
  return made->params;
}

} // namespace popsparse
