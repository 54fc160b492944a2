// The files of `selene demo`, embedded when the program is built.
#pragma once
#include <stddef.h>

typedef struct {
    /// The file's name, in UTF-8.
    const char *name;
    const unsigned char *bytes;
    size_t count;
} selene_sample;

/// Returns a file by its number; NULL after the last one. The file lives as long as the program.
const selene_sample *selene_sample_at(size_t number);
