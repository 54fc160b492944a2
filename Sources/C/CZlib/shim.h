// zlib, whose function to begin compression is a macro, which Swift cannot call.
#pragma once
#include <zlib.h>

/// Begins compression to the gzip format at the highest level. Returns Z_OK or an error.
static inline int selene_gzip_begin(z_stream *stream) {
    return deflateInit2(stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
}
