#!/bin/sh
# The links over a bad wire (cut, delayed, swapped, repeated, lost and damaged messages), with many
# seeds.
#   tests/fabric/bad_wire_seeds.sh [SEEDS] [PROGRAM]
set -eu
program=${2:-$(dirname "$0")/../../build/release/bin/fabric_tests}
COPSE_BAD_WIRE_SEEDS=${1:-100} exec "$program" --gtest_filter='Seeds/FaultyLinks.*' --gtest_brief=1
