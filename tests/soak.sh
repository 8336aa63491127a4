#!/bin/sh
# `make soak`: runs one part of the long tests, or every part: soak.sh [PART] [USER-ID] [ROUND].
#
# A part is cut for 40 minutes on two cores. Each round of the crash models, 1 to 12, tries
# another twelfth of their cases. With a user id the caller builds the tests, and they run as that
# user, without any privilege: that takes root. Models run on a volume in memory, where the user of
# the process makes no difference, so they run without a user id only.
set -eu
cd "$(dirname "$0")/.."

part=${1:-}
as=${2:-}
export FSGATE_SOAK="${3:-1}"

if [ -n "$as" ]; then
    # The scratch directory is all that the user may write.
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    chown "$as:$as" "$scratch"
    runs() {
        setpriv --reuid "$as" --regid "$as" --clear-groups --inh-caps=-all --no-new-privs \
            env TMPDIR="$scratch" HOME="$scratch" "$@"
    }
else
    runs() { "$@"; }
fi

# Builds a test program of a package, then runs it where `cargo test` would:
# PACKAGE DIRECTORY BUILD-OPTIONS -- TEST-OPTIONS.
tried() {
    package=$1 directory=$2 options=
    shift 2
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    shift
    # Options are words without blanks.
    # shellcheck disable=SC2086
    built=$(cargo test --no-run --package "$package" $options 2>&1) || { echo "$built" >&2; exit 1; }
    program=$(echo "$built" | sed -n 's/^ *Executable .*(\(.*\))$/\1/p')
    program=$(realpath "$program")
    (cd "$directory" && runs "$program" --nocapture "$@")
}

in_memory() {
    if [ -n "$as" ]; then
        echo "soak: a model in memory is the same for every user, so it is left out for $as: $*"
    else
        tried "$@"
    fi
}

crashes() { in_memory fsgate-engine guest/engine --profile soak --test crashes -- "$@"; }
models() { in_memory "fsgate-$1" "guest/$1" --profile soak --lib -- "$2"; }
# One after the other: kills and full disks need the machine to themselves.
processes() { tried fsgate host --test host -- --test-threads 1 "$@"; }
suite() { tried fsgate-tests tests --test suite -- "$@"; }

# A module that is named nowhere here belongs to the journal, or to the races.
journal() { crashes --skip power:: --skip set_aside:: --skip external_edits:: --skip permissions:: --skip quota:: --skip second_names:: --skip stuck_trash::; }

# A loss of power takes as long as all others of the journal's models.
history() {
    crashes power::
    models journal lease
    models engine sequences
    models engine wandering
    suite what_is_undone_call_by_call
}

deletions() {
    crashes set_aside:: external_edits:: permissions:: quota:: second_names:: stuck_trash::
    processes crash::full:: crash::permissions::
}

races() {
    processes crash:: --skip crash::full:: --skip crash::permissions::
    suite races
}

case $part in
    journal | history | deletions | races) parts=$part ;;
    '') parts='journal history deletions races' ;;
    *) echo "soak: there is no part $part; the parts are journal, history, deletions and races" >&2; exit 2 ;;
esac
for part in $parts; do
    begun=$(date +%s)
    "$part"
    echo "soak: $part took $((($(date +%s) - begun) / 60)) minutes"
done
