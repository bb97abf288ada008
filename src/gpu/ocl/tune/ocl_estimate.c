// SPDX-License-Identifier: Apache-2.0
// Estimates by traits.
#include "ocl_estimate.h"

#include "ocl_measured.h"

int prim__ocl_estimate_lanes(const ocl_device_t *device)
{
    // CUDA C Programming Guide, "Arithmetic Instructions": 128 in a cycle of 6.1, 8.6 and later, 64
    // of 6.0, 7.x and 8.0.
    const int sm = 10 * device->nv_capability_major + device->nv_capability_minor;
    if (sm > 0) return sm == 60 || (sm >= 70 && sm <= 80) ? 64 : 128;
    if (device->amd_unit_simds > 0) return 16 * device->amd_unit_simds;        // GCN's are 16 wide
    if (device->intel_subslice_eus > 0) return 8 * device->intel_subslice_eus; // two units of 4
    if (device->is_cpu) return 2 * (device->vector_width_f32 > 4 ? device->vector_width_f32 : 4);
    return 64;
}

int prim__ocl_estimate_units(const ocl_device_t *device)
{
    return device->compute_units > 0 ? device->compute_units : 1;
}

int64_t prim__ocl_estimate_core_items(const ocl_device_t *device)
{
    // With 16 for each core the last one is at most a sixteenth of the time behind.
    return (int64_t)device->compute_units * prim__ocl_measured_int(device, MEASURED_CORE_ITEMS, 16);
}

double prim__ocl_estimate_cycles(const ocl_device_t *device, double us)
{
    return us * (device->clock_mhz > 0 ? device->clock_mhz : 1000);
}

double prim__ocl_estimate_tile_rate(double peak, int bm, int bn)
{
    const double products_of_an_element = (double)bm * bn / (bm + bn);
    return peak * products_of_an_element / (products_of_an_element + 24);
}

double prim__ocl_register_tile_cost(const ocl_device_t *device, int vectors)
{
    const double rows = 24. / vectors < 14 ? 24. / vectors : 14;
    const double loads = 1.5 * (1 / rows + 1. / vectors);
    return prim__ocl_measured_config(device, MEASURED_CPU_REGISTER_TILES,
            (ocl_tune_params_t){{vectors}}, (ocl_measured_values_t){{loads > 1 ? loads : 1}})
            .values[0];
}
