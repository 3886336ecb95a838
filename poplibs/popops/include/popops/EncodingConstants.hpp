#pragma once

/// \file
/// Constants of operations on labels and logarithms.

/// A label or an index that stands for none.
#define MASKED_LABEL_CODE 0xFFFFFFFFU
///@{

/// A number to add before a logarithm is taken, so that there is one of 0: the smallest positive
/// one.
#define EPS_LOG_N_FLOAT 1.17549435e-38F
#define EPS_LOG_N_HALF 0.000000059605F
///@}
