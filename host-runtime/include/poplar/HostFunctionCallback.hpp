#pragma once

#include "poplar/HostFunction.hpp" // which has HostCallback and HostCallbackHandle
