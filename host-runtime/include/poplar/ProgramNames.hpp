#pragma once

namespace poplar {
namespace program {

// Declared here so that functions that only pass programs on need no more than Tensor.hpp. What
// they are is in Program.hpp.
class Program;
class Sequence;
class Execute;
class Copy;
class Call;

} // namespace program
} // namespace poplar
