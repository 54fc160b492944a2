// Character sets by ICU, as plain functions: Swift cannot import ICU's headers beside Foundation, which has its own ICU.
#pragma once
#include <stdint.h>

// The name of the character set that fits the bytes best, and how well, 0 to 100. Returns 0 when none does.
int charset_detect(const char *bytes, int32_t count, char *name, int32_t capacity, int32_t *confidence);

// Decodes bytes to UTF-16. What is no character becomes U+FFFD. Returns the number of units that the whole text needs, which
// may be more than the capacity; -1 when ICU does not know the character set.
int32_t charset_decode(const char *name, const char *bytes, int32_t count, uint16_t *units, int32_t capacity);

// Composes UTF-16 to NFC. Returns the number of units of the result, which may be more than the capacity; -1 for an error,
// -2 when the text is composed already.
int32_t charset_compose(const uint16_t *units, int32_t count, uint16_t *composed, int32_t capacity);
