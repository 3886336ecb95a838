/* Sources of PopLibs 3 name the header without its folder. */
#include "poplar/StackSizeDefs.hpp"
