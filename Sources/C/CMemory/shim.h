#pragma once
#include <stddef.h>

// glibc declares memmem only for programs that request its extensions, which a module cannot.
extern void *memmem(const void *haystack, size_t haystack_length, const void *needle, size_t needle_length);

/// Returns the first occurrence of `needle` in `haystack`, or NULL.
static inline const void *selene_find(
    const void *haystack, size_t haystack_length, const void *needle, size_t needle_length) {
    return memmem(haystack, haystack_length, needle, needle_length);
}
