// SPDX-License-Identifier: Apache-2.0
// A pool of random problems of one operation, and which implementations take each: asked of
// benchdnn by descriptors alone, so that thousands cost seconds.
#ifndef PRIM_TESTS_IMPL_POOL_H
#define PRIM_TESTS_IMPL_POOL_H

#include "common/impl.h"
#include "problem_gen.h"

enum { MAX_IMPLS = 128, IMPL_NAME_BYTES = 96, MAX_TILES = 24, SIZES_OF_A_STYLE = 6 };

/// A bit for each implementation.
__extension__ typedef unsigned __int128 impl_bits_t;

typedef struct {
    char *line;          ///< options and descriptor of benchdnn
    uint32_t style;      ///< problems of one style differ in sizes alone
    impl_bits_t takers;  ///< bit k: implementation k takes it
    impl_bits_t lacking; ///< bit k: implementation k declines for want of something in the device
    int noptions;
    int *options; ///< indices of the pool's
} problem_t;

typedef struct {
    char *name;
    int size; ///< of `#name=size`, an edge of a tile; 0: another sort of option
} option_t;

typedef struct {
    int n;
    int sizes[MAX_TILES];
} tiles_t;

/// What `--impl=` names: an implementation, or one with what it nests.
typedef struct {
    char name[IMPL_NAME_BYTES];
    const impl_t *impl;
    const impl_t *nested; ///< NULL: nothing
} pool_impl_t;

typedef struct {
    const char *benchdnn, *engine;
    const generator_t *generator;
    pool_impl_t impls[MAX_IMPLS]; ///< of all directions
    int nimpls;
    tiles_t tiles[MAX_IMPLS]; ///< of each implementation
    tiles_t all_tiles;
    int n;
    problem_t *problems;
    int noptions;
    option_t *options;
    uint32_t first_style; ///< styles follow each other
    int nstyles;
    int nrefused; ///< problems that the library refuses: faults of the generator
} pool_t;

/// Starts an empty pool of the operation, whose styles begin with number `first_style`.
void pool_init(pool_t *pool, const char *benchdnn, const char *engine, const generator_t *generator,
        uint32_t first_style);
void pool_free(pool_t *pool);
/// Adds problems of the next `nstyles` styles; false when benchdnn failed.
bool pool_draw(pool_t *pool, int nstyles);

bool pool_takes(const pool_t *pool, int impl, const problem_t *problem);
/// The index of an option, or -1.
int pool_find_option(const pool_t *pool, const char *name);
/// Sets `has[option]` for the options of all problems that the implementation takes; of edges of
/// tiles those of its own.
void pool_options_of(const pool_t *pool, int impl, bool *has);
int pool_count_of(const pool_t *pool, int impl);
/// Whether the implementation declined a problem with the option (any problem: -1) for want of
/// something in the device.
bool pool_lacks(const pool_t *pool, int impl, int option);

/// Fills the pool's tiles with the sizes that each implementation of a GPU engine chooses among, by
/// what it, or what it nests, offers to the tuner for large problems.
void pool_find_tiles(pool_t *pool);

#endif
