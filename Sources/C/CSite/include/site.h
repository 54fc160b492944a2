// The files of the web client, embedded when the program is built.
#pragma once
#include <stddef.h>

typedef struct {
    /// The path below Sources/Features/Web/Site, in UTF-8.
    const char *path;
    const unsigned char *bytes;
    size_t count;
} selene_site_file;

/// Returns a file by its number; NULL after the last one. The file lives as long as the program.
const selene_site_file *selene_site(size_t number);
