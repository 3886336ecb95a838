#pragma once

#include "poplar/TileAddress.hpp"

#include <cstdarg>
#include <cstdio>

/// Prints to standard error, because standard output belongs to the host program. Each call makes
/// one write, so that the texts of several tiles do not mix.
__attribute__((format(printf, 1, 2))) inline int copseTilePrintf(const char *format, ...) {
  char text[1024];
  int used = std::snprintf(text, sizeof text, "[tile %u] ", __copseTileId());
  va_list arguments;
  va_start(arguments, format);
  const int printed = std::vsnprintf(text + used, sizeof text - used, format, arguments);
  va_end(arguments);
  std::fputs(text, stderr);
  return printed;
}

#define printf(...) copseTilePrintf(__VA_ARGS__)
