#include <math.h>
#include <string.h>

#include "CKernels.h"

#define COLUMNS 32
// Rows whose sums are screened while they are in the cache: a multiple of the rows that any kernel takes at once.
#define GROUP 48

void selene_encode_row(
    const float *row, size_t dimensions, size_t stride, int8_t *codes, int32_t *total, selene_coded_row *coded) {
    memset(codes, 0, stride);
    *total = 0;
    float greatest = 0, finite = 0;
    for (size_t k = 0; k < dimensions; k++) {
        const float size = fabsf(row[k]);
        greatest = size > greatest ? size : greatest;
        finite += row[k] * 0;
    }
    if (finite != 0) {
        coded->factor = 0;
        coded->error = -INFINITY;
        coded->length = 0;
        return;
    }
    // A tiny row keeps the codes 0, and its whole length is the error.
    const float factor = greatest > 1e-18f ? greatest / 127 : 0, scale = factor > 0 ? 127 / greatest : 0;
    int32_t sum = 0;
    double square = 0, coded_square = 0, rest_square = 0;
    for (size_t k = 0; k < dimensions; k++) {
        const float scaled = row[k] * scale;
        int32_t code = (int32_t)(scaled + (scaled < 0 ? -0.5f : 0.5f));
        code = code > 127 ? 127 : code < -127 ? -127 : code;
        codes[k] = (int8_t)code;
        sum += code;
        const double value = (double)factor * code, rest = row[k] - value;
        square += (double)row[k] * row[k];
        coded_square += value * value;
        rest_square += rest * rest;
    }
    *total = sum;
    // A sum of n products in single precision is off by at most n * 2^-24 times both lengths (Higham, "Accuracy and
    // Stability of Numerical Algorithms", 2002, section 3.1). Each of two rows bears half of that and of the screen's own
    // few roundings.
    const double slack = 1 + 1e-6, rounding = ((double)dimensions / 2 + 8) * 0x1p-24 * 1.01;
    const double length = sqrt(square > coded_square ? square : coded_square) * slack;
    coded->factor = factor;
    coded->length = (float)(length * slack);
    coded->error = (float)((sqrt(rest_square) * slack + rounding * length) * slack);
}

void selene_pack_panel(const int8_t *rows, size_t count, size_t stride, uint8_t *panel) {
    for (size_t k = 0; k < stride; k += 4)
        for (size_t j = 0; j < COLUMNS; j++) {
            uint32_t four = 0;
            if (j < count) memcpy(&four, rows + j * stride + k, 4);
            // Flipping the top bit adds 128.
            four ^= 0x80808080u;
            memcpy(panel + (k * COLUMNS + j * 4), &four, 4);
        }
}

size_t selene_screen_pairs(
    const selene_kernels *kernels, const int8_t *rows, const int32_t *totals, const selene_coded_row *coded, size_t count,
    size_t stride, const uint8_t *panel, selene_coded_columns columns, size_t panels, uint32_t *places) {
    int32_t sums[GROUP * COLUMNS];
    size_t found = 0;
    for (size_t p = 0; p < panels; p++) {
        const size_t first = p * COLUMNS;
        const selene_coded_columns own = {
            columns.factors + first, columns.errors + first, columns.lengths + first, columns.floors + first};
        for (size_t i = 0; i < count; i += GROUP) {
            const size_t some = count - i < GROUP ? count - i : GROUP;
            kernels->dot_byte_panel(rows + i * stride, totals + i, some, stride, panel + first * stride, sums);
            for (size_t r = 0; r < some; r++) {
                uint32_t mask = kernels->screen(sums + r * COLUMNS, coded[i + r], own);
                for (; mask; mask &= mask - 1)
                    places[found++] = (uint32_t)((i + r) << 16 | (first + (size_t)__builtin_ctz(mask)));
            }
        }
    }
    return found;
}
