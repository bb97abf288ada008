// SPDX-License-Identifier: Apache-2.0
// Problem descriptors of both families, their parsing, the inference of spatial sizes, printing.
#ifndef BENCH_PROBLEM_H
#define BENCH_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#include <prim/prim.h>

#include "bench_option.h"

/// Spatial triples are in the order depth, height, width.
enum { AXIS_D, AXIS_H, AXIS_W, BENCH_NSPATIAL };

/// What a descriptor says. Both families share the type; unused parts are 0.
typedef struct {
    int ndims; ///< of the source: 2 + spatial dims for fields, the common rank for dims

    // Family of fields. Absent spatial dims are 1 (padding and dilation 0) after completion.
    int64_t mb, g, ic, oc;
    bool has_groups; ///< g was given, be it 1
    int64_t in[BENCH_NSPATIAL], out[BENCH_NSPATIAL], kernel[BENCH_NSPATIAL];
    int64_t stride[BENCH_NSPATIAL];
    int64_t pad[BENCH_NSPATIAL];      ///< in front; negative in the text's absence
    int64_t pad_back[BENCH_NSPATIAL]; ///< behind; derived
    int64_t dilation[BENCH_NSPATIAL]; ///< 0 is dense
    double eps;
    int64_t local_size; ///< lrn: of the window, and its parameters
    double alpha, beta, k;

    // Family of dims. Tensors of lower rank are padded on the right with 1.
    int ntensors;
    prim_dims_t dims[BENCH_MAX_TUPLE];
    prim_dims_t dst_dims; ///< element-wise maximum (0 wins)

    const char *name; ///< with its quotes, "" when there is none; of bench_intern()
} problem_t;

/// One letter group of a field descriptor.
typedef struct {
    const char *name; ///< "ic"; NULL ends the table
    size_t offset;    ///< of the int64_t (the double if is_float) in problem_t
    double fallback;
    bool is_float;
} field_t;

// Building stones of field tables; N is a literal such as "ih".
#define FIELD(N, member, fallback)                      \
    {                                                   \
        N, offsetof(problem_t, member), fallback, false \
    }
#define FIELD_TRIPLE(d, h, w, member, fallback)                             \
    FIELD(d, member[AXIS_D], fallback), FIELD(h, member[AXIS_H], fallback), \
            FIELD(w, member[AXIS_W], fallback)

/// Keeps a sentence about a bad command line and returns false; the run ends with exit code 1.
bool problem_error(const char *format, ...);

/// Completes i/o/k/s/p/d per letter by the formulas of convolution and pooling, fixes the rank from
/// the output side, copies cube and square shorthand, fills unused dims with 1. `name_of_op` is for
/// the message.
bool problem_complete_windows(problem_t *problem, const char *name_of_op);
/// The same for deconvolution, where input and output change parts.
bool problem_complete_transposed_windows(problem_t *problem, const char *name_of_op);
/// The same for descriptors with input sizes alone (ip, bnorm); no spatial dims at all is legal.
bool problem_complete_input(problem_t *problem);
/// The same for descriptors with input and output sizes (resampling); both or none per letter.
bool problem_complete_resize(problem_t *problem);

/// Appends " mb2ic3…"-like text (no blanks): `mb` and others only when not default, spatial groups
/// in the shortest form, everything if `canonical`. Works on any field table.
void problem_print_fields(
        text_t *out, const field_t *fields, const problem_t *problem, bool canonical);

/// Number of spatial dims, ndims - 2.
int problem_nspatial(const problem_t *problem);
/// Copies the last nspatial of a triple into `dims` (for the creators of primitive descriptors).
void problem_spatial(
        const problem_t *problem, const int64_t triple[BENCH_NSPATIAL], prim_dim_t *dims);
/// dims = [first, second, the spatial part of triple]; returns the rank.
int problem_tensor_dims(const problem_t *problem, int64_t first, int64_t second,
        const int64_t triple[BENCH_NSPATIAL], prim_dims_t dims);

#endif
