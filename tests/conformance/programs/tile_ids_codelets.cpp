#include <ipu_builtins.h>
#include <poplar/Vertex.hpp>
#include <print.h>

class Ask : public poplar::Vertex {
public:
  poplar::Output<unsigned> id;
  bool compute() {
    *id = __builtin_ipu_get_tile_id();
    if (*id == 0)
      printf("here is tile %u\n", *id);
    return true;
  }
};

class AskOften : public poplar::MultiVertex {
public:
  poplar::Output<unsigned> id;
  bool compute(unsigned worker) {
    if (worker == 0)
      *id = __builtin_ipu_get_tile_id();
    return true;
  }
};
