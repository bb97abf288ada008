// SPDX-License-Identifier: Apache-2.0
// Arithmetic of data types and the scalar functions of post-ops, in double: the oracle's own, with
// nothing of the library in it.
#ifndef BENCH_NUMERIC_H
#define BENCH_NUMERIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <prim/prim.h>

/// "f32", "u8"; PRIM_DATA_TYPE_UNDEF for a word that is none, "undef" for an unknown value.
prim_data_type_t dt_from_name(const char *name, size_t length);
const char *dt_name(prim_data_type_t dt);
/// Bits an element takes in memory: 4 for s4, u4 and f4, which lie two to the byte.
int dt_bits(prim_data_type_t dt);
bool dt_is_integer(prim_data_type_t dt);
/// Distance from 1 to the next value; 0 for integers.
double dt_epsilon(prim_data_type_t dt);
/// Bits of the mantissa with the hidden one; of the magnitude for integers.
int dt_digits(prim_data_type_t dt);
/// Largest and lowest finite value.
double dt_max(prim_data_type_t dt);
double dt_lowest(prim_data_type_t dt);
/// The smallest positive number with all bits of the mantissa; 1 for integers.
double dt_min_normal(prim_data_type_t dt);
/// To nearest (even on ties); integers saturate, floats overflow to infinity where the type has it.
double dt_round(prim_data_type_t dt, double x);
/// dt_round, encoded / the value of encoded bits.
uint64_t dt_encode(prim_data_type_t dt, double x);
double dt_decode(prim_data_type_t dt, uint64_t bits);

/// f(x) by any PRIM_ELTWISE_… algorithm.
double ref_eltwise(prim_alg_kind_t alg, double x, double alpha, double beta);
/// op(a, b) by any PRIM_BINARY_… algorithm; `condition` is for PRIM_BINARY_SELECT.
double ref_binary(prim_alg_kind_t alg, double a, double b, double condition);

#endif
