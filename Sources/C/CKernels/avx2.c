#include "kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx2,fma,popcnt")))
#define AHEAD 2048

TARGET static inline float total(__m256 sums) {
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}

TARGET static void dot_rows(
    const float *rows, size_t count, size_t dimensions, const float *query, float *scores) {
    const size_t whole = dimensions & ~(size_t)31;
    for (size_t i = 0; i < count; i++) {
        const float *row = rows + i * dimensions;
        __m256 a = _mm256_setzero_ps(), b = a, c = a, d = a;
        size_t k = 0;
        for (; k < whole; k += 32) {
            _mm_prefetch((const char *)(row + k) + AHEAD, _MM_HINT_T0);
            _mm_prefetch((const char *)(row + k) + AHEAD + 64, _MM_HINT_T0);
            a = _mm256_fmadd_ps(_mm256_loadu_ps(row + k), _mm256_loadu_ps(query + k), a);
            b = _mm256_fmadd_ps(_mm256_loadu_ps(row + k + 8), _mm256_loadu_ps(query + k + 8), b);
            c = _mm256_fmadd_ps(_mm256_loadu_ps(row + k + 16), _mm256_loadu_ps(query + k + 16), c);
            d = _mm256_fmadd_ps(_mm256_loadu_ps(row + k + 24), _mm256_loadu_ps(query + k + 24), d);
        }
        float rest = 0;
        for (; k < dimensions; k++) rest += row[k] * query[k];
        scores[i] = total(_mm256_add_ps(_mm256_add_ps(a, b), _mm256_add_ps(c, d))) + rest;
    }
}

// As in avx512.c, with sixteen queries in two registers. Wider panels are processed sixteen queries at a time.
#define PANEL(NAME, ROWS)                                                                                          \
    TARGET static void NAME(                                                                                       \
        const float *rows, size_t dimensions, const float *panel, size_t width, float *scores) {                   \
        __m256 low[ROWS], high[ROWS];                                                                              \
        _Pragma("clang loop unroll(full)") for (int r = 0; r < ROWS; r++) low[r] = high[r] = _mm256_setzero_ps();  \
        for (size_t k = 0; k < dimensions; k++) {                                                                  \
            const __m256 first = _mm256_loadu_ps(panel + k * width);                                               \
            const __m256 second = _mm256_loadu_ps(panel + k * width + 8);                                          \
            _Pragma("clang loop unroll(full)") for (int r = 0; r < ROWS; r++) {                                    \
                const __m256 value = _mm256_broadcast_ss(rows + (size_t)r * dimensions + k);                       \
                low[r] = _mm256_fmadd_ps(value, first, low[r]);                                                    \
                high[r] = _mm256_fmadd_ps(value, second, high[r]);                                                 \
            }                                                                                                      \
        }                                                                                                          \
        _Pragma("clang loop unroll(full)") for (int r = 0; r < ROWS; r++) {                                        \
            _mm256_storeu_ps(scores + (size_t)r * width, low[r]);                                                  \
            _mm256_storeu_ps(scores + (size_t)r * width + 8, high[r]);                                             \
        }                                                                                                          \
    }

PANEL(panel_6, 6)
PANEL(panel_1, 1)

static void dot_panel(
    const float *rows, size_t count, size_t dimensions, const float *panel, size_t width, float *scores) {
    size_t i = 0;
    for (; i + 6 <= count; i += 6)
        for (size_t j = 0; j < width; j += 16)
            panel_6(rows + i * dimensions, dimensions, panel + j, width, scores + i * width + j);
    for (; i < count; i++)
        for (size_t j = 0; j < width; j += 16)
            panel_1(rows + i * dimensions, dimensions, panel + j, width, scores + i * width + j);
}

TARGET static void dot_bytes(
    const uint8_t *rows, size_t count, size_t stride, const int8_t *query, int32_t *scores) {
    // The instruction for bytes saturates, so they are widened to 16 bits, where products fit.
    const __m256i middle = _mm256_set1_epi16(128);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *row = rows + i * stride;
        __m256i a = _mm256_setzero_si256(), b = a;
        for (size_t k = 0; k < stride; k += 32) {
            _mm_prefetch((const char *)row + k + AHEAD, _MM_HINT_T0);
            const __m256i row0 = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(row + k)));
            const __m256i row1 = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(row + k + 16)));
            const __m256i query0 = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(query + k)));
            const __m256i query1 = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(query + k + 16)));
            a = _mm256_add_epi32(a, _mm256_madd_epi16(_mm256_sub_epi16(row0, middle), query0));
            b = _mm256_add_epi32(b, _mm256_madd_epi16(_mm256_sub_epi16(row1, middle), query1));
        }
        a = _mm256_add_epi32(a, b);
        __m128i half = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
        half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4E));
        scores[i] = _mm_cvtsi128_si32(_mm_add_epi32(half, _mm_shuffle_epi32(half, 0xB1)));
    }
}

// Sums of two entries fit into a byte, and those of 256 columns into 16 bits: the sums of even rows are added up below those
// of odd rows, which are subtracted at the end.
TARGET static void sum_tables(const uint8_t *blocks, size_t count, size_t columns, const uint8_t *tables, int32_t *sums) {
    const __m256i low = _mm256_set1_epi8(15);
    for (size_t b = 0; b < count; b++) {
        const uint8_t *block = blocks + b * columns * 32;
        __m256i totals[4];
        for (int i = 0; i < 4; i++) totals[i] = _mm256_setzero_si256();
        for (size_t start = 0; start < columns; start += 256) {
            const size_t end = columns - start < 256 ? columns : start + 256;
            __m256i even = _mm256_setzero_si256(), odd = even;
            for (size_t j = start; j < end; j += 2) {
                _mm_prefetch((const char *)block + j * 32 + AHEAD, _MM_HINT_T0);
                for (size_t k = j; k < j + 2; k++) {
                    const __m256i bytes = _mm256_loadu_si256((const __m256i *)(block + k * 32));
                    const __m256i first = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(tables + k * 32)));
                    const __m256i second =
                        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(tables + k * 32 + 16)));
                    const __m256i both = _mm256_add_epi8(
                        _mm256_shuffle_epi8(first, _mm256_and_si256(bytes, low)),
                        _mm256_shuffle_epi8(second, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low)));
                    even = _mm256_add_epi16(even, both);
                    odd = _mm256_add_epi16(odd, _mm256_srli_epi16(both, 8));
                }
            }
            even = _mm256_sub_epi16(even, _mm256_slli_epi16(odd, 8));
            const __m256i near = _mm256_unpacklo_epi16(even, odd), far = _mm256_unpackhi_epi16(even, odd);
            totals[0] = _mm256_add_epi32(totals[0], _mm256_cvtepu16_epi32(_mm256_castsi256_si128(near)));
            totals[1] = _mm256_add_epi32(totals[1], _mm256_cvtepu16_epi32(_mm256_castsi256_si128(far)));
            totals[2] = _mm256_add_epi32(totals[2], _mm256_cvtepu16_epi32(_mm256_extracti128_si256(near, 1)));
            totals[3] = _mm256_add_epi32(totals[3], _mm256_cvtepu16_epi32(_mm256_extracti128_si256(far, 1)));
        }
        for (int i = 0; i < 4; i++) _mm256_storeu_si256((__m256i *)(sums + b * 32 + (size_t)i * 8), totals[i]);
    }
}

// ROWS rows against sixteen columns. The instruction multiplies unsigned by signed bytes and saturates sums of two, which
// magnitudes up to 127 do not reach: the row's signs go to the columns.
#define BYTE_PANEL(NAME, ROWS)                                                                                     \
    TARGET static void NAME(const int8_t *rows, size_t stride, const uint8_t *panel, int32_t *sums) {              \
        const __m256i middle = _mm256_set1_epi8((char)128), ones = _mm256_set1_epi16(1);                           \
        __m256i low[ROWS], high[ROWS];                                                                             \
        _Pragma("clang loop unroll(full)") for (int r = 0; r < ROWS; r++) low[r] = high[r] = _mm256_setzero_si256(); \
        for (size_t k = 0; k < stride; k += 4) {                                                                   \
            const __m256i first = _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(panel + k * 32)), middle); \
            const __m256i second =                                                                                 \
                _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(panel + k * 32 + 32)), middle);              \
            _Pragma("clang loop unroll(full)") for (int r = 0; r < ROWS; r++) {                                    \
                int32_t four;                                                                                      \
                memcpy(&four, rows + (size_t)r * stride + k, 4);                                                   \
                const __m256i value = _mm256_set1_epi32(four), size = _mm256_abs_epi8(value);                      \
                low[r] = _mm256_add_epi32(low[r], _mm256_madd_epi16(                                               \
                    _mm256_maddubs_epi16(size, _mm256_sign_epi8(first, value)), ones));                            \
                high[r] = _mm256_add_epi32(high[r], _mm256_madd_epi16(                                             \
                    _mm256_maddubs_epi16(size, _mm256_sign_epi8(second, value)), ones));                           \
            }                                                                                                      \
        }                                                                                                          \
        _Pragma("clang loop unroll(full)") for (int r = 0; r < ROWS; r++) {                                        \
            _mm256_storeu_si256((__m256i *)(sums + r * 32), low[r]);                                               \
            _mm256_storeu_si256((__m256i *)(sums + r * 32 + 8), high[r]);                                          \
        }                                                                                                          \
    }

BYTE_PANEL(byte_panel_4, 4)
BYTE_PANEL(byte_panel_1, 1)

static void dot_byte_panel(
    const int8_t *rows, const int32_t *totals, size_t count, size_t stride, const uint8_t *panel, int32_t *sums) {
    (void)totals;
    for (size_t half = 0; half < 32; half += 16) {
        size_t i = 0;
        for (; i + 4 <= count; i += 4)
            byte_panel_4(rows + i * stride, stride, panel + half * 4, sums + i * 32 + half);
        for (; i < count; i++) byte_panel_1(rows + i * stride, stride, panel + half * 4, sums + i * 32 + half);
    }
}

TARGET static uint32_t screen(const int32_t *sums, selene_coded_row row, selene_coded_columns columns) {
    return screen_columns(sums, row, columns);
}

const selene_kernels selene_kernels_avx2 = {
    "avx2", dot_rows, dot_panel, dot_bytes, sum_tables, dot_byte_panel, screen, selene_read_generic};
#endif
