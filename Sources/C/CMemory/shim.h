#pragma once
#include <stddef.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// glibc declares memmem only for programs that request its extensions, which a module cannot.
extern void *memmem(const void *haystack, size_t haystack_length, const void *needle, size_t needle_length);

/// Returns the first occurrence of `needle` in `haystack`, or NULL.
static inline const void *selene_find(
    const void *haystack, size_t haystack_length, const void *needle, size_t needle_length) {
    return memmem(haystack, haystack_length, needle, needle_length);
}

/// Sets how many pools the allocator makes at most. Does nothing with another C library than glibc.
static inline void selene_limit_arenas(int count) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, count);
#else
    (void)count;
#endif
}
