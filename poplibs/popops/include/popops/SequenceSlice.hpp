#pragma once

#error                                                                                             \
    "popops/SequenceSlice.hpp is not among the operations that come with this Poplar; the public PopLibs sources have it"
