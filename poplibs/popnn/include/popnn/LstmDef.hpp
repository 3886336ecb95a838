#pragma once
#error                                                                                             \
    "popnn/LstmDef.hpp is not part of the PopLibs that comes with Copse; the public PopLibs sources have it"
