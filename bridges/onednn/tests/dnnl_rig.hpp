// SPDX-License-Identifier: Apache-2.0
// What the C++ programs share: an engine with a stream, tensors of f32 filled with reproducible
// values, comparison.
#ifndef PRIM_BRIDGES_ONEDNN_TESTS_DNNL_RIG_HPP
#define PRIM_BRIDGES_ONEDNN_TESTS_DNNL_RIG_HPP

#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using dims = dnnl::memory::dims;
using values = std::vector<float>;
using args = std::unordered_map<int, dnnl::memory>;
using tag = dnnl::memory::format_tag;
using type = dnnl::memory::data_type;

extern int failures;

#define EXPECT(condition)                                                        \
    do {                                                                         \
        if (!(condition)) {                                                      \
            ++failures;                                                          \
            std::printf("%s:%d: %s is false\n", __FILE__, __LINE__, #condition); \
        }                                                                        \
    } while (0)

/// Whether `action` throws dnnl::error with that status.
bool throws(dnnl_status_t status, const std::function<void()> &action);

/// Elements agree within `tolerance`, relative to the largest of `wanted` or to 1; says where they
/// do not.
bool agree(const values &has, const values &wanted, double tolerance);

struct rig {
    explicit rig(dnnl::engine::kind kind)
        : engine(kind, 0), stream(engine), name(kind == dnnl::engine::kind::cpu ? "cpu" : "gpu")
    {
    }

    dnnl::memory::desc md(const dims &shape, tag layout) const
    {
        return {shape, type::f32, layout};
    }
    /// Row-major layout by rank.
    static tag plain(const dims &shape);
    dnnl::memory::desc md(const dims &shape) const
    {
        return md(shape, plain(shape));
    }

    dnnl::memory make(const dnnl::memory::desc &md) const
    {
        return {md, engine};
    }
    /// Row-major, with values.
    dnnl::memory make(const dims &shape, const values &from) const;
    /// Values of (−1, 1), none of them near 0 or equal to another, from `seed`.
    static values some(const dims &shape, unsigned seed);
    dnnl::memory some_memory(const dims &shape, unsigned seed) const
    {
        return make(shape, some(shape, seed));
    }

    void write(const dnnl::memory &to, const values &from) const;
    values read(const dnnl::memory &from) const;
    void run(const dnnl::primitive &what, const args &with) const;

    /// Whether the gradient of Σ dy·f(x) by `x`, which is one of the forward pass's arguments, is
    /// `has`: by central differences of the forward pass itself, whose result is in `dst`.
    bool is_gradient(const values &has, const dnnl::primitive &forward, const args &with,
            const dnnl::memory &x, const dnnl::memory &dst, const values &dy) const;

    dnnl::engine engine;
    dnnl::stream stream;
    const char *name;
};

/// Runs `test` on the CPU engine and on the first OpenCL device; the exit status of the program.
int run_on_engines(const char *what, const std::function<void(const rig &)> &test);

#endif
