#include "CKernels.h"

#include <math.h>

// Almost every score is below its threshold, so sixteen are tested together, which any compiler vectorises.

size_t selene_select(const float *scores, size_t count, float threshold, uint32_t *places) {
    size_t found = 0, i = 0;
    for (; i + 16 <= count; i += 16) {
        int any = 0;
        for (size_t j = 0; j < 16; j++) any |= scores[i + j] >= threshold;
        if (!any) continue;
        for (size_t j = 0; j < 16; j++)
            if (scores[i + j] >= threshold) places[found++] = (uint32_t)(i + j);
    }
    for (; i < count; i++)
        if (scores[i] >= threshold) places[found++] = (uint32_t)i;
    return found;
}

size_t selene_select_columns(
    const float *scores, size_t count, size_t width, const float *thresholds, uint32_t *places) {
    size_t found = 0;
    for (size_t i = 0; i < count * width; i += width) {
        for (size_t column = 0; column < width; column += 16) {
            int any = 0;
            for (size_t j = column; j < column + 16; j++) any |= scores[i + j] >= thresholds[j];
            if (!any) continue;
            for (size_t j = column; j < column + 16; j++)
                if (scores[i + j] >= thresholds[j]) places[found++] = (uint32_t)(i + j);
        }
    }
    return found;
}

#define KEEP(TEST)                                                                                                 \
    for (size_t start = 0; start < count; start += 64) {                                                           \
        if (words[start / 64] == 0) continue;                                                                      \
        const size_t end = count - start < 64 ? count - start : 64;                                                \
        uint64_t kept = 0;                                                                                         \
        for (size_t i = 0; i < end; i++) kept |= (uint64_t)(TEST) << i;                                            \
        words[start / 64] &= kept;                                                                                 \
    }

void selene_keep_between(const int64_t *values, size_t count, int64_t low, int64_t high, uint64_t *words) {
    KEEP((values[start + i] >= low) & (values[start + i] <= high))
}

void selene_keep_wanted(
    const int32_t *values, size_t count, const uint8_t *wanted, size_t known, uint64_t *words) {
    KEEP((uint32_t)values[start + i] < known && wanted[values[start + i]])
}

void selene_estimate(
    const int32_t *sums, size_t count, float scale, float offset, const float *factors, float weight,
    const float *extras, float *scores) {
    for (size_t i = 0; i < count; i++)
        scores[i] = ((float)sums[i] * scale + offset) * factors[i] + extras[i] * weight;
}

// Butterflies of eight neighbours stay in registers; those further apart run over contiguous memory.
static void transform(float *values, size_t count) {
    size_t half = 1;
    if (count >= 8) {
        for (size_t i = 0; i < count; i += 8) {
            float *v = values + i;
            float a[8], b[8];
            for (int k = 0; k < 4; k++) {
                a[k] = v[2 * k] + v[2 * k + 1];
                a[k + 4] = v[2 * k] - v[2 * k + 1];
            }
            for (int k = 0; k < 2; k++) {
                b[k] = a[2 * k] + a[2 * k + 1];
                b[k + 2] = a[2 * k] - a[2 * k + 1];
                b[k + 4] = a[4 + 2 * k] + a[4 + 2 * k + 1];
                b[k + 6] = a[4 + 2 * k] - a[4 + 2 * k + 1];
            }
            v[0] = b[0] + b[1], v[4] = b[0] - b[1];
            v[2] = b[2] + b[3], v[6] = b[2] - b[3];
            v[1] = b[4] + b[5], v[5] = b[4] - b[5];
            v[3] = b[6] + b[7], v[7] = b[6] - b[7];
        }
        half = 8;
    }
    for (; half < count; half *= 2)
        for (size_t start = 0; start < count; start += half * 2) {
            float *restrict left = values + start, *restrict right = left + half;
            for (size_t i = 0; i < half; i++) {
                const float sum = left[i] + right[i], difference = left[i] - right[i];
                left[i] = sum;
                right[i] = difference;
            }
        }
    const float scale = 1 / sqrtf((float)count);
    for (size_t i = 0; i < count; i++) values[i] *= scale;
}

void selene_rotate(float *values, size_t dimensions, const float *signs, size_t rounds, size_t block) {
    for (size_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < dimensions; i++) values[i] *= signs[round * dimensions + i];
        transform(values + (round % 2 == 0 ? 0 : dimensions - block), block);
    }
}
