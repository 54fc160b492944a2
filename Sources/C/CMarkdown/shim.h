// cmark-gfm, Markdown with GitHub's extensions.
#pragma once
#include <cmark-gfm.h>
#include <cmark-gfm-core-extensions.h>
