#pragma once
#include <stddef.h>

// glibc shows memmem only to programs that ask for its extensions, which a module cannot.
extern void *memmem(const void *haystack, size_t haystack_length, const void *needle, size_t needle_length);

/// The first place of `needle` in `haystack`, or NULL.
static inline const void *selene_find(
    const void *haystack, size_t haystack_length, const void *needle, size_t needle_length) {
    return memmem(haystack, haystack_length, needle, needle_length);
}
