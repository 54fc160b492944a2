#pragma once
#include "CKernels.h"

extern const selene_kernels selene_kernels_generic;
#if defined(__x86_64__)
extern const selene_kernels selene_kernels_avx2;
extern const selene_kernels selene_kernels_avx512;
#elif defined(__aarch64__)
extern const selene_kernels selene_kernels_neon;
#endif

uint64_t selene_read_generic(const void *bytes, size_t count);

void selene_dot_byte_panel_generic(
    const int8_t *rows, const int32_t *totals, size_t count, size_t stride, const uint8_t *panel, int32_t *sums);

// The screen in plain C, which a compiler vectorises for the instruction set of the function that it is used in.
static inline __attribute__((always_inline)) uint32_t screen_columns(
    const int32_t *sums, selene_coded_row row, selene_coded_columns columns) {
    float above[32];
    int any = 0;
    for (size_t j = 0; j < 32; j++) {
        const float floor = columns.floors[j] < row.floor ? columns.floors[j] : row.floor;
        const float most = (float)sums[j] * columns.factors[j] * row.factor + row.error * columns.lengths[j]
            + row.length * columns.errors[j];
        above[j] = most >= floor ? 1 : 0;
        any |= most >= floor;
    }
    if (!any) return 0;
    uint32_t found = 0;
    for (uint32_t j = 0; j < 32; j++) found |= (uint32_t)(above[j] != 0) << j;
    return found;
}
