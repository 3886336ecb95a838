#pragma once
#error                                                                                             \
    "popfloat/experimental/GfloatExprUtil.hpp is not part of the PopLibs that comes with Copse; the public PopLibs sources build on Copse and have it"
