// SPDX-License-Identifier: Apache-2.0
// What is known of each measured number: how a table's lines name it, its unit, which values are
// right.
#ifndef PRIM_OCL_MEASURED_RULES_H
#define PRIM_OCL_MEASURED_RULES_H

#include "ocl_measured.h"

typedef enum {
    MEASURED_REAL,
    MEASURED_WHOLE,
    MEASURED_POWER_OF_2,
    MEASURED_POWER_OF_2_OR_0,
} ocl_measured_kind_t;

/// Whatever stands within the bounds makes a primitive slower or faster, never wrong.
typedef struct {
    const char *owner; ///< an operation, "ocl:matmul", or an implementation of one; "ocl": of many
    const char *name, *unit;
    ocl_measured_kind_t kind;
    double least, most;
} ocl_measured_rule_t;

typedef struct {
    const char *name; ///< NULL ends them
    ocl_measured_kind_t kind;
    double least, most;
} ocl_measured_value_t;

typedef struct {
    const char *owner;
    const char *params; ///< which distinguish configurations: names, separated by blanks
    const char *unit;   ///< of all values
    ocl_measured_value_t values[OCL_MEASURED_VALUES];
} ocl_measured_set_rule_t;

extern const ocl_measured_rule_t prim__ocl_measured_rules[OCL_NMEASURED];
extern const ocl_measured_set_rule_t prim__ocl_measured_set_rules[OCL_NMEASURED_SETS];

/// The tables as texts; NULL ends them.
extern const char *const prim__ocl_measured_tables[];

/// The parts of "1500 cycles": whether it is a number that the kind and the bounds allow, with this
/// unit.
bool prim__ocl_measured_parse(double *value, const char *text, const ocl_measured_rule_t *rule);
/// Of "alone=800 full=900 products/cycle".
bool prim__ocl_measured_parse_values(
        ocl_measured_values_t *values, const char *text, const ocl_measured_set_rule_t *rule);

#endif
