// SPDX-License-Identifier: Apache-2.0
#include "fuzz_rounds.h"

#include <signal.h>
#include <stdio.h>

enum { MAX_BYTES = 16384 };

static const char *program_name;
static uint64_t round_seed;

#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));
#endif

static void tell_round(void)
{
    if (program_name)
        fprintf(stderr, "%s: repeat with: %s 1 %llu\n", program_name, program_name,
                (unsigned long long)round_seed);
}

/// The undefined-behaviour sanitizer of GCC calls this one instead (sanitizer/ubsan_interface.h).
__attribute__((visibility("default"))) void __ubsan_on_report(void);
void __ubsan_on_report(void)
{
    tell_round();
}

static void tell_of_abort(int number)
{
    (void)number;
    tell_round();
}

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static long run_round(uint64_t seed, size_t max_bytes, fuzz_begin_t *begin, fuzz_round_t *run)
{
    static uint8_t bytes[MAX_BYTES];
    uint64_t state = seed;
    const size_t nbytes = 16 + (size_t)(next_random(&state) % (max_bytes - 16));
    for (size_t i = 0; i < nbytes; ++i) bytes[i] = (uint8_t)(next_random(&state) >> 56);
    round_seed = seed;
    if (begin) begin(seed);
    return run(bytes, nbytes);
}

long fuzz_rounds(const char *program, long ncalls, uint64_t seed, size_t max_bytes,
        fuzz_begin_t *begin, fuzz_round_t *run, long *nrounds)
{
    long n = 0;
    program_name = program;
    signal(SIGABRT, tell_of_abort);
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(tell_round);
#endif
    for (*nrounds = 0; n < ncalls; ++*nrounds)
        n += run_round(seed + (uint64_t)*nrounds, max_bytes, begin, run);
    program_name = NULL;
    return n;
}
