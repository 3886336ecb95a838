#pragma once

/// \file
/// Constants of operations on labels and logarithms.

/// The label or index of a row that is to be ignored.
#define MASKED_LABEL_CODE 0xFFFFFFFFU
///@{

/// A number to add before a logarithm is taken, so that the logarithm of 0 is finite: the smallest
/// normal float, and the smallest subnormal half.
#define EPS_LOG_N_FLOAT 1.17549435e-38F
#define EPS_LOG_N_HALF 0.000000059605F
///@}
