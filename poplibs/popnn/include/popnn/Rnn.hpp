#pragma once
#error                                                                                             \
    "popnn/Rnn.hpp is not part of the PopLibs that comes with Copse; the public PopLibs sources have it"
