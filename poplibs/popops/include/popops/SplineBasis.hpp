#pragma once

#error                                                                                             \
    "popops/SplineBasis.hpp is not among the operations that come with this Poplar; the public PopLibs sources have it"
