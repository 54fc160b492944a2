#include "kernels.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#include <string.h>

static void dot_rows(const float *rows, size_t count, size_t dimensions, const float *query, float *scores) {
    const size_t whole = dimensions & ~(size_t)15;
    for (size_t i = 0; i < count; i++) {
        const float *row = rows + i * dimensions;
        float32x4_t a = vdupq_n_f32(0), b = a, c = a, d = a;
        size_t k = 0;
        for (; k < whole; k += 16) {
            a = vfmaq_f32(a, vld1q_f32(row + k), vld1q_f32(query + k));
            b = vfmaq_f32(b, vld1q_f32(row + k + 4), vld1q_f32(query + k + 4));
            c = vfmaq_f32(c, vld1q_f32(row + k + 8), vld1q_f32(query + k + 8));
            d = vfmaq_f32(d, vld1q_f32(row + k + 12), vld1q_f32(query + k + 12));
        }
        float rest = 0;
        for (; k < dimensions; k++) rest += row[k] * query[k];
        scores[i] = vaddvq_f32(vaddq_f32(vaddq_f32(a, b), vaddq_f32(c, d))) + rest;
    }
}

// Four rows against sixteen queries in sixteen registers.
#define PANEL(NAME, ROWS)                                                                                          \
    static void NAME(const float *rows, size_t dimensions, const float *panel, size_t width, float *scores) {      \
        float32x4_t sums[ROWS][4];                                                                                 \
        _Pragma("clang loop unroll(full)") for (int r = 0; r < ROWS; r++)                                          \
            _Pragma("clang loop unroll(full)") for (int w = 0; w < 4; w++) sums[r][w] = vdupq_n_f32(0);            \
        for (size_t k = 0; k < dimensions; k++) {                                                                  \
            const float32x4x4_t queries = vld1q_f32_x4(panel + k * width);                                         \
            _Pragma("clang loop unroll(full)") for (int r = 0; r < ROWS; r++) {                                    \
                const float value = rows[(size_t)r * dimensions + k];                                              \
                _Pragma("clang loop unroll(full)") for (int w = 0; w < 4; w++)                                     \
                    sums[r][w] = vfmaq_n_f32(sums[r][w], queries.val[w], value);                                   \
            }                                                                                                      \
        }                                                                                                          \
        _Pragma("clang loop unroll(full)") for (int r = 0; r < ROWS; r++)                                          \
            _Pragma("clang loop unroll(full)") for (int w = 0; w < 4; w++)                                         \
                vst1q_f32(scores + (size_t)r * width + (size_t)w * 4, sums[r][w]);                                 \
    }

PANEL(panel_4, 4)
PANEL(panel_1, 1)

static void dot_panel(
    const float *rows, size_t count, size_t dimensions, const float *panel, size_t width, float *scores) {
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (size_t j = 0; j < width; j += 16)
            panel_4(rows + i * dimensions, dimensions, panel + j, width, scores + i * width + j);
    for (; i < count; i++)
        for (size_t j = 0; j < width; j += 16)
            panel_1(rows + i * dimensions, dimensions, panel + j, width, scores + i * width + j);
}

static void dot_bytes(const uint8_t *rows, size_t count, size_t stride, const int8_t *query, int32_t *scores) {
    const uint8x16_t middle = vdupq_n_u8(128);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *row = rows + i * stride;
        int32x4_t a = vdupq_n_s32(0), b = a;
        for (size_t k = 0; k < stride; k += 16) {
            // Flipping the top bit subtracts 128 and makes the byte signed.
            const int8x16_t left = vreinterpretq_s8_u8(veorq_u8(vld1q_u8(row + k), middle));
            const int8x16_t right = vld1q_s8(query + k);
            a = vpadalq_s16(a, vmull_s8(vget_low_s8(left), vget_low_s8(right)));
            b = vpadalq_s16(b, vmull_high_s8(left, right));
        }
        scores[i] = vaddvq_s32(vaddq_s32(a, b));
    }
}

// Sums of two entries fit into a byte, and those of 256 columns into 16 bits.
static void sum_tables(const uint8_t *blocks, size_t count, size_t columns, const uint8_t *tables, int32_t *sums) {
    const uint8x16_t low = vdupq_n_u8(15);
    for (size_t b = 0; b < count; b++) {
        const uint8_t *block = blocks + b * columns * 32;
        uint32x4_t totals[8];
        for (int i = 0; i < 8; i++) totals[i] = vdupq_n_u32(0);
        for (size_t start = 0; start < columns; start += 256) {
            const size_t end = columns - start < 256 ? columns : start + 256;
            uint16x8_t parts[4];
            for (int i = 0; i < 4; i++) parts[i] = vdupq_n_u16(0);
            for (size_t j = start; j < end; j++) {
                const uint8x16_t first = vld1q_u8(tables + j * 32), second = vld1q_u8(tables + j * 32 + 16);
                for (int half = 0; half < 2; half++) {
                    const uint8x16_t bytes = vld1q_u8(block + j * 32 + half * 16);
                    const uint8x16_t both = vaddq_u8(
                        vqtbl1q_u8(first, vandq_u8(bytes, low)), vqtbl1q_u8(second, vshrq_n_u8(bytes, 4)));
                    parts[half * 2] = vaddw_u8(parts[half * 2], vget_low_u8(both));
                    parts[half * 2 + 1] = vaddw_high_u8(parts[half * 2 + 1], both);
                }
            }
            for (int i = 0; i < 4; i++) {
                totals[i * 2] = vaddw_u16(totals[i * 2], vget_low_u16(parts[i]));
                totals[i * 2 + 1] = vaddw_high_u16(totals[i * 2 + 1], parts[i]);
            }
        }
        for (int i = 0; i < 8; i++) vst1q_s32(sums + b * 32 + i * 4, vreinterpretq_s32_u32(totals[i]));
    }
}

// ROWS rows against sixteen columns. With the instructions for products of bytes each sum takes four at once.
#if defined(__ARM_FEATURE_DOTPROD)
#define PRODUCTS(SUM, COLUMNS, VALUE) vdotq_s32(SUM, COLUMNS, VALUE)
#else
static inline int32x4_t products(int32x4_t sum, int8x16_t columns, int8x16_t value) {
    const int16x8_t low = vmull_s8(vget_low_s8(columns), vget_low_s8(value));
    const int16x8_t high = vmull_high_s8(columns, value);
    return vaddq_s32(sum, vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high)));
}
#define PRODUCTS(SUM, COLUMNS, VALUE) products(SUM, COLUMNS, VALUE)
#endif

#define BYTE_PANEL(NAME, ROWS)                                                                                     \
    static void NAME(const int8_t *rows, size_t stride, const uint8_t *panel, int32_t *sums) {                     \
        const uint8x16_t middle = vdupq_n_u8(128);                                                                 \
        int32x4_t all[ROWS][4];                                                                                    \
        _Pragma("clang loop unroll(full)") for (int r = 0; r < ROWS; r++)                                          \
            _Pragma("clang loop unroll(full)") for (int w = 0; w < 4; w++) all[r][w] = vdupq_n_s32(0);             \
        for (size_t k = 0; k < stride; k += 4) {                                                                   \
            int8x16_t columns[4];                                                                                  \
            _Pragma("clang loop unroll(full)") for (int w = 0; w < 4; w++)                                         \
                columns[w] = vreinterpretq_s8_u8(veorq_u8(vld1q_u8(panel + k * 32 + (size_t)w * 16), middle));     \
            _Pragma("clang loop unroll(full)") for (int r = 0; r < ROWS; r++) {                                    \
                int32_t four;                                                                                      \
                memcpy(&four, rows + (size_t)r * stride + k, 4);                                                   \
                const int8x16_t value = vreinterpretq_s8_s32(vdupq_n_s32(four));                                   \
                _Pragma("clang loop unroll(full)") for (int w = 0; w < 4; w++)                                     \
                    all[r][w] = PRODUCTS(all[r][w], columns[w], value);                                            \
            }                                                                                                      \
        }                                                                                                          \
        _Pragma("clang loop unroll(full)") for (int r = 0; r < ROWS; r++)                                          \
            _Pragma("clang loop unroll(full)") for (int w = 0; w < 4; w++)                                         \
                vst1q_s32(sums + r * 32 + w * 4, all[r][w]);                                                       \
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

static uint32_t screen(const int32_t *sums, selene_coded_row row, selene_coded_columns columns) {
    return screen_columns(sums, row, columns);
}

const selene_kernels selene_kernels_neon = {
    "neon", dot_rows, dot_panel, dot_bytes, sum_tables, dot_byte_panel, screen, selene_read_generic};
#endif
