// SPDX-License-Identifier: Apache-2.0
// Times BLAS on benchdnn's two-dimensional f32 products, alpha 1 and beta 0:
//     benchdnn --mode=L --canonical=true --matmul --batch=shapes_2d | peer_blas openblas|clblast [max ms]
// CLBlast runs on the device that PRIM_OCL_DEVICE counts to over all platforms (0, the first, without).
#include <CL/cl.h>
#include <cblas.h>
#include <clblast_c.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "peer_cases.hpp"

struct product {
    size_t m, n, k;
    bool is_src_transposed, is_wei_transposed;
    double ops() const { return 2. * double(m) * double(n) * double(k); }
};

static product product_of(const peer::problem &p)
{
    const auto t = p.tensors();
    if (p.driver != "matmul" || t[0].size() != 2 || p.member("dt") != "f32")
        throw std::invalid_argument("not a 2-D product in f32");
    return {size_t(t[0][0]), size_t(t[1][1]), size_t(t[0][1]), p.options.at("stag") == "ba",
            p.options.at("wtag") == "ba"};
}

static void time_openblas(const peer::problem &p, double budget_ms)
{
    const product x = product_of(p);
    std::vector<float> a(x.m * x.k), b(x.k * x.n), c(x.m * x.n);
    peer::fill(a.data(), a.size());
    peer::fill(b.data(), b.size());
    peer::time_and_report(p, "cpu", "openblas:sgemm", x.ops(), budget_ms, [&] {
        cblas_sgemm(CblasRowMajor, x.is_src_transposed ? CblasTrans : CblasNoTrans,
                x.is_wei_transposed ? CblasTrans : CblasNoTrans, int(x.m), int(x.n), int(x.k), 1.f,
                a.data(), int(x.is_src_transposed ? x.m : x.k), b.data(),
                int(x.is_wei_transposed ? x.k : x.n), 0.f, c.data(), int(x.n));
    });
}

static void check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) throw std::runtime_error(what + std::string(" gives ") + std::to_string(status));
}

/// A device's context and queue.
struct device {
    cl_context context;
    cl_command_queue queue;

    device()
    {
        const char *const wanted = std::getenv("PRIM_OCL_DEVICE");
        cl_uint index = wanted ? cl_uint(std::atoi(wanted)) : 0, nplatforms = 0;
        cl_platform_id platforms[16];
        check(clGetPlatformIDs(16, platforms, &nplatforms), "clGetPlatformIDs");
        for (cl_uint i = 0; i < nplatforms; ++i) {
            cl_device_id ids[16];
            cl_uint count = 0;
            if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 16, ids, &count) != CL_SUCCESS) continue;
            if (index >= count) {
                index -= count;
                continue;
            }
            cl_int status;
            context = clCreateContext(nullptr, 1, &ids[index], nullptr, nullptr, &status);
            check(status, "clCreateContext");
            // The call of OpenCL 1.2, which every device has.
            queue = clCreateCommandQueue(context, ids[index], 0, &status);
            check(status, "clCreateCommandQueue");
            return;
        }
        throw std::runtime_error("no such OpenCL device");
    }
};

static cl_mem buffer(const device &d, size_t count)
{
    std::vector<float> values(count);
    peer::fill(values.data(), count);
    cl_int status;
    const cl_mem memory = clCreateBuffer(d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
            count * sizeof(float), values.data(), &status);
    check(status, "clCreateBuffer");
    return memory;
}

static void time_clblast(const peer::problem &p, double budget_ms)
{
    static device d;
    const product x = product_of(p);
    const cl_mem a = buffer(d, x.m * x.k), b = buffer(d, x.k * x.n), c = buffer(d, x.m * x.n);
    const int batch = 8; // enqueued without a wait, as benchdnn does
    peer::time_and_report(p, "gpu", "clblast:sgemm", x.ops(), budget_ms, [&] {
        for (int i = 0; i < batch; ++i)
            check(CLBlastSgemm(CLBlastLayoutRowMajor,
                          x.is_src_transposed ? CLBlastTransposeYes : CLBlastTransposeNo,
                          x.is_wei_transposed ? CLBlastTransposeYes : CLBlastTransposeNo, x.m, x.n, x.k,
                          1.f, a, 0, x.is_src_transposed ? x.m : x.k, b, 0,
                          x.is_wei_transposed ? x.k : x.n, 0.f, c, 0, x.n, &d.queue, nullptr),
                    "CLBlastSgemm");
        check(clFinish(d.queue), "clFinish");
    }, batch);
    for (const cl_mem memory : {a, b, c}) clReleaseMemObject(memory);
}

int main(int argc, char **argv)
{
    const bool is_clblast = argc > 1 && !std::strcmp(argv[1], "clblast");
    if (argc < 2 || (!is_clblast && std::strcmp(argv[1], "openblas") != 0)) {
        std::cerr << "usage: peer_blas openblas|clblast [max ms] < problems\n";
        return 2;
    }
    const double budget_ms = argc > 2 ? std::atof(argv[2]) : 300.;
    peer::for_each("peer_blas",
            [&](const peer::problem &p) { (is_clblast ? time_clblast : time_openblas)(p, budget_ms); });
    return 0;
}
