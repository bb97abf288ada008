// SPDX-License-Identifier: Apache-2.0
// The drivers benchdnn knows, in the order of --help: one declaration and one entry each.
#include "core/driver.h"

extern const driver_t bench_binary_driver;
extern const driver_t bench_bnorm_driver;
extern const driver_t bench_concat_driver;
extern const driver_t bench_conv_driver;
extern const driver_t bench_eltwise_driver;
extern const driver_t bench_ip_driver;
extern const driver_t bench_lnorm_driver;
extern const driver_t bench_matmul_driver;
extern const driver_t bench_pool_driver;
extern const driver_t bench_prelu_driver;
extern const driver_t bench_reorder_driver;
extern const driver_t bench_resampling_driver;
extern const driver_t bench_softmax_driver;
extern const driver_t bench_sum_driver;

const driver_t *const bench_drivers[] = {
        &bench_binary_driver,
        &bench_bnorm_driver,
        &bench_concat_driver,
        &bench_conv_driver,
        &bench_eltwise_driver,
        &bench_ip_driver,
        &bench_lnorm_driver,
        &bench_matmul_driver,
        &bench_pool_driver,
        &bench_prelu_driver,
        &bench_reorder_driver,
        &bench_resampling_driver,
        &bench_softmax_driver,
        &bench_sum_driver,
        NULL,
};
