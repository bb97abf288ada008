// SPDX-License-Identifier: Apache-2.0
// Typed builder of a program's -D options. The text is also the key of the program cache, so add
// options in a fixed order and nothing that the code does not need.
//
//     ocl_options_t options;
//     prim__ocl_options_init(&options);
//     prim__ocl_options_int(&options, "VECTOR", 4);
//     prim__ocl_options_type(&options, "SRC", PRIM_F16);
#ifndef PRIM_OCL_OPTIONS_H
#define PRIM_OCL_OPTIONS_H

#include "common/status.h"

/// On the stack. An overflow is remembered and fails the build.
typedef struct {
    size_t length;
    bool has_overflowed;
    bool has_bf16; ///< a type is bf16
    char text[4096];
} ocl_options_t;

/// Starts with "-cl-std=CL1.2".
void prim__ocl_options_init(ocl_options_t *options);
/// Starts with the standard of a device of OpenCL 2 or 3, for what 1.2 has no words for.
void prim__ocl_options_init_newer(ocl_options_t *options, int opencl_major);

/// -DNAME=value
void prim__ocl_options_int(ocl_options_t *options, const char *name, int64_t value);
/// -DNAME=as_float(0x…u): the same bits, NaN and infinities included. Not for #if.
void prim__ocl_options_float(ocl_options_t *options, const char *name, float value);
/// -DNAME=word: an identifier, such as the name of a function or a type.
void prim__ocl_options_word(ocl_options_t *options, const char *name, const char *word);

/// -DREGISTERS=most, and 0 but for compilers of the extension cl_nv_compiler_options, which keep to
/// it. They do not where the kernel has the attribute reqd_work_group_size.
void prim__ocl_options_registers(ocl_options_t *options, int most);

/// Has the compiler keep the kinds of parameters for clGetKernelArgInfo(). The code stays the same.
void prim__ocl_options_arg_info(ocl_options_t *options);

/// Everything a kernel needs to read and write tensors of one type (clh/io.h). For ("SRC",
/// PRIM_F16):
///   SRC_DT=1          the number of prim_data_type_t, DT_F16 in clh/types.h
///   SRC_T=f16_t       the storage type: f16_t and bf16_t are ushort, so that raw copies work
///   SRC_IS_INT=0      1 for s32, s8, u8
///   SRC_LOAD=load_f16           float  load(__global const SRC_T *p, long i)
///   SRC_STORE=store_f16         void   store(__global SRC_T *p, long i, float x)
///   SRC_LOAD4=load4_f16         float4 load4(p, i): elements i … i+3, any alignment; also 2, 8, 16
///   SRC_STORE4=store4_f16       void   store4(p, i, x); also 2, 8, 16
///   SRC_LOAD_INT=load_int_s8    int    load(p, i)             integer types only
///   SRC_STORE_INT=store_int_s8  void   store(p, i, long x), saturating; integer types only
///   SRC_SATURATE=convert_char_sat  SRC_T of an int or long     integer types only
/// `dt` must be supported, see prim__ocl_dt_is_supported().
void prim__ocl_options_type(ocl_options_t *options, const char *prefix, prim_data_type_t dt);

/// f32, f16, bf16, s32, s8, u8: what kernels read and write on every device.
bool prim__ocl_dt_is_supported(prim_data_type_t dt);

#endif
