// SPDX-License-Identifier: Apache-2.0
#include "dnnl_rig.hpp"

#include <algorithm>

int failures = 0;

bool throws(dnnl_status_t status, const std::function<void()> &action)
{
    try {
        action();
    } catch (const dnnl::error &error) {
        if (error.status == status) return true;
        std::printf("status %d instead of %d: %s\n", error.status, status, error.what());
        return false;
    }
    std::printf("no exception instead of status %d\n", status);
    return false;
}

bool agree(const values &has, const values &wanted, double tolerance)
{
    if (has.size() != wanted.size()) {
        std::printf("%zu values instead of %zu\n", has.size(), wanted.size());
        return false;
    }
    double largest = 1;
    for (const float value : wanted) largest = std::max(largest, std::fabs(double(value)));
    for (size_t i = 0; i < has.size(); ++i)
        if (!(std::fabs(double(has[i]) - double(wanted[i])) <= tolerance * largest)) {
            std::printf("element %zu is %g instead of %g\n", i, double(has[i]), double(wanted[i]));
            return false;
        }
    return !has.empty();
}

static size_t count(const dims &shape)
{
    size_t product = 1;
    for (const auto dim : shape) product *= size_t(dim);
    return product;
}

tag rig::plain(const dims &shape)
{
    static const tag tags[] = {tag::undef, tag::a, tag::ab, tag::abc, tag::abcd, tag::abcde};
    return tags[shape.size()];
}

values rig::some(const dims &shape, unsigned seed)
{
    values result(count(shape));
    for (size_t i = 0; i < result.size(); ++i) {
        seed = seed * 1664525u + 1013904223u;
        const float size = 0.1f + 0.9f * float(seed >> 8) / float(1 << 24);
        result[i] = (seed >> 7) & 1 ? size : -size;
    }
    return result;
}

dnnl::memory rig::make(const dims &shape, const values &from) const
{
    const dnnl::memory result(md(shape), engine);
    write(result, from);
    return result;
}

void rig::write(const dnnl::memory &to, const values &from) const
{
    float *const mapped = to.map_data<float>();
    std::memcpy(mapped, from.data(), from.size() * sizeof(float));
    to.unmap_data(mapped);
}

values rig::read(const dnnl::memory &from) const
{
    values result(from.get_desc().get_size() / sizeof(float));
    float *const mapped = from.map_data<float>();
    std::memcpy(result.data(), mapped, result.size() * sizeof(float));
    from.unmap_data(mapped);
    return result;
}

void rig::run(const dnnl::primitive &what, const args &with) const
{
    dnnl::stream queue = stream;
    what.execute(queue, with);
    queue.wait();
}

bool rig::is_gradient(const values &has, const dnnl::primitive &forward, const args &with,
        const dnnl::memory &x, const dnnl::memory &dst, const values &dy) const
{
    const float step = 1e-2f;
    const values start = read(x);
    values wanted(start.size());
    const auto loss = [&](size_t i, float delta) {
        values moved = start;
        moved[i] += delta;
        write(x, moved);
        run(forward, with);
        const values y = read(dst);
        double sum = 0;
        for (size_t k = 0; k < y.size(); ++k) sum += double(dy[k]) * double(y[k]);
        return sum;
    };
    for (size_t i = 0; i < start.size(); ++i)
        wanted[i] = float((loss(i, step) - loss(i, -step)) / (2 * double(step)));
    write(x, start);
    run(forward, with);
    return agree(has, wanted, 5e-3);
}

int run_on_engines(const char *what, const std::function<void(const rig &)> &test)
{
    for (const auto kind : {dnnl::engine::kind::cpu, dnnl::engine::kind::gpu}) {
        if (dnnl::engine::get_count(kind) == 0) {
            std::printf("SKIPPED 1 %s: there is no OpenCL device\n", what);
            continue;
        }
        const int before = failures;
        try {
            test(rig(kind));
        } catch (const dnnl::error &error) {
            ++failures;
            std::printf("status %d: %s\n", error.status, error.what());
        }
        std::printf("%s on %s: %s\n", what, kind == dnnl::engine::kind::cpu ? "cpu" : "gpu",
                failures == before ? "passed" : "FAILED");
    }
    return failures == 0 ? 0 : 1;
}
