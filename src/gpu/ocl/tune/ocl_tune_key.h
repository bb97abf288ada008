// SPDX-License-Identifier: Apache-2.0
// What tuning results are for, as text: the device, and the problem's bucket of sizes.
#ifndef PRIM_OCL_TUNE_KEY_H
#define PRIM_OCL_TUNE_KEY_H

#include "common/impl.h"
#include "gpu/ocl/device/ocl_device.h"

enum { OCL_TUNE_BUCKET_BYTES = 640, OCL_TUNE_DEVICE_BYTES = 768 };

/// "src:f16:ab:1024x512 wei:f16:ab:512x1024 dst:f16:ab:1024x1024": the problem after init_pd has
/// fixed its layouts; attributes that add to the end of a kernel do not count. Sizes beyond 16 are
/// rounded up to 8 steps an octave, so near sizes share a result. `text` holds
/// OCL_TUNE_BUCKET_BYTES.
void prim__ocl_tune_bucket(char *text, const prim_desc_t *pd);
/// 1..16, then 18, 20, … 32, 36, 40, …
prim_dim_t prim__ocl_tune_round(prim_dim_t size);

/// "NVIDIA H200; NVIDIA Corporation; driver 570.86.15; OpenCL 3.0 CUDA; prim 0.1.0", one line.
/// `text` holds OCL_TUNE_DEVICE_BYTES.
void prim__ocl_tune_device(char *text, const ocl_device_t *device);
/// "NVIDIA_H200-0123456789abcdef.tune": the file that holds the results of `device_text`. `name`
/// holds OCL_TUNE_FILE_BYTES.
enum { OCL_TUNE_FILE_BYTES = 96 };
void prim__ocl_tune_file_name(char *name, const char *device_text);

#endif
