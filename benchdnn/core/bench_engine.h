// SPDX-License-Identifier: Apache-2.0
// The engine under test with its stream, and the CPU engine beside it.
#ifndef BENCH_ENGINE_H
#define BENCH_ENGINE_H

#include <stdbool.h>

#include <prim/prim.h>

#define BENCH_MAX_STREAMS 16

/// Opens what --engine asks for unless it is open; nothing in mode L. False after an error
/// sentence.
bool engine_open(void);
void engine_close(void);

prim_engine_t *engine_tested(void);
/// Stream 0 … --num-streams - 1 of the tested engine.
prim_stream_t *engine_stream(int index);
int engine_stream_count(void);
bool engine_is_gpu(void);
/// Whether the tested engine computes in f64 at all (found out with a one-element relu).
bool engine_has_f64(void);

#endif
