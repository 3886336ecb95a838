#pragma once

#include "poplar/VariableRef.hpp"
