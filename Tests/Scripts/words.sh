#!/bin/sh
# Phrases that the house's plain English does without: fails on each line of sources and documents that has one.
set -eu
phrases='to be had|was had|were had|is told|are told|stands at|stands by|but for|for ever|whoever|sought|goes over to|what is not'
phrases="$phrases|that there is|so far as|of its own accord|nothing of this|asked for it"
if grep -rniwE "$phrases" Sources README.md Documentation CHANGELOG.md --include='*.swift' --include='*.md' --include='*.yaml' \
    --include='*.h' --include='*.c' --include='*.mustache'; then
    echo "These lines have a phrase that plain English does without; see the list in $0." >&2
    exit 1
fi
