#pragma once

#include <cstdio>

// A codelet's output is for people: standard output belongs to the program that runs the tile.
#define printf(...) fprintf(stderr, __VA_ARGS__)
