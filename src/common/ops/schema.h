// SPDX-License-Identifier: Apache-2.0
// What an operation is, as data: one const table for each operation and direction (<op>_schema.c).
// Everything that differs from operation to operation and is not computation stands there.
//
// A schema has one rule for each tensor, in the order in which problems, log lines and executions
// list them, and one for each parameter. Who walks them:
//
//   creation   schema_create.c   presence, NULLs, layouts `any`, run-time dimensions, then `check`
//   attributes schema_attr.c     scales, zero points and their masks, post-ops
//   dispatch   dispatch.c        the lists of implementations
//   execution  exec_args.c       names of arguments, shapes that were open at creation
//   queries    desc_query.c      parameters and tensors
//   log        verbose.c         names, logged parameters; verbose_repro.c: the benchdnn command
//   tuning     ocl_tune_key.c    names, parameters that decide on the configuration
//
// A problem that is new to the tables, a backward pass say, is a new table; no walker changes.
#ifndef PRIM_COMMON_OPS_SCHEMA_H
#define PRIM_COMMON_OPS_SCHEMA_H

#include "common/impl.h"

/// Which pass of an operation a problem is; prop_kind chooses it.
typedef enum {
    FORWARD,          ///< also operations without passes: reorder, matmul
    BACKWARD,         ///< the gradient of the data, or of everything where one pass computes both
    BACKWARD_WEIGHTS, ///< the gradients of weights and bias alone
    NDIRECTIONS
} direction_t;

/// When a problem has the tensor. Every member that is set must hold; zeroes mean always.
typedef struct {
    unsigned any_flag;           ///< one of these flags (prim_normalization_flags_t) is set
    unsigned no_flag;            ///< none of these is set
    const prim_alg_kind_t *algs; ///< the algorithm is one of these; PRIM_ALG_UNDEF ends them
    prim_prop_kind_t prop_kind;  ///< forward training keeps a workspace, say
} presence_t;

/// Properties of a tensor; OR them together.
enum {
    TENSOR_INPUT = 1,
    TENSOR_OUTPUT = 2,
    TENSOR_OPTIONAL = 4,   ///< the caller may leave it out: it is absent then, or `derive` makes it
    TENSOR_MAY_BE_ANY = 8, ///< the implementation chooses the layout
    TENSOR_REPEATED = 16,  ///< stands for arg, arg + 1, …: as many as the caller gives
    TENSOR_ON_ITS_SIDE = 32, ///< may live on another engine than the rest (the sides of a reorder)
    TENSOR_OF_NESTED = 64,   ///< of problems that an implementation nests, of no public function
    TENSOR_IS_FIXED = 128,   ///< run-time dimensions are the caller's mistake, not what we lack
};

/// The arguments of a repeated input end where those of outputs begin.
enum { MAX_REPEATED = PRIM_ARG_MULTIPLE_DST - PRIM_ARG_MULTIPLE_SRC };

/// Who says what the tensor looks like.
typedef enum {
    MADE_BY_CALLER,
    MADE_LIKE_FIRST,        ///< equal to the first tensor of the schema
    MADE_PER_CHANNEL,       ///< f32, one value for each channel (dimension 1) of the first tensor
    MADE_BY_IMPLEMENTATION, ///< added in init_pd: a workspace
    MADE_BY_HINT,           ///< of a backward pass: its forward pass's tensor `hint`, a workspace
    MADE_BY_POST_OP,        ///< of a depthwise convolution in the chain: `fuse` says what it is
} maker_t;

/// Masks that scales or zero points of a tensor may have; OR them together. 0: it takes none.
enum {
    MASK_COMMON = 1,   ///< one value for all
    MASK_CHANNELS = 2, ///< dimension 1
    MASK_OUTPUTS = 4,  ///< output channels of weights: dimension 0; with groups dimensions 0 and 1
    MASK_ANY = 8,      ///< every set of the tensor's dimensions
    MASK_GROUPS = 16,  ///< blocks of the last two dimensions that divide them
};

/// One tensor of an operation.
typedef struct {
    int arg;              ///< PRIM_ARG_…; of a repeated one the first
    const char *name;     ///< in sentences: "weights"
    const char *log_name; ///< in log lines, tuning results, benchdnn's options: "wei"; NULL: name
    unsigned flags;       ///< TENSOR_…
    maker_t maker;
    presence_t when;
    int follows;    ///< the argument whose layout `any` takes if nobody chose one; 0: none
    int or_follows; ///< another one, where that is absent or has another shape; 0: none
    int hint;       ///< of a backward pass: the tensor of its forward pass with its shape; 0: none
    int in_place;   ///< of an output: the input whose memory it may have too; 0: none
    prim_query_t query; ///< PRIM_QUERY_SRC_MD …, and its index (of a repeated one the first)
    int query_index;
    prim_query_t engine_query;    ///< of a tensor on its side; PRIM_QUERY_UNDEF: none
    unsigned scales, zero_points; ///< MASK_…
} tensor_rule_t;

typedef enum {
    PARAM_INT,
    PARAM_INT64,
    PARAM_FLOAT,
    PARAM_FLAGS,
    PARAM_DIMS,
    PARAM_FLOATS
} param_type_t;

/// One parameter of an operation.
typedef struct {
    const char *name; ///< in log lines and sentences
    param_type_t type;
    size_t offset; ///< in op_desc_t
    prim_query_t query;
    bool is_logged;        ///< in the column of parameters
    const char *tune_name; ///< in the key of tuning results; NULL: configurations ignore it
} param_rule_t;

/// Types of the first two tensors that may be multiplied: sets of 1 << PRIM_F32 and so on.
typedef struct {
    unsigned src, wei;
    bool needs_fpmath; ///< only if the fpmath mode applies to integers
} product_types_t;

/// What a right result in f32 may differ from the truth: |error| ≤ absolute + relative·|result|
/// (doc/numerics.md).
typedef struct {
    prim_alg_kind_t alg; ///< PRIM_ALG_UNDEF: all others, which ends the table
    double relative, absolute;
} alg_error_t;

/// The most rules that a schema has.
enum { MAX_RULES = 16 };

typedef struct op_schema op_schema_t;

/// The tensors' descriptors while a problem is checked, at creation and, where dimensions were
/// open, at execution.
typedef struct {
    const op_schema_t *schema;
    const op_desc_t *op;
    /// One for each rule; NULL: absent. Of a repeated tensor the first.
    const prim_memory_desc_t *const *mds;
    int nrepeated;
    const prim_memory_desc_t *const *repeated; ///< all of the repeated tensor
} shapes_t;

/// The tensors of a problem with a depthwise post-op.
typedef struct {
    prim_memory_desc_t wei, bia; ///< its own; bia absent: none
    prim_memory_desc_t dst;      ///< the problem's, which it gives
} depthwise_t;

/// One word of the benchdnn command that repeats a problem (verbose_repro_words.h).
typedef struct repro_word repro_word_t;

struct op_schema {
    prim_primitive_kind_t kind;
    direction_t direction;
    const char *name;   ///< in sentences: "batch normalization"
    const char *driver; ///< benchdnn's word: "bnorm"
    bool has_prop_kind; ///< the caller says what the pass is for
    bool takes_runtime; ///< dimensions and strides may be PRIM_RUNTIME_DIM_VAL
    /// The implementation may replace the algorithm (`auto`): it is its choice, not the problem's.
    bool alg_is_choice;
    bool sums_products;    ///< dst is sums of products of src and weights
    bool outputs_are_last; ///< the output channels are the last dimension, not that of MASK_OUTPUTS
    const prim_alg_kind_t *algs; ///< ended by PRIM_ALG_UNDEF; NULL: `check` looks at it, or none
    /// NULL: results are exact where products are of small integers, or are only moved.
    const alg_error_t *errors;
    const tensor_rule_t *tensors;        ///< ended by arg 0
    const param_rule_t *params;          ///< ended by name NULL; or NULL
    const product_types_t *types;        ///< ended by zeroes; NULL: implementations decide
    unsigned post_ops;                   ///< ALLOW_SUM, …
    const prim_alg_kind_t *eltwise_algs; ///< of eltwise post-ops; NULL: all
    /// Shapes and parameters against each other. The tensors' descriptors are good ones.
    prim_status_t (*check)(const shapes_t *shapes);
    /// Makes the optional output where the caller left it out (`md` is absent) or its layout open.
    /// Runs after `check`; NULL: what is left out is absent.
    prim_status_t (*derive)(prim_memory_desc_t *md, const shapes_t *shapes);
    /// With ALLOW_DEPTHWISE: the tensors behind entry `index` of the chain, which reads dst as the
    /// caller gave it. Runs after `check`.
    prim_status_t (*fuse)(depthwise_t *tensors, const shapes_t *shapes,
            const prim_post_ops_t *post_ops, int index);
    const repro_word_t *repro; ///< ended by add NULL
    /// impl_lists/<op>_list.c: by prim_engine_kind_t the implementations, best first
    const impl_t *const *const *lists;
};

/// @name Walking one
/// @{

/// FORWARD for operations without passes, too.
direction_t prim__direction_of(prim_prop_kind_t prop_kind);

/// Whether problems with these parameters have the tensor (given that the caller gives it).
bool prim__rule_applies(const tensor_rule_t *rule, const op_desc_t *op);
/// The rule of an argument, of repeated ones too; NULL when the operation has no such tensor. That
/// of a depthwise post-op's dst is none of the schema's own. An
/// argument that is an input in some problems and an output in others has two rules: the first.
const tensor_rule_t *prim__schema_rule(const op_schema_t *schema, int arg);
/// Its implementations on a kind of engine; an empty list where there are none, or no schema.
const impl_t *const *prim__schema_list(const op_schema_t *schema, prim_engine_kind_t engine);
/// Whether the list has the algorithm; NULL has all.
bool prim__schema_takes_alg(const prim_alg_kind_t *algs, prim_alg_kind_t alg);
/// Its name in log lines and options of benchdnn.
const char *prim__rule_log_name(const tensor_rule_t *rule);
int prim__schema_nrules(const op_schema_t *schema);
/// The parameter that answers the query; NULL: the operation has none.
const param_rule_t *prim__schema_param(const op_schema_t *schema, prim_query_t query);

/// @}

#endif
