#pragma once

#error                                                                                             \
    "poputil/DebugInfo.hpp is not among the operations that come with this Poplar; the public PopLibs sources have it"
