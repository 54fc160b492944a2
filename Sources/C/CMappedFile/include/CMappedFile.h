#pragma once
#include <stddef.h>

/// Survives the truncation of mapped files. Reading a page that a mapped file no longer has raises SIGBUS, which ends a
/// process. For registered ranges a handler maps zero pages instead, from the missing page to the end of the range, and
/// flags the range as damaged. Any other SIGBUS goes to the previous handler.

/// Registers the range of a file mapping.
///
/// The first call installs the handler. At most 1024 ranges can be registered at a time.
/// @return A slot for the functions below; -1 when no slot is free or the handler cannot be installed.
int selene_mapping_guard(const void *start, size_t length);

/// Whether a page of a registered range was missing since its registration: 1 or 0.
int selene_mapping_is_damaged(int slot);

/// Ends a registration. Call it before the range is unmapped.
void selene_mapping_release(int slot);
