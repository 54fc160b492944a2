#!/bin/sh
# Makes the files of a release from a built binary, for this machine's architecture: dist.sh BINARY OUT
#   OUT/selene-VERSION-linux-ARCH.tar.gz
#   OUT/selene_VERSION-REVISION_ARCH.deb       where dpkg-deb is installed
# The same binary gives the same bytes. Variables: SOURCE_DATE_EPOCH (default: the time of the last commit), REVISION (1),
# DEBFULLNAME and DEBEMAIL (the maintainer), OBJECTS (the linker's list of the binary, when it is not beside it).
# TRIAL=1 takes a binary of any build, and puts the toolchain's libraries that it needs into /usr/lib/selene. It makes an
# uncompressed .deb and no archive: so the gate tests the package with the binary that it has.
set -eu
umask 022
LC_ALL=C.UTF-8 TZ=UTC
export LC_ALL TZ

fail() {
    echo "dist.sh: $1" >&2
    exit 1
}
[ $# -eq 2 ] || fail "expected BINARY OUT"
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
[ -x "$1" ] || fail "$1 is not a program; run make dist"
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
out=$(cd "$2" && pwd)
objects=${OBJECTS:-$(dirname "$binary")/selene.product/Objects.LinkFileList}
[ -f "$objects" ] || fail "$objects is missing: give the linker's list of the binary in OBJECTS"
trial=${TRIAL:-}
if [ -z "$trial" ] && ldd "$binary" | grep -E 'libswift|libFoundation|not found'; then
    fail "$binary needs these libraries, which Debian does not have; make dist builds it without them"
fi

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || stat -c %Y "$root/CHANGELOG.md")}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The commands must see no settings of this user.
selene() { env -i HOME="$work/home" LC_ALL="$LC_ALL" "$binary" "$@"; }
version=$(selene --version)

# pack FOLDER: gives all files the release's time, so that archives do not depend on when they were made.
pack() { find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +; }

# What both packages have.
common=$work/common
mkdir -p "$common/completions" "$common/licences"
install -m 755 "$binary" "$common/selene"
strip "$common/selene"
# The linker notes folders of the build machine, or the binary's own, to search libraries in. Whoever can write to such a
# folder could put a library into the program.
command -v patchelf > /dev/null || fail "patchelf is missing: apt-get install patchelf"
patchelf --remove-rpath "$common/selene"
if [ -n "$trial" ]; then
    mkdir "$work/libraries"
    ldd "$binary" | sed -n 's/.* => \(.*\/swift\/linux\/.*\) (.*/\1/p' | xargs -I{} cp {} "$work/libraries/"
    strip "$work/libraries"/*
    chmod 644 "$work/libraries"/*
    patchelf --set-rpath /usr/lib/selene "$common/selene" "$work/libraries"/*
fi
# bash sources the file: a first line with an interpreter would be wrong.
selene --generate-completion-script bash | sed '1{/^#!/d}' > "$common/completions/selene.bash"
selene --generate-completion-script zsh > "$common/completions/_selene"
selene --generate-completion-script fish > "$common/completions/selene.fish"
python3 "$here/man.py" "$binary" "$common/man/man1"
command -v groff > /dev/null || fail "groff is missing: apt-get install groff-base"
for page in "$common"/man/man1/*.1; do
    warnings=$(groff -man -Tutf8 -Kutf8 -ww -z "$page" 2>&1)
    [ -z "$warnings" ] || fail "a manual page has a warning: $warnings"
done
python3 "$here/licences.py" "$objects" "$common/licences" "$work/copyright"
# The unit is the one that `selene service install` writes, for the user and the files of the package.
selene service install --print --platform systemd --user selene --binary /usr/bin/selene \
    | sed -e 's|^ExecStart=.*|ExecStart=/usr/bin/selene serve --config /etc/selene/selene.yaml|' \
        -e '/^Environment=SELENE_DATABASE=/d' -e 's/^StateDirectoryMode=.*/StateDirectoryMode=0750/' \
        -e '/^Description=/a Documentation=man:selene(1)' \
        -e '/^User=/a Group=selene' > "$common/selene.service"
grep -q '^Group=selene$' "$common/selene.service" || fail "the unit of \`selene service install\` has no User="

selene config init --output "$common/config.example.yaml" > /dev/null
chmod 644 "$common/config.example.yaml"

# The packages of the libraries. dpkg-shlibdeps reads a control file in the current folder.
needs=""
if command -v dpkg-shlibdeps > /dev/null; then
    mkdir -p "$work/source/debian"
    printf 'Source: selene\n\nPackage: selene\nArchitecture: any\n' > "$work/source/debian/control"
    needs=$(cd "$work/source" && dpkg-shlibdeps -O ${trial:+--ignore-missing-info -l"$work/libraries"} -e"$common/selene" 2> "$work/warnings" | sed -n 's/^shlibs:Depends=//p')
    [ -n "$needs" ] || fail "dpkg-shlibdeps found no libraries: $(cat "$work/warnings")"
fi

tarball() {
    name=selene-$version-linux-$(uname -m)
    cp -R "$common" "$work/$name"
    cp "$root/LICENSE" "$work/$name/"
    system=$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)
    {
        echo "Selene Gateway $version for $system ($(uname -m))"
        echo
        echo "1. Install the libraries. Other systems need the same versions of them:"
        echo
        echo "$needs" | tr ',' '\n' | sed -e 's/ *(.*//; s/ *|.*//; s/^ *//' | sort -u | paste -sd ' ' \
            | fold -s -w 90 | sed -e '1s/^/   sudo apt-get install /; 2,$s/^/     /; s/ *$//; $!s/$/ \\/'
        echo
        cat "$here/INSTALL"
    } > "$work/$name/INSTALL"
    pack "$work/$name"
    tar --sort=name --owner=0 --group=0 --numeric-owner --format=gnu -C "$work" -cf - "$name" | gzip -9n > "$out/$name.tar.gz"
    echo "$out/$name.tar.gz"
}

debian() {
    arch=$(dpkg --print-architecture)
    full=$version-${REVISION:-1}
    maintainer="${DEBFULLNAME:-Selene Gateway maintainers} <${DEBEMAIL:-selene@packages.invalid}>"
    tree=$work/deb
    doc=$tree/usr/share/doc/selene
    mkdir -p "$tree/DEBIAN" "$tree/usr/bin" "$tree/usr/lib/selene" "$tree/usr/share/man" "$doc" "$tree/etc/selene"
    cp "$common/selene" "$tree/usr/bin/"
    [ -z "$trial" ] || cp "$work/libraries"/* "$tree/usr/lib/selene/"
    install -m 755 "$here/debian/before-upgrade" "$tree/usr/lib/selene/before-upgrade"
    install -D -m 644 "$common/selene.service" "$tree/usr/lib/systemd/system/selene.service"
    # The database's default is right for a person; this one is right for a service.
    sed 's|^#database:.*|database: /var/lib/selene/selene.sqlite|' "$common/config.example.yaml" > "$tree/etc/selene/selene.yaml"
    chmod 644 "$tree/etc/selene/selene.yaml"
    grep -q '^database: /var/lib' "$tree/etc/selene/selene.yaml" || fail "\`selene config init\` writes no line of the database"
    install -D -m 644 "$common/completions/selene.bash" "$tree/usr/share/bash-completion/completions/selene"
    install -D -m 644 "$common/completions/_selene" "$tree/usr/share/zsh/vendor-completions/_selene"
    install -D -m 644 "$common/completions/selene.fish" "$tree/usr/share/fish/vendor_completions.d/selene.fish"
    install -D -m 644 "$here/debian/lintian-overrides" "$tree/usr/share/lintian/overrides/selene"
    cp -R "$common/man/man1" "$tree/usr/share/man/"
    install -m 644 "$work/copyright" "$here/debian/README.Debian" "$doc/"
    install -m 644 "$root/CHANGELOG.md" "$doc/changelog"
    printf 'selene (%s) stable; urgency=medium\n\n  * Release %s; changelog.gz has the changes.\n\n -- %s  %s\n' \
        "$full" "$version" "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")" > "$doc/changelog.Debian"
    gzip -9n "$doc/changelog" "$doc/changelog.Debian" "$tree"/usr/share/man/man1/*.1
    for script in config preinst postinst prerm postrm; do install -m 755 "$here/debian/$script" "$tree/DEBIAN/"; done
    install -m 644 "$here/debian/templates" "$tree/DEBIAN/"
    echo /etc/selene/selene.yaml > "$tree/DEBIAN/conffiles"
    (cd "$tree" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | sort -z | xargs -0 md5sum) > "$tree/DEBIAN/md5sums"
    cat > "$tree/DEBIAN/control" <<END
Package: selene
Version: $full
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size --exclude=DEBIAN "$tree" | cut -f1)
Depends: $needs, debconf (>= 0.5) | debconf-2.0, passwd, tzdata
Recommends: ca-certificates, libopenblas0-pthread, poppler-utils
Suggests: tesseract-ocr
Section: web
Priority: optional
Description: self-hosted Ollama proxy and retrieval gateway over your notes
 Selene Gateway stands in front of Ollama and a SQLite file of your notes.
 Phones, laptops and scripts generate, embed and search with keys of their
 own, over Ollama's API, the OpenAI API and MCP. It has hybrid search with
 explained scores, chat with checked citations, books, and a web client.
END
    pack "$tree"
    compression=xz
    [ -z "$trial" ] || compression=none
    dpkg-deb --root-owner-group -Z$compression --build "$tree" "$out/selene_${full}_$arch.deb" > /dev/null
    echo "$out/selene_${full}_$arch.deb"
}

[ -n "$trial" ] || tarball
if command -v dpkg-deb > /dev/null; then debian; fi
