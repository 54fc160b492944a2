#pragma once
#include <stddef.h>
#include <stdint.h>

// The inner loops of the vector scan, one set for each instruction set. The best set for the processor is chosen at run
// time. Rows are contiguous and may be unaligned. Only the results are written.

// A row in codes: row = factor * codes + rest. error is a bound of the rest's length and of rounding, length one of the
// row's and of its codes' length, and floor the least inner product that is of interest.
typedef struct {
    float factor, error, length, floor;
} selene_coded_row;

// The same for 32 columns.
typedef struct {
    const float *factors, *errors, *lengths, *floors;
} selene_coded_columns;

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

    // Sums of table entries for blocks of 32 rows. Byte j of row r of block b is at blocks[(b * columns + j) * 32 + r]. Its
    // lower four bits choose from the 16 entries at tables[j * 32], its upper four bits from those at tables[j * 32 + 16].
    // Entries are at most 127, columns a multiple of 16. sums[b * 32 + r] is the sum of a row.
    void (*sum_tables)(
        const uint8_t *blocks, size_t count, size_t columns, const uint8_t *tables, int32_t *sums);

    // Bytes against bytes, many rows at once: sums[i * 32 + j] = sum over k of rows[i][k] * c, where c + 128 is component k
    // of column j, at panel[(k / 4 * 32 + j) * 4 + k % 4]. stride is a multiple of 4, at most 65,536. Codes are from -127
    // to 127. totals[i] is the sum of rows[i].
    void (*dot_byte_panel)(
        const int8_t *rows, const int32_t *totals, size_t count, size_t stride, const uint8_t *panel, int32_t *sums);

    // Which of 32 columns may have an inner product with a row at or above a floor, from the product of their codes: bit j
    // is set when sums[j] * factors of both + error * length_j + length * error_j >= min(floor, floor_j). A comparison
    // with NaN fails.
    uint32_t (*screen)(const int32_t *sums, selene_coded_row row, selene_coded_columns columns);

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

// Clears the bits of the values that are not from low to high. words has a bit for each value; it is read and written in whole
// words, and words without bits are passed over.
void selene_keep_between(const int64_t *values, size_t count, int64_t low, int64_t high, uint64_t *words);

// The same for the values v of which wanted[v] is not 1; a value outside 0..<known is not wanted.
void selene_keep_wanted(
    const int32_t *values, size_t count, const uint8_t *wanted, size_t known, uint64_t *words);

// scores[i] = (sums[i] * scale + offset) * factors[i] + extras[i] * weight
void selene_estimate(
    const int32_t *sums, size_t count, float scale, float offset, const float *factors, float weight,
    const float *extras, float *scores);

// Rotates a vector in place: for each round, its components times the round's signs, then a Walsh-Hadamard transform of
// the first block components in even rounds and of the last ones in odd rounds. block is a power of two.
void selene_rotate(float *values, size_t dimensions, const float *signs, size_t rounds, size_t block);

// Encodes a row into stride codes from -127 to 127, those after its components 0, and their sum. The floor stays as it is.
// A row with a component that is not finite gets the error -infinity, with which no column passes a screen.
void selene_encode_row(
    const float *row, size_t dimensions, size_t stride, int8_t *codes, int32_t *total, selene_coded_row *coded);

// Writes up to 32 rows of codes as the columns of a panel; missing columns are 0.
void selene_pack_panel(const int8_t *rows, size_t count, size_t stride, uint8_t *panel);

// Screens every row with every column of some panels. Writes row * 65536 + column of each pair that passes and returns
// their number. places has room for all pairs. rows is at most 65,536, panels at most 2,048.
size_t selene_screen_pairs(
    const selene_kernels *kernels, const int8_t *rows, const int32_t *totals, const selene_coded_row *coded, size_t count,
    size_t stride, const uint8_t *panel, selene_coded_columns columns, size_t panels, uint32_t *places);
