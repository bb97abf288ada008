// SPDX-License-Identifier: Apache-2.0
// Rounds of random bytes, for the programs that make random calls.
#ifndef PRIM_TESTS_FUZZ_ROUNDS_H
#define PRIM_TESTS_FUZZ_ROUNDS_H

#include <stddef.h>
#include <stdint.h>

/// Makes calls until the bytes are used up, and returns how many.
typedef long fuzz_round_t(const uint8_t *bytes, size_t nbytes);

/// Called before each round with its seed; may be NULL.
typedef void fuzz_begin_t(uint64_t seed);

/// Rounds `seed`, `seed` + 1, …, of less than `max_bytes` bytes each (16384 at most), until
/// `ncalls` calls are made; returns how many there were, and the number of rounds in `*nrounds`. A
/// report of a sanitizer tells how `program` repeats its round.
long fuzz_rounds(const char *program, long ncalls, uint64_t seed, size_t max_bytes,
        fuzz_begin_t *begin, fuzz_round_t *run, long *nrounds);

#endif
