#!/bin/sh
# Builds the four notes (PDF) and the handbook (DOCX) into examples/papers.
# Needs pdflatex (TeX Live with latex-recommended, fonts-recommended, lmodern) and pandoc.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(dirname "$here")/papers
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Fixed dates make two builds of the same sources equal.
export SOURCE_DATE_EPOCH=1795132800 FORCE_SOURCE_DATE=1
cp "$here"/*.tex "$here"/*.sty "$work"
cd "$work"
for note in *.tex; do
  name=${note%.tex}
  for pass in 1 2 3; do
    pdflatex -interaction=nonstopmode -halt-on-error "$note" > "$name.screen" || {
      tail -n 30 "$name.screen" >&2
      exit 1
    }
  done
  cp "$name.pdf" "$out/$name.pdf"
done
pandoc --from markdown --to docx --output "$out/operations-handbook.docx" \
  "$here/operations-handbook.md"
ls -l "$out"
