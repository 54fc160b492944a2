// Embeds the files of Sources/Features/Web/Site. Written by `make site`.
#include "include/site.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file_index_html[] = {
#embed "../../Features/Web/Site/index.html"
};

static const selene_site_file files[] = {
    {"index.html", file_index_html, sizeof file_index_html},
};

const selene_site_file *selene_site(size_t number) {
    return number < sizeof files / sizeof *files ? &files[number] : NULL;
}
