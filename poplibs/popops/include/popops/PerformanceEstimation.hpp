#pragma once

#error                                                                                             \
    "popops/PerformanceEstimation.hpp is not among the operations that come with this Poplar; the public PopLibs sources have it"
