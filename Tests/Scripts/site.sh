#!/bin/sh
# Writes Sources/C/CSite/site.c, which embeds every file below Sources/Features/Web/Site. Needed when a file is added,
# moved or removed; a changed file is embedded again by the build alone.
set -eu
cd "$(dirname "$0")/../.."
site=Sources/Features/Web/Site
list=$(cd "$site" && find . -type f ! -name '.*' | sed 's|^\./||' | LC_ALL=C sort)
name() { echo "file_$1" | sed 's/[^A-Za-z0-9]/_/g'; }
{
    echo '// Embeds the files of Sources/Features/Web/Site. Written by `make site`.'
    echo '#include "include/site.h"'
    echo
    echo '#pragma clang diagnostic ignored "-Wc23-extensions"'
    echo "$list" | while IFS= read -r path; do
        printf '\nstatic const unsigned char %s[] = {\n#embed "../../Features/Web/Site/%s"\n};\n' "$(name "$path")" "$path"
    done
    printf '\nstatic const selene_site_file files[] = {\n'
    echo "$list" | while IFS= read -r path; do
        printf '    {"%s", %s, sizeof %s},\n' "$path" "$(name "$path")" "$(name "$path")"
    done
    printf '};\n\n'
    echo 'const selene_site_file *selene_site(size_t number) {'
    echo '    return number < sizeof files / sizeof *files ? &files[number] : NULL;'
    echo '}'
} > Sources/C/CSite/site.c
