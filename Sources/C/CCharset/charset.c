#include "CCharset.h"

#include <string.h>
#include <unicode/ucnv.h>
#include <unicode/ucsdet.h>
#include <unicode/unorm2.h>

int charset_detect(const char *bytes, int32_t count, char *name, int32_t capacity, int32_t *confidence) {
    UErrorCode status = U_ZERO_ERROR;
    UCharsetDetector *detector = ucsdet_open(&status);
    if (U_FAILURE(status)) return 0;
    int found = 0;
    ucsdet_setText(detector, bytes, count, &status);
    const UCharsetMatch *match = ucsdet_detect(detector, &status);
    if (U_SUCCESS(status) && match) {
        const char *given = ucsdet_getName(match, &status);
        int32_t fit = ucsdet_getConfidence(match, &status);
        if (U_SUCCESS(status) && given && strlen(given) < (size_t)capacity) {
            strcpy(name, given);
            *confidence = fit;
            found = 1;
        }
    }
    ucsdet_close(detector);
    return found;
}

int32_t charset_decode(const char *name, const char *bytes, int32_t count, uint16_t *units, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    UConverter *converter = ucnv_open(name, &status);
    if (U_FAILURE(status)) return -1;
    int32_t needed = ucnv_toUChars(converter, (UChar *)units, capacity, bytes, count, &status);
    ucnv_close(converter);
    return U_SUCCESS(status) || status == U_BUFFER_OVERFLOW_ERROR ? needed : -1;
}

int32_t charset_compose(const uint16_t *units, int32_t count, uint16_t *composed, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2 *normalizer = unorm2_getNFCInstance(&status);
    if (U_FAILURE(status)) return -1;
    int32_t span = unorm2_spanQuickCheckYes(normalizer, (const UChar *)units, count, &status);
    if (U_FAILURE(status)) return -1;
    if (span == count) return -2;
    int32_t needed = unorm2_normalize(normalizer, (const UChar *)units, count, (UChar *)composed, capacity, &status);
    return U_SUCCESS(status) || status == U_BUFFER_OVERFLOW_ERROR ? needed : -1;
}
