#!/bin/sh
# Measures the loop of a developer: seconds from an edit of one line to the end of its tests, as the
# median of three. The first build of each target is not measured. The edits are taken back.
set -eu
cd "$(dirname "$0")/.."

tool=guest/engine/src/tools/replace.rs
text=guest/text/src/excerpt.rs
trap 'git checkout --quiet -- "$tool" "$text"' EXIT
git diff --quiet -- "$tool" "$text" || { echo "loop: $tool or $text is changed already" >&2; exit 1; }

# Puts a number into the first line of a function: FILE FUNCTION NUMBER.
edit() {
    git checkout --quiet -- "$1"
    sed -i "/^pub fn $2[<(]/a std::hint::black_box($3_u32);" "$1"
}

# Prints the median of three: NAME FILE FUNCTION COMMAND...
measured() {
    name=$1 file=$2 function=$3
    shift 3
    edit "$file" "$function" 0
    "$@" >/dev/null 2>&1
    seconds=
    for number in 1 2 3; do
        edit "$file" "$function" "$number"
        begun=$(date +%s%N)
        "$@" >/dev/null 2>&1
        seconds="$seconds $((($(date +%s%N) - begun) / 100000000))"
    done
    git checkout --quiet -- "$file"
    # Words without blanks.
    # shellcheck disable=SC2086
    median=$(printf '%s\n' $seconds | sort -n | sed -n 2p)
    printf '%s: %d.%d s\n' "$name" $((median / 10)) $((median % 10))
}

measured 'a tool, its cases in memory' "$tool" run \
    cargo test --quiet --package fsgate-corpus --test memory replace::
measured 'a tool, its cases through the component' "$tool" run \
    cargo test --quiet --package fsgate-tests --test corpus json::replace::
measured 'a text module, its unit tests' "$text" cut \
    cargo test --quiet --package fsgate-text --profile quick --lib excerpt::
