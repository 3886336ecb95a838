#pragma once

#include "poplar/PrintTensorFmt.hpp"
#include "poplar/Program.hpp"
