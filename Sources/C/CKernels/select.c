#include "CKernels.h"

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

void selene_estimate(
    const int32_t *sums, size_t count, float scale, float offset, const float *factors, float weight,
    const float *extras, float *scores) {
    for (size_t i = 0; i < count; i++)
        scores[i] = ((float)sums[i] * scale + offset) * factors[i] + extras[i] * weight;
}
