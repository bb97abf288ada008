// SPDX-License-Identifier: Apache-2.0
// The tile instructions that the matrix products use. With X64_AMX_IN_C they are plain C, for
// processors without them: the same operations in the same order, so that the bits agree. Tiles are
// named by literal numbers, 0..7; those of sums are whole, 16 rows of 64 bytes.
#ifndef PRIM_CPU_SIMD_AMX_H
#define PRIM_CPU_SIMD_AMX_H

#include <stddef.h>
#include <stdint.h>

#include "cpu/cpu_isa.h"

enum { AMX_ROWS = 16, AMX_WORDS = 16, AMX_NTILES = 8 }; // words of 32 bits in a row

/// What LDTILECFG reads.
typedef struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t nrows[16];
} amx_config_t;

/// Eight whole tiles.
X64_INLINE amx_config_t amx_whole_tiles(void)
{
    amx_config_t config = {.palette = 1};
    for (int tile = 0; tile < AMX_NTILES; ++tile) {
        config.row_bytes[tile] = AMX_WORDS * 4;
        config.nrows[tile] = AMX_ROWS;
    }
    return config;
}

#ifdef X64_AMX_IN_C
#include <math.h>
#include <string.h>

static _Thread_local uint32_t amx_tiles[AMX_NTILES][AMX_ROWS][AMX_WORDS];

/// Palette 0: whole, where the tiles of one kind of word are begun and those of another used.
static _Thread_local amx_config_t amx_shapes;

static inline void amx_begin_shaped(const amx_config_t *config)
{
    memset(amx_tiles, 0, sizeof amx_tiles);
    amx_shapes = *config;
}

static inline void amx_end(void)
{
    memset(amx_tiles, 0xFF, sizeof amx_tiles); // nothing may be left to use
}

static inline void amx_load(int tile, const void *rows, size_t row_bytes)
{
    const amx_config_t shapes = amx_shapes.palette ? amx_shapes : amx_whole_tiles();
    memset(amx_tiles[tile], 0, sizeof amx_tiles[tile]);
    for (size_t r = 0; r < shapes.nrows[tile]; ++r)
        memcpy(amx_tiles[tile][r], (const char *)rows + r * row_bytes, shapes.row_bytes[tile]);
}

static inline void amx_store(int tile, void *rows, size_t row_bytes)
{
    for (size_t r = 0; r < AMX_ROWS; ++r)
        memcpy((char *)rows + r * row_bytes, amx_tiles[tile][r], sizeof amx_tiles[tile][r]);
}

static inline float amx_flushed(float x)
{
    return fabsf(x) < 0x1p-126F ? copysignf(0.F, x) : x;
}

static inline float amx_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return amx_flushed(x);
}

/// Fused, as the instruction is: a product below 2^-126 may still count.
static inline float amx_multiply_add(uint32_t a, uint32_t b, float sum)
{
    return amx_flushed(fmaf(amx_float(a), amx_float(b), sum));
}

/// Products of the low halves of words add up in one sum, those of the high halves in another.
static inline void amx_multiply_bf16(int to, int a, int b)
{
    for (int m = 0; m < AMX_ROWS; ++m) {
        for (int n = 0; n < AMX_WORDS; ++n) {
            float low = 0.F, high = 0.F;
            for (int k = 0; k < AMX_WORDS; ++k) {
                const uint32_t x = amx_tiles[a][m][k], y = amx_tiles[b][k][n];
                low = amx_multiply_add(x << 16, y << 16, low);
                high = amx_multiply_add(x & 0xFFFF0000U, y & 0xFFFF0000U, high);
            }
            const float old = amx_float(amx_tiles[to][m][n]);
            const float sum = amx_flushed(old + amx_flushed(low + high));
            memcpy(&amx_tiles[to][m][n], &sum, sizeof sum);
        }
    }
}

/// Bytes of a, whose sign bit is `sign` (0: they have none), signed ones of b; sums wrap around.
static inline void amx_multiply_bytes(int to, int a, int b, uint32_t sign)
{
    for (int m = 0; m < AMX_ROWS; ++m) {
        for (int n = 0; n < AMX_WORDS; ++n) {
            for (int k = 0; k < AMX_WORDS; ++k) {
                for (int e = 0; e < 32; e += 8) {
                    const uint32_t x = amx_tiles[a][m][k] >> e & 0xFFU;
                    const uint32_t y = amx_tiles[b][k][n] >> e & 0xFFU;
                    amx_tiles[to][m][n] += ((x ^ sign) - sign) * ((y ^ 0x80U) - 0x80U);
                }
            }
        }
    }
}

#define AMX_ZERO(tile) memset(amx_tiles[tile], 0, sizeof amx_tiles[tile])
#define AMX_LOAD(tile, rows, row_bytes) amx_load(tile, rows, row_bytes)
#define AMX_STORE(tile, rows, row_bytes) amx_store(tile, rows, row_bytes)
#define AMX_MULTIPLY_BF16(to, a, b) amx_multiply_bf16(to, a, b)
#define AMX_MULTIPLY_BYTES(to, a, b) amx_multiply_bytes(to, a, b, 0)
#define AMX_MULTIPLY_SIGNED(to, a, b) amx_multiply_bytes(to, a, b, 0x80U)

#else

/// Without tiles a switch of threads saves less, and the core may sleep deeper.
X64_INLINE void amx_end(void)
{
    _tile_release();
}

/// GCC's loads do not say how much memory they read: what was stored before must be there.
X64_INLINE const void *amx_written(const void *rows)
{
    __asm__ volatile("" : : "r"(rows) : "memory");
    return rows;
}

X64_INLINE void amx_begin_shaped(const amx_config_t *config)
{
    _tile_loadconfig(amx_written(config));
}

#define AMX_ZERO(tile) _tile_zero(tile)
#define AMX_LOAD(tile, rows, row_bytes) _tile_loadd(tile, amx_written(rows), row_bytes)
#define AMX_STORE(tile, rows, row_bytes) _tile_stored(tile, rows, row_bytes)
#define AMX_MULTIPLY_BF16(to, a, b) _tile_dpbf16ps(to, a, b)
#define AMX_MULTIPLY_BYTES(to, a, b) _tile_dpbusd(to, a, b)
#define AMX_MULTIPLY_SIGNED(to, a, b) _tile_dpbssd(to, a, b)
#endif

/// The calling thread's tiles, eight whole ones.
X64_INLINE void amx_begin(void)
{
    const amx_config_t config = amx_whole_tiles();
    amx_begin_shaped(&config);
}

#endif
