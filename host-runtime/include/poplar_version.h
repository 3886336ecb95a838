#pragma once

/* The version of Poplar whose interface this is. Usable in #if, hence macros. */
#define POPLAR_VERSION_MAJOR 2
#define POPLAR_VERSION_MINOR 2
#define POPLAR_VERSION_POINT 0
#define POPLAR_VERSION_STRING "2.2.0"
