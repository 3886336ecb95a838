#pragma once

#include "poplar/TileAddress.hpp"

#include <cstdarg>
#include <cstdio>

/// Prints for people, so on standard error: standard output belongs to the program that runs the
/// tile. One write for each call, so that tiles do not cut each other's text.
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
