// SPDX-License-Identifier: Apache-2.0
// Complete binaries of programs: with every kernel, usable on the engine's device.
#ifndef PRIM_OCL_PROGRAM_BINARY_H
#define PRIM_OCL_PROGRAM_BINARY_H

#include "gpu/ocl/device/ocl_engine.h"

/// The program's binary for the engine's device, for prim__free(); NULL when the driver gives none.
/// Call it when a kernel of the program was made: some drivers compile only then. `*call` is the
/// function that failed.
cl_int prim__ocl_program_binary_take(unsigned char **binary, size_t *nbytes, const char **call,
        const ocl_engine_t *engine, cl_program program);

/// A program of a binary, built, its kernels tried; the caller's. Guard it (ocl_cache_guard.h):
/// some drivers crash here. `*call` as above.
cl_int prim__ocl_program_binary_load(cl_program *program, const char **call,
        const ocl_engine_t *engine, const char *options, const unsigned char *binary,
        size_t nbytes);

#endif
