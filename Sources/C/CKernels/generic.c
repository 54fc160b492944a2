#include <string.h>

#include "kernels.h"

// Plain C, for other processors and as the oracle in tests. Sixteen sums at once let a compiler vectorise.

static void dot_rows(const float *rows, size_t count, size_t dimensions, const float *query, float *scores) {
    for (size_t i = 0; i < count; i++) {
        const float *row = rows + i * dimensions;
        float sums[16] = {0};
        size_t k = 0;
        for (; k + 16 <= dimensions; k += 16)
            for (size_t j = 0; j < 16; j++) sums[j] += row[k + j] * query[k + j];
        float total = 0;
        for (; k < dimensions; k++) total += row[k] * query[k];
        for (size_t j = 0; j < 16; j++) total += sums[j];
        scores[i] = total;
    }
}

static void dot_panel(
    const float *rows, size_t count, size_t dimensions, const float *panel, size_t width, float *scores) {
    for (size_t i = 0; i < count; i++) {
        const float *row = rows + i * dimensions;
        float sums[64] = {0};
        for (size_t k = 0; k < dimensions; k++)
            for (size_t j = 0; j < width; j++) sums[j] += row[k] * panel[k * width + j];
        memcpy(scores + i * width, sums, width * sizeof(float));
    }
}

static void dot_bytes(const uint8_t *rows, size_t count, size_t stride, const int8_t *query, int32_t *scores) {
    for (size_t i = 0; i < count; i++) {
        const uint8_t *row = rows + i * stride;
        int32_t total = 0;
        for (size_t k = 0; k < stride; k++) total += ((int32_t)row[k] - 128) * query[k];
        scores[i] = total;
    }
}

static void sum_tables(const uint8_t *blocks, size_t count, size_t columns, const uint8_t *tables, int32_t *sums) {
    for (size_t b = 0; b < count; b++) {
        int32_t totals[32] = {0};
        for (size_t j = 0; j < columns; j++) {
            const uint8_t *bytes = blocks + (b * columns + j) * 32, *table = tables + j * 32;
            for (size_t r = 0; r < 32; r++) totals[r] += table[bytes[r] & 15] + table[16 + (bytes[r] >> 4)];
        }
        memcpy(sums + b * 32, totals, sizeof(totals));
    }
}

void selene_dot_byte_panel_generic(
    const int8_t *rows, const int32_t *totals, size_t count, size_t stride, const uint8_t *panel, int32_t *sums) {
    for (size_t i = 0; i < count; i++) {
        int32_t total[32];
        for (size_t j = 0; j < 32; j++) total[j] = -128 * totals[i];
        for (size_t k = 0; k < stride; k += 4) {
            const int8_t *row = rows + i * stride + k;
            const uint8_t *four = panel + k * 32;
            for (size_t j = 0; j < 32; j++)
                total[j] += row[0] * four[j * 4] + row[1] * four[j * 4 + 1] + row[2] * four[j * 4 + 2]
                    + row[3] * four[j * 4 + 3];
        }
        memcpy(sums + i * 32, total, sizeof(total));
    }
}

static uint32_t screen(const int32_t *sums, selene_coded_row row, selene_coded_columns columns) {
    return screen_columns(sums, row, columns);
}

uint64_t selene_read_generic(const void *bytes, size_t count) {
    const char *at = bytes;
    uint64_t sums[8] = {0};
    size_t k = 0;
    for (; k + 64 <= count; k += 64) {
        uint64_t words[8];
        memcpy(words, at + k, 64);
        for (size_t j = 0; j < 8; j++) sums[j] += words[j];
    }
    uint64_t total = 0;
    for (size_t j = 0; j < 8; j++) total += sums[j];
    for (; k < count; k++) total += (uint8_t)at[k];
    return total;
}

const selene_kernels selene_kernels_generic = {
    "generic", dot_rows, dot_panel, dot_bytes, sum_tables, selene_dot_byte_panel_generic, screen,
    selene_read_generic};
