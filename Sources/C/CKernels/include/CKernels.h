#pragma once
#include <stddef.h>
#include <stdint.h>

// The inner loops of the vector scan, one set for each instruction set. The best set for the processor is chosen at run
// time. Rows are contiguous and may be unaligned. Only the results are written.

typedef struct {
    const char *name;

    // scores[i] = rows[i] . query. Each row is summed in the same order, wherever it lies: equal rows get equal scores.
    void (*dot_rows)(const float *rows, size_t count, size_t dimensions, const float *query, float *scores);

    // Many queries at once. panel[k * width + j] is component k of query j; scores[i * width + j] = rows[i] . query j.
    // width is a multiple of 16, at most 64. Each sum runs over k in order.
    void (*dot_panel)(
        const float *rows, size_t count, size_t dimensions, const float *panel, size_t width, float *scores);

    // scores[i] = sum over k of (rows[i][k] - 128) * query[k]. stride is a multiple of 64. The padding is 128 in rows
    // and 0 in the query.
    void (*dot_bytes)(const uint8_t *rows, size_t count, size_t stride, const int8_t *query, int32_t *scores);

    // scores[i] = sum over planes p of 2^p * popcount(rows[i] & planes[p]). words is the length of a row and of each of
    // the four planes, in 64-bit words; it is a multiple of 2.
    void (*dot_bits)(const uint64_t *rows, size_t count, size_t words, const uint64_t *planes, int32_t *scores);

    // Reads every byte and returns their sum in 64-bit words: a lower bound for the time of a memory scan.
    uint64_t (*read)(const void *bytes, size_t count);
} selene_kernels;

// The sets that this processor supports, best first, ended by NULL. The last one is plain C.
const selene_kernels *const *selene_kernels_available(void);

// Writes the indices of the scores at or above the threshold, ascending, and returns their number. places has room for
// count.
size_t selene_select(const float *scores, size_t count, float threshold, uint32_t *places);

// The same for rows of width scores with a threshold for each column; width is a multiple of 16.
size_t selene_select_columns(
    const float *scores, size_t count, size_t width, const float *thresholds, uint32_t *places);

// scores[i] = (sums[i] * scale + offset) * factors[i] + extras[i] * weight
void selene_estimate(
    const int32_t *sums, size_t count, float scale, float offset, const float *factors, float weight,
    const float *extras, float *scores);
