// Headers of intrinsics before any other, as the tile's compiler allows: it knows its builtins
// without a header.
#include <ipu_memory_intrinsics>
#include <poplar/TileConstants.hpp>

namespace {
unsigned withoutExceptions() {
  const unsigned saved = __builtin_ipu_uget(CSR_W_FP_CTL__INDEX & CSR_UPPER_MASK);
  __builtin_ipu_uput(0, CSR_W_FP_CTL__INDEX & CSR_UPPER_MASK);
  return saved;
}
} // namespace

#include <poplar/Vertex.hpp>

class Register : public poplar::Vertex {
public:
  poplar::Output<unsigned> control;
  bool compute() {
    *control = withoutExceptions();
    __builtin_ipu_uput(*control, CSR_W_FP_CTL__INDEX & CSR_UPPER_MASK);
    return true;
  }
};
