#include "tile/floating_point_traps.hpp"

#include "processor/float_bits.hpp"

#include <cfenv>

namespace copse::ipud {

void trapOn(std::uint32_t events) {
  std::feclearexcept(FE_ALL_EXCEPT);
  fedisableexcept(FE_ALL_EXCEPT);
  feenableexcept(((events & fp::kInvalid) != 0 ? FE_INVALID : 0) |
                 ((events & fp::kDivideByZero) != 0 ? FE_DIVBYZERO : 0) |
                 ((events & fp::kOverflow) != 0 ? FE_OVERFLOW : 0));
}

} // namespace copse::ipud
