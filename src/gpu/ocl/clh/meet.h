// SPDX-License-Identifier: Apache-2.0
// Groups of one kernel that share a row: each loads its piece and keeps it, tells the others what they
// need of it, waits for theirs and finishes the piece, so that memory is read once. OpenCL promises
// no group that others run beside it: who has waited for `npolls` looks does without the others and
// computes what was not told, from src, the same way.
//
//     tell(own):           load the piece, compute its results, item 0: meet_tell…()
//     if (!hear()):        the first MEET_STEP items: meet_await…() of all pieces, combine, meet_all()
//         for turn = 0, 1, … pieces:                   all pieces, and the own one again
//             at = turn < pieces ? turn : own
//             if (meet_misses(words of `at`, …, turn == pieces, …))
//                 tell(at), item 0 only if meet_may_tell()
//         hear()
//     finish the own piece
//
// Nobody waits for ever, and the result has the same bits whoever computed what: a word has one value,
// which depends on the piece alone. dst may be src: a group stores into its piece after it saw that its
// words were told. So what another one read of the piece is untouched if the words are not told
// after that (meet_may_tell() looks again); else it is dropped for the words.
//
//   words   __global uint each, 0 before the kernel: not told. Those of a piece that are told together
//           are aligned to their number.
// One warp of a group looks at all words of a row at once; more that look, or a counter that all groups
// raise, cost up to a tenth of the time. Results are combined in a fixed order: an item takes those from
// MEET_FIRST on in steps of MEET_STEP, and meet_sum() and meet_max() give what they make together.
// Before that, meet_group_sum() and meet_group_max() are those of the group's n items.
// -D: LANE_SHUFFLE, see clh/lanes.h. MEET: 1 where groups are known to wait for each other
// (OCL_FEATURE_GROUP_WAIT), 0: atomics of OpenCL C 1.2, for devices that order their memory by themselves (processors).
#ifndef CLH_MEET_H
#define CLH_MEET_H

#if !defined(MEET) || !defined(LANE_SHUFFLE)
#error "clh/meet.h needs MEET, LANE_SHUFFLE"
#endif

#include "clh/lanes.h"

#if MEET

// PTX ISA, memory consistency model: relaxed accesses are seen by all, whole or not at all for each
// word, and need no order among each other.
static inline void meet_put(__global uint *p, uint x)
{
    __asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"(p), "r"(x) : "memory");
}

static inline void meet_put2(__global uint *p, uint2 x)
{
    __asm volatile("st.relaxed.gpu.global.v2.u32 [%0], {%1, %2};"
                   :
                   : "l"(p), "r"(x.s0), "r"(x.s1)
                   : "memory");
}

static inline uint meet_get(__global uint *p)
{
    uint x;
    __asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
    return x;
}

static inline uint2 meet_get2(__global uint *p)
{
    uint2 x;
    __asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];"
                   : "=r"(x.s0), "=r"(x.s1)
                   : "l"(p)
                   : "memory");
    return x;
}

static inline void meet_fence(void)
{
    __asm volatile("fence.acq_rel.gpu;" : : : "memory");
}

#else

static inline void meet_put(volatile __global uint *p, uint x)
{
    (void)atomic_xchg(p, x);
}

static inline void meet_put2(volatile __global uint *p, uint2 x)
{
    meet_put(p, x.s0);
    meet_put(p + 1, x.s1);
}

static inline uint meet_get(volatile __global uint *p)
{
    return atomic_add(p, 0u);
}

static inline uint2 meet_get2(volatile __global uint *p)
{
    return (uint2)(meet_get(p), meet_get(p + 1));
}

static inline void meet_fence(void)
{
    mem_fence(CLK_GLOBAL_MEM_FENCE);
}

#endif

#if LANE_SHUFFLE
#define MEET_FIRST ((int)get_local_id(0) % LANES)
#define MEET_STEP LANES
#define meet_sum(x) lanes_sum_few(x, LANES)
#define meet_max(x) lanes_max_few(x, LANES)

static inline bool meet_all(bool x)
{
    uint y;
    __asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0;\n"
                   "vote.sync.all.pred p, p, 0xffffffff; selp.u32 %0, 1, 0, p; }"
                   : "=r"(y)
                   : "r"((uint)x));
    return y != 0u;
}
#else
#define MEET_FIRST 0
#define MEET_STEP 1
#define meet_sum(x) (x)
#define meet_max(x) (x)
#define meet_all(x) (x)
#endif

// `scratch`: n entries.
static inline float meet_group_sum(float x, __local float *scratch, const int n)
{
#if LANE_SHUFFLE
    return lanes_sum(x, scratch, n);
#else
    // Few items, which follow each other: a tree of barriers would take a while to compile.
    scratch[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int i = 0; i < n; ++i) sum += scratch[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
#endif
}

// Two sums at once. Another barrier must come before `scratch` is used again.
static inline float2 meet_group_sums(float2 x, __local float *scratch, const int n)
{
#if LANE_SHUFFLE
    const int id = (int)get_local_id(0), nwarps = n / LANES;
    x = (float2)(lanes_sum_few(x.s0, LANES), lanes_sum_few(x.s1, LANES));
    if (id % LANES == 0) {
        scratch[id / LANES] = x.s0;
        scratch[nwarps + id / LANES] = x.s1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int warp = id & (nwarps - 1);
    x = (float2)(scratch[warp], scratch[nwarps + warp]);
    return (float2)(lanes_sum_few(x.s0, nwarps), lanes_sum_few(x.s1, nwarps));
#else
    x.s0 = meet_group_sum(x.s0, scratch, n);
    x.s1 = meet_group_sum(x.s1, scratch, n);
    return x;
#endif
}

// A NaN anywhere makes the result NaN.
static inline float meet_group_max(float x, __local float *scratch, const int n)
{
#if LANE_SHUFFLE
    return lanes_max(x, scratch, n);
#else
    scratch[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    float top = scratch[0];
    for (int i = 1; i < n; ++i) top = max_or_nan(top, scratch[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    return top;
#endif
}

// A word is a number's complement; the one whose complement is 0 is a NaN, and there are others.
static inline uint meet_word(float x)
{
    return ~(isnan(x) ? 0x7fc00000u : as_uint(x));
}

static inline void meet_tell(__global uint *word, float x)
{
    meet_put(word, meet_word(x));
}

static inline void meet_tell2(__global uint *words, float x, float y)
{
    meet_put2(words, (uint2)(meet_word(x), meet_word(y)));
}

// Whether the words are told before *npolls looks are over; then they are in *x.
static inline bool meet_await(float *x, __global uint *word, int *npolls)
{
    uint seen = meet_get(word);
    for (; seen == 0u && *npolls > 0; --*npolls) seen = meet_get(word);
    *x = as_float(~seen);
    return seen != 0u;
}

static inline bool meet_await2(float2 *x, __global uint *words, int *npolls)
{
    uint2 seen = meet_get2(words);
    for (; (seen.s0 == 0u || seen.s1 == 0u) && *npolls > 0; --*npolls) seen = meet_get2(words);
    *x = as_float2(~seen);
    return seen.s0 != 0u && seen.s1 != 0u;
}

static inline bool meet_is_told(__global uint *words, int nwords)
{
    bool is_told = true;
    for (int i = 0; i < nwords; ++i) is_told = is_told && meet_get(words + i) != 0u;
    return is_told;
}

// By all items: whether a word is not told, or `is_last`. Local memory may be used again.
static inline bool meet_misses(__global uint *words, int nwords, bool is_last, __local int *shared)
{
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) *shared = is_last || !meet_is_told(words, nwords);
    barrier(CLK_LOCAL_MEM_FENCE);
    return *shared;
}

// By item 0 for a group that may be on its way, after all items have read the piece: whether to tell.
static inline bool meet_may_tell(__global uint *words, int nwords)
{
    meet_fence();
    return !meet_is_told(words, nwords);
}

#endif
