#include "kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq,fma,popcnt")))

// Far enough ahead that memory answers before the row is needed, near enough that the row is still in the cache then.
#define AHEAD 4096

TARGET static void dot_rows(
    const float *rows, size_t count, size_t dimensions, const float *query, float *scores) {
    const size_t whole = dimensions & ~(size_t)63;
    for (size_t i = 0; i < count; i++) {
        const float *row = rows + i * dimensions;
        __m512 a = _mm512_setzero_ps(), b = a, c = a, d = a;
        size_t k = 0;
        for (; k < whole; k += 64) {
            _mm_prefetch((const char *)(row + k) + AHEAD, _MM_HINT_T0);
            _mm_prefetch((const char *)(row + k) + AHEAD + 64, _MM_HINT_T0);
            _mm_prefetch((const char *)(row + k) + AHEAD + 128, _MM_HINT_T0);
            _mm_prefetch((const char *)(row + k) + AHEAD + 192, _MM_HINT_T0);
            a = _mm512_fmadd_ps(_mm512_loadu_ps(row + k), _mm512_loadu_ps(query + k), a);
            b = _mm512_fmadd_ps(_mm512_loadu_ps(row + k + 16), _mm512_loadu_ps(query + k + 16), b);
            c = _mm512_fmadd_ps(_mm512_loadu_ps(row + k + 32), _mm512_loadu_ps(query + k + 32), c);
            d = _mm512_fmadd_ps(_mm512_loadu_ps(row + k + 48), _mm512_loadu_ps(query + k + 48), d);
        }
        for (; k < dimensions; k += 16) {
            const size_t left = dimensions - k;
            const __mmask16 mask = left >= 16 ? 0xFFFF : (__mmask16)((1u << left) - 1);
            a = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(mask, row + k), _mm512_maskz_loadu_ps(mask, query + k), a);
        }
        scores[i] = _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(a, b), _mm512_add_ps(c, d)));
    }
}

// ROWS rows against 16 * WIDTH queries, all sums in registers: one load of the panel serves all rows, one broadcast of a
// row serves all queries.
#define PANEL(NAME, ROWS, WIDTH)                                                                                   \
    TARGET static void NAME(const float *rows, size_t dimensions, const float *panel, float *scores) {             \
        __m512 sums[ROWS][WIDTH];                                                                                  \
        _Pragma("clang loop unroll(full)") for (int r = 0; r < ROWS; r++)                                          \
            _Pragma("clang loop unroll(full)") for (int w = 0; w < WIDTH; w++) sums[r][w] = _mm512_setzero_ps();   \
        for (size_t k = 0; k < dimensions; k++) {                                                                  \
            __m512 queries[WIDTH];                                                                                 \
            _Pragma("clang loop unroll(full)") for (int w = 0; w < WIDTH; w++)                                     \
                queries[w] = _mm512_loadu_ps(panel + (k * WIDTH + (size_t)w) * 16);                                \
            _Pragma("clang loop unroll(full)") for (int r = 0; r < ROWS; r++) {                                    \
                const __m512 value = _mm512_set1_ps(rows[(size_t)r * dimensions + k]);                             \
                _Pragma("clang loop unroll(full)") for (int w = 0; w < WIDTH; w++)                                 \
                    sums[r][w] = _mm512_fmadd_ps(value, queries[w], sums[r][w]);                                   \
            }                                                                                                      \
        }                                                                                                          \
        _Pragma("clang loop unroll(full)") for (int r = 0; r < ROWS; r++)                                          \
            _Pragma("clang loop unroll(full)") for (int w = 0; w < WIDTH; w++)                                     \
                _mm512_storeu_ps(scores + (size_t)(r * WIDTH + w) * 16, sums[r][w]);                               \
    }

PANEL(panel_16x1, 16, 1)
PANEL(panel_12x2, 12, 2)
PANEL(panel_8x3, 8, 3)
PANEL(panel_6x4, 6, 4)
PANEL(panel_1x1, 1, 1)
PANEL(panel_1x2, 1, 2)
PANEL(panel_1x3, 1, 3)
PANEL(panel_1x4, 1, 4)

typedef void (*panel_block)(const float *, size_t, const float *, float *);

static void dot_panel(
    const float *rows, size_t count, size_t dimensions, const float *panel, size_t width, float *scores) {
    static const struct {
        size_t rows;
        panel_block many, one;
    } blocks[] = {
        {16, panel_16x1, panel_1x1}, {12, panel_12x2, panel_1x2}, {8, panel_8x3, panel_1x3}, {6, panel_6x4, panel_1x4}};
    const size_t kind = width / 16 - 1, step = blocks[kind].rows;
    size_t i = 0;
    for (; i + step <= count; i += step)
        blocks[kind].many(rows + i * dimensions, dimensions, panel, scores + i * width);
    for (; i < count; i++) blocks[kind].one(rows + i * dimensions, dimensions, panel, scores + i * width);
}

TARGET static void dot_bytes(
    const uint8_t *rows, size_t count, size_t stride, const int8_t *query, int32_t *scores) {
    // The instruction multiplies unsigned by signed bytes. Rows are biased by 128, which the query's sum corrects.
    __m512i ones = _mm512_set1_epi8(1), sum = _mm512_setzero_si512();
    for (size_t k = 0; k < stride; k += 64) sum = _mm512_dpbusd_epi32(sum, ones, _mm512_loadu_si512(query + k));
    const int32_t bias = 128 * _mm512_reduce_add_epi32(sum);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *row = rows + i * stride;
        __m512i a = _mm512_setzero_si512(), b = a;
        size_t k = 0;
        for (; k + 128 <= stride; k += 128) {
            _mm_prefetch((const char *)row + k + AHEAD, _MM_HINT_T0);
            _mm_prefetch((const char *)row + k + AHEAD + 64, _MM_HINT_T0);
            a = _mm512_dpbusd_epi32(a, _mm512_loadu_si512(row + k), _mm512_loadu_si512(query + k));
            b = _mm512_dpbusd_epi32(b, _mm512_loadu_si512(row + k + 64), _mm512_loadu_si512(query + k + 64));
        }
        for (; k < stride; k += 64)
            a = _mm512_dpbusd_epi32(a, _mm512_loadu_si512(row + k), _mm512_loadu_si512(query + k));
        scores[i] = _mm512_reduce_add_epi32(_mm512_add_epi32(a, b)) - bias;
    }
}

// Two columns at a time. Sums of two entries fit into a byte, and those of 256 columns into 16 bits: the sums of even rows
// are added up below those of odd rows, which are subtracted at the end.
TARGET static void sum_tables(const uint8_t *blocks, size_t count, size_t columns, const uint8_t *tables, int32_t *sums) {
    const __m512i low = _mm512_set1_epi8(15);
    for (size_t b = 0; b < count; b++) {
        const uint8_t *block = blocks + b * columns * 32;
        __m512i totals[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
        for (size_t start = 0; start < columns; start += 256) {
            const size_t end = columns - start < 256 ? columns : start + 256;
            __m512i even = _mm512_setzero_si512(), odd = even;
            for (size_t j = start; j < end; j += 2) {
                _mm_prefetch((const char *)block + j * 32 + AHEAD, _MM_HINT_T0);
                const __m512i bytes = _mm512_loadu_si512(block + j * 32), four = _mm512_loadu_si512(tables + j * 32);
                const __m512i first = _mm512_shuffle_i64x2(four, four, 0xA0);
                const __m512i second = _mm512_shuffle_i64x2(four, four, 0xF5);
                const __m512i both = _mm512_add_epi8(
                    _mm512_shuffle_epi8(first, _mm512_and_si512(bytes, low)),
                    _mm512_shuffle_epi8(second, _mm512_and_si512(_mm512_srli_epi16(bytes, 4), low)));
                even = _mm512_add_epi16(even, both);
                odd = _mm512_add_epi16(odd, _mm512_srli_epi16(both, 8));
            }
            even = _mm512_sub_epi16(even, _mm512_slli_epi16(odd, 8));
            const __m256i evens = _mm256_add_epi16(_mm512_castsi512_si256(even), _mm512_extracti64x4_epi64(even, 1));
            const __m256i odds = _mm256_add_epi16(_mm512_castsi512_si256(odd), _mm512_extracti64x4_epi64(odd, 1));
            const __m256i near = _mm256_unpacklo_epi16(evens, odds), far = _mm256_unpackhi_epi16(evens, odds);
            totals[0] = _mm512_add_epi32(
                totals[0], _mm512_cvtepu16_epi32(_mm256_permute2x128_si256(near, far, 0x20)));
            totals[1] = _mm512_add_epi32(
                totals[1], _mm512_cvtepu16_epi32(_mm256_permute2x128_si256(near, far, 0x31)));
        }
        _mm512_storeu_si512(sums + b * 32, totals[0]);
        _mm512_storeu_si512(sums + b * 32 + 16, totals[1]);
    }
}

// ROWS rows against 32 columns, all sums in registers. The instruction multiplies unsigned by signed bytes. Columns are
// biased by 128, which the rows' totals correct.
#define BYTE_PANEL(NAME, ROWS)                                                                                     \
    TARGET static void NAME(                                                                                       \
        const int8_t *rows, const int32_t *totals, size_t stride, const uint8_t *panel, int32_t *sums) {           \
        __m512i low[ROWS], high[ROWS];                                                                             \
        _Pragma("clang loop unroll(full)") for (int r = 0; r < ROWS; r++)                                          \
            low[r] = high[r] = _mm512_set1_epi32(-128 * totals[r]);                                                \
        for (size_t k = 0; k < stride; k += 4) {                                                                   \
            const __m512i first = _mm512_loadu_si512(panel + k * 32);                                              \
            const __m512i second = _mm512_loadu_si512(panel + k * 32 + 64);                                        \
            _Pragma("clang loop unroll(full)") for (int r = 0; r < ROWS; r++) {                                    \
                int32_t four;                                                                                      \
                memcpy(&four, rows + (size_t)r * stride + k, 4);                                                   \
                const __m512i value = _mm512_set1_epi32(four);                                                     \
                low[r] = _mm512_dpbusd_epi32(low[r], first, value);                                                \
                high[r] = _mm512_dpbusd_epi32(high[r], second, value);                                             \
            }                                                                                                      \
        }                                                                                                          \
        _Pragma("clang loop unroll(full)") for (int r = 0; r < ROWS; r++) {                                        \
            _mm512_storeu_si512(sums + r * 32, low[r]);                                                            \
            _mm512_storeu_si512(sums + r * 32 + 16, high[r]);                                                      \
        }                                                                                                          \
    }

BYTE_PANEL(byte_panel_12, 12)
BYTE_PANEL(byte_panel_1, 1)

static void dot_byte_panel(
    const int8_t *rows, const int32_t *totals, size_t count, size_t stride, const uint8_t *panel, int32_t *sums) {
    size_t i = 0;
    for (; i + 12 <= count; i += 12) byte_panel_12(rows + i * stride, totals + i, stride, panel, sums + i * 32);
    for (; i < count; i++) byte_panel_1(rows + i * stride, totals + i, stride, panel, sums + i * 32);
}

TARGET static uint32_t screen(const int32_t *sums, selene_coded_row row, selene_coded_columns columns) {
    const __m512 factor = _mm512_set1_ps(row.factor), error = _mm512_set1_ps(row.error);
    const __m512 length = _mm512_set1_ps(row.length), floor = _mm512_set1_ps(row.floor);
    uint32_t found = 0;
    for (int j = 0; j < 32; j += 16) {
        __m512 most = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_loadu_si512(sums + j)), _mm512_loadu_ps(columns.factors + j));
        most = _mm512_fmadd_ps(error, _mm512_loadu_ps(columns.lengths + j), _mm512_mul_ps(most, factor));
        most = _mm512_fmadd_ps(length, _mm512_loadu_ps(columns.errors + j), most);
        const __m512 least = _mm512_min_ps(floor, _mm512_loadu_ps(columns.floors + j));
        found |= (uint32_t)_mm512_cmp_ps_mask(most, least, _CMP_GE_OQ) << j;
    }
    return found;
}

TARGET static uint64_t read_all(const void *bytes, size_t count) {
    const char *at = bytes;
    __m512i a = _mm512_setzero_si512(), b = a, c = a, d = a;
    size_t k = 0;
    for (; k + 256 <= count; k += 256) {
        for (int line = 0; line < 4; line++) _mm_prefetch(at + k + AHEAD + line * 64, _MM_HINT_T0);
        a = _mm512_add_epi64(a, _mm512_loadu_si512(at + k));
        b = _mm512_add_epi64(b, _mm512_loadu_si512(at + k + 64));
        c = _mm512_add_epi64(c, _mm512_loadu_si512(at + k + 128));
        d = _mm512_add_epi64(d, _mm512_loadu_si512(at + k + 192));
    }
    const uint64_t sum = (uint64_t)_mm512_reduce_add_epi64(_mm512_add_epi64(_mm512_add_epi64(a, b), _mm512_add_epi64(c, d)));
    return sum + selene_read_generic(at + k, count - k);
}

const selene_kernels selene_kernels_avx512 = {
    "avx512", dot_rows, dot_panel, dot_bytes, sum_tables, dot_byte_panel, screen,
    read_all};
#endif
