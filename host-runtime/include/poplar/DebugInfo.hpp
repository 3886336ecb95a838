#pragma once

#include "poplar/DebugContext.hpp"
