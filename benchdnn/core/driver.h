// SPDX-License-Identifier: Apache-2.0
// The interface of a benchdnn driver: what an operation tells the core, as data where it can be,
// and the helpers the core offers in return. A driver is one file, drivers/<op>_driver.c.
#ifndef BENCH_DRIVER_H
#define BENCH_DRIVER_H

#include <prim/prim.h>

#include "bench_attr.h"
#include "bench_compare.h"
#include "bench_data.h"
#include "bench_fill.h"
#include "bench_numeric.h"
#include "bench_option.h"
#include "bench_problem.h"

// Life of one case. The core
//   1. parses options (`options`) and the descriptor (`fields` or `min_tensors`…) and calls
//      `complete`, then for every combination of the option lists in the documented order:
//   2. calls `verify` (a bad command line ends the run) and `skip` (SKIPPED, with its reason),
//   3. calls `create_desc`; walks implementations for --impl / --skip-impl; creates the primitive,
//   4. calls `list_args`, takes each argument's layout from the primitive descriptor, adds the
//      arguments of the attributes, allocates memories with guard bands, poisons them,
//   5. calls `fill` for every input, rounds the values to the argument's type, writes them to the
//      device in the layout of its descriptor (the core's own conversion, not the library's),
//   6. executes, checks guards and the zero padding of every blocked argument,
//   7. calls `reference`, then `set_compare` for every output, and compares.
// Hooks are called from one thread, in that order; those marked optional may be NULL. Nothing a
// hook receives may be kept after it returns.

/// Why a case is not run; the words of the status line.
typedef enum {
    SKIP_NONE = 0,
    SKIP_CASE_NOT_SUPPORTED,      ///< a gap of the library that is known and accepted
    SKIP_DATA_TYPE_NOT_SUPPORTED, ///< the device lacks the type
    SKIP_INVALID_CASE,            ///< the combination of options makes no sense
} skip_reason_t;

/// Returns the reason; prints the sentence why at verbosity 2.
skip_reason_t skip_because(skip_reason_t reason, const char *why);
/// Gradients are of reals, without attributes.
skip_reason_t skip_gradient(const prb_t *prb, bool has_integer);

/// Which of the two descriptor grammars a driver speaks.
typedef enum {
    FAMILY_FIELDS, ///< ic3ih7oc8kh3
    FAMILY_DIMS,   ///< 2x3x4:1x3x1
} desc_family_t;

typedef enum { ARG_IN, ARG_OUT } arg_role_t;

/// One execution argument.
typedef struct arg {
    int id; ///< PRIM_ARG_…
    arg_role_t role;
    data_kind_t kind;
    /// The descriptor of the memory the primitive gets. Taken from the primitive descriptor; a
    /// driver with run-time dimensions sets it in `list_args` (ndims != 0 means: set).
    prim_memory_desc_t md;
    /// Values, dense row-major over the logical dims. Of an input: what the device holds, exactly.
    /// Of an output: where `reference` writes what is expected, neither rounded nor saturated.
    double *data;
    /// An output that the sum post-op or in-place execution reads first: its values before
    /// execution as the sum sees them. NULL otherwise.
    const double *old;
    /// Of an output: how far from `data` the promised arithmetic may end, element by element
    /// (args_slack()). NULL: nowhere else.
    double *slack;
    int64_t nelems;
    /// The memory lives on the CPU engine although the GPU is tested (one side of a reorder).
    bool on_cpu;
    /// Shares its memory with this output argument (PRIM_ARG_DST of an in-place case); 0: none.
    int inplace_with;
    /// The driver's own `fill` is used in performance and bitwise mode too, where the core
    /// otherwise puts random reals: for indices, variances and other data with a meaning.
    bool keeps_fill;
    struct arg_memory *memory; ///< the core's
} arg_t;

/// All arguments of a case.
typedef struct args args_t;

/// The types around a fused depthwise step: what it reads, its weights, its bias (undef: none).
typedef struct {
    prim_data_type_t src, wei, bia;
} depthwise_types_t;

/// One entry of the table of drivers; a const object.
typedef struct driver {
    const char *name; ///< "softmax", as in --softmax and inputs/softmax/
    prim_primitive_kind_t primitive_kind;
    desc_family_t family;

    /// The driver's own options in the nesting order of the product, outermost first; this is the
    /// order in the repro line too. Ends with an entry without a name.
    const option_t *options;
    /// FAMILY_FIELDS: the letters of the descriptor; ends with an entry without a name.
    const field_t *fields;
    /// The backward directions that the operation has, an OR of DIRECTION_BIT; others are SKIPPED.
    unsigned backward;
    /// FAMILY_DIMS: how many tensors the descriptor may have.
    int min_tensors, max_tensors;
    /// The driver's columns in --perf-template=csv, e.g. "%dir%,%sdt%,%tag%,%alg%".
    const char *csv_columns;

    /// Infers what the descriptor leaves out and checks it. Returns false after problem_error().
    /// Optional for FAMILY_DIMS.
    bool (*complete)(problem_t *problem);
    /// Appends the shortest descriptor (the full one if `canonical`) without the name. Optional:
    /// the core prints dims, and fields by problem_print_fields().
    void (*print_problem)(text_t *out, const problem_t *problem, bool canonical);
    /// Options that contradict each other or the descriptor: false after problem_error(). Optional.
    bool (*verify)(const prb_t *prb);
    /// Known reasons not to run. The core has handled shared ones before (backward directions,
    /// dropout and rounding attributes, f64 on a GPU without it). Optional.
    skip_reason_t (*skip)(const prb_t *prb);
    /// Writes the dims of DST, which the operands of post-ops follow; returns the rank. Optional
    /// for FAMILY_DIMS: problem->dst_dims.
    int (*dst_dims)(const prb_t *prb, prim_dims_t dims);
    /// The mask of an attribute policy for an argument (PRIM_ARG_DST for post-op operands), -1 when
    /// the policy is not allowed there. Optional: attr_default_mask().
    int (*policy_mask)(const prb_t *prb, int arg, attr_policy_t policy, bool has_groups);

    /// The types of the tensors of a fused depthwise step. Optional: the operation takes none.
    depthwise_types_t (*depthwise_types)(const prb_t *prb);

    /// Creates the primitive descriptor. Descriptors of tensors come from bench_md().
    prim_status_t (*create_desc)(
            prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr);
    /// Of drivers that sum up products; NULL for all others. For drivers/product.h alone.
    const struct product_driver *product;
    /// Of drivers of normalisations that share what they do with a case; for drivers/norm_case.h.
    const struct norm_driver *norm;
    /// The classes of values with a meaning for the case (an OR of DATA_BIT); --data= with another
    /// one is SKIPPED. With CLASS_MIXED among them, that is what the case gets unless another is
    /// asked for. Optional: small.
    unsigned (*data_classes)(const prb_t *prb);
    /// Calls args_add() for every tensor of the operation, attributes apart. A tensor that the
    /// primitive descriptor does not have (no bias, no workspace) is left out by the core.
    void (*list_args)(const prb_t *prb, args_t *args);
    /// Fills arg->data with values of the argument's type (see bench_fill.h). Also called for an
    /// output whose old contents are read (sum post-op), with kind DATA_DST.
    void (*fill)(const prb_t *prb, const args_t *args, arg_t *arg);
    /// Computes every output's data from the inputs' data. Inputs come from args_data() or, with
    /// scales and zero points applied, from args_dequantized(); outputs go through ref_finish().
    void (*reference)(const prb_t *prb, args_t *args);
    /// Changes the policy for one output; *compare holds the defaults. Optional.
    void (*set_compare)(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare);
    /// Floating-point operations of the case for %ops% and %flops%. Optional: 0.
    double (*ops)(const prb_t *prb);
} driver_t;

/// NULL-terminated; in drivers/driver_list.c, the only place that names drivers.
extern const driver_t *const bench_drivers[];

/// One case: a problem and one value of each option.
struct prb {
    const driver_t *driver;
    const problem_t *problem; ///< with --mb applied
    const attr_spec_t *attr;
    /// By index in the driver's option table; read through the opt_… functions.
    const option_value_t *options[BENCH_MAX_OPTIONS];
    data_class_t data_class; ///< drawn or forced; never CLASS_AUTO
};

// ---- Options of a case; `index` is the option's place in the driver's table ------------------

direction_t opt_direction(const prb_t *prb, int index);
/// The type at `position` of the tuple; a tuple of one stands for every position.
prim_data_type_t opt_dt(const prb_t *prb, int index, int position);
/// The layout at `position` as written ("abx", "any"); a tuple of one stands for every position.
const char *opt_tag(const prb_t *prb, int index, int position);
/// The strides at `position` (see OPTION_STRIDES), or NULL when there are none.
const prim_dim_t *opt_strides(const prb_t *prb, int index, int position);
/// The value of a word (OPTION_WORD) or the letters of OPTION_FLAGS as an OR of values.
int opt_word(const prb_t *prb, int index);
/// The text of OPTION_TEXT; "" for the empty value.
const char *opt_text(const prb_t *prb, int index);
int64_t opt_int(const prb_t *prb, int index, int position);
double opt_float(const prb_t *prb, int index, int position);
bool opt_bool(const prb_t *prb, int index);
/// Number of members of the tuple as given.
int opt_count(const prb_t *prb, int index);

#define DIRECTION_BIT(direction) (1u << (direction))
bool direction_is_backward(direction_t direction);
/// PRIM_FORWARD_TRAINING, PRIM_FORWARD_INFERENCE, PRIM_BACKWARD_DATA, …
prim_prop_kind_t direction_prop(direction_t direction);
/// FWD_B and BWD_WB.
bool direction_has_bias(direction_t direction);

// ---- Tensor descriptors ----------------------------------------------------------------------

/// Builds a descriptor from any tag of the command line (nhwc, abx, abx-b, aBx16b, any, undef).
/// `undef` gives the absent tensor. A tag that does not fit the rank is PRIM_INVALID_ARGUMENTS.
prim_status_t bench_md(prim_memory_desc_t *md, int ndims, const prim_dim_t *dims,
        prim_data_type_t data_type, const char *tag);
/// The same, from `strides` unless that is NULL.
prim_status_t bench_md_strided(prim_memory_desc_t *md, int ndims, const prim_dim_t *dims,
        prim_data_type_t data_type, const char *tag, const prim_dim_t *strides);

/// `md`, or a row-major tensor of its shape if it is a broadcast: of an output beside such an
/// input.
prim_memory_desc_t bench_dense(const prim_memory_desc_t *md);

/// The CPU engine, for reorders between engines; the tested one when that is the CPU's. NULL when
/// it cannot be opened.
prim_engine_t *bench_cpu_engine(void);

// ---- Arguments -------------------------------------------------------------------------------

/// Appends an argument and returns it, for list_args to set further members.
arg_t *args_add(args_t *args, int id, arg_role_t role, data_kind_t kind);
/// The case the arguments belong to.
const prb_t *args_prb(const args_t *args);
/// The argument, or NULL when the case does not have it.
arg_t *args_find(const args_t *args, int id);
/// The values of an argument; NULL when it does not have it.
double *args_data(const args_t *args, int id);
/// (value − zero point)·scale for every element of an input, by the case's attributes; the plain
/// values when there are none. Computed once and kept. NULL when the argument is absent.
const double *args_dequantized(args_t *args, int id);
/// The value that --attr-scales / --attr-zero-points give to element `offset` (row-major over the
/// logical dims) of an argument; 1 and 0 without.
double args_scale(const args_t *args, int id, int64_t offset);
double args_zero_point(const args_t *args, int id, int64_t offset);

/// The last steps of one element of DST: post-ops in order, 1/scale, + zero point. `x` is the value
/// after scales of the inputs and bias, `offset` the row-major place in DST. Threads may call it at
/// the same time. Does not round to the destination's type; the comparison does.
double ref_finish(const args_t *args, double x, int64_t offset);
/// ref_finish for all elements of DST, in parallel, in place in its data; with slack where DST has
/// that.
void ref_finish_all(args_t *args);

/// The tensor that a fused depthwise step reads, for the reference to fill with the sums before the
/// chain and their slack; NULL: the chain has no such step.
arg_t *args_between(args_t *args);
/// Takes it through the steps before the depthwise one, and rounds it to its type.
void ref_finish_between(args_t *args);
/// Its zero point and scale, with which the depthwise convolution reads it; 0 and 1 without.
double args_between_point(const args_t *args, double *scale);

/// A value in exact arithmetic, and how far from it the promised arithmetic may end (0 or more).
typedef struct {
    double value, slack;
} bounded_t;

/// ref_finish with the error of every step: what came in, carried through the step, plus the
/// step's own roundings.
bounded_t ref_finish_bounded(const args_t *args, bounded_t x, int64_t offset);
/// Stores ref_finish_bounded() of one element of DST, whose slack must have been made.
void ref_store(args_t *args, bounded_t x, int64_t offset);
/// The slack of an output, made on the first call with zeros; the driver's reference fills it.
double *args_slack(args_t *args, int id);

/// Runs body(context, begin, end) over pieces of 0..n on all cores. `grain` is the least number of
/// items that are worth a thread of their own.
typedef void (*parallel_body_t)(void *context, int64_t begin, int64_t end);
void bench_parallel(int64_t n, int64_t grain, parallel_body_t body, void *context);

#endif
