#pragma once
#error                                                                                             \
    "poplin/TriangularSolve.hpp is not part of the PopLibs that comes with Copse; the public PopLibs sources have it"
