#!/bin/sh
# The main job on a copy of this repository's own sources: `make demo`, or `sh examples/demo.sh PATH-OF-FSGATE`.
# Every step is checked; the script fails if fsgate does not do what it says.
set -eu
cd "$(dirname "$0")/.."
fsgate=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/project"
cp -R guest/contract/src wit "$scratch/project/"
cp Makefile "$scratch/project/"
chmod 755 "$scratch/project/Makefile"
echo 'not for the agent' > "$scratch/secret.txt"
ln -s ../secret.txt "$scratch/project/link.txt"
cd "$scratch/project"
XDG_STATE_HOME=$scratch/state; export XDG_STATE_HOME

step() { printf '\n== %s\n' "$1"; }
fail() { printf 'demo: %s\n' "$1" >&2; exit 1; }
# Shows a command, runs it, and insists on its exit code.
run() {
    expected=$1; shift
    printf '$ fsgate'
    for word in "$@"; do
        case $word in *[!A-Za-z0-9_./=-]*|'') printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac
    done
    printf '\n'
    code=0; "$fsgate" "$@" 2>&1 || code=$?
    [ "$code" -eq "$expected" ] || fail "exit code $code instead of $expected"
}

step "Lines with their numbers"
run 0 read-numbered src/limits.rs --lines 1-12 --dir .

step "A replace that could mean several places is refused, with their line numbers"
cp src/limits.rs before.rs
run 1 replace src/limits.rs --old 'usize =' --new 'u64 =' --dir .
cmp src/limits.rs before.rs || fail "a refused call changed the file"

step "An exact replace, and its diff"
cp Makefile before.mk
identity=$(ls -li Makefile | awk '{ print $1, $2, $3, $4, $5 }')
run 0 replace Makefile --old 'Removes what was built' --new 'Removes all that was built' --diff --dir .
sed 's/Removes what was built/Removes all that was built/' before.mk | cmp - Makefile || fail "other bytes changed"
[ "$identity" = "$(ls -li Makefile | awk '{ print $1, $2, $3, $4, $5 }')" ] || fail "the file's identity changed"
echo "inode, mode, links, owner before and after: $identity"
echo "every other byte: as it was"

step "A text that is not there: the nearest place is named, with what is different"
run 1 replace Makefile --old '	cargo  clean' --new '	cargo clean --release' --dir .

step "What was not granted has no name inside: not by .., not by an absolute path, not by a link"
run 1 read ../secret.txt --dir .
run 1 read "$scratch/secret.txt" --dir .
run 1 read link.txt --dir .
run 1 replace link.txt --old agent --new nobody --dir .
[ "$(cat ../secret.txt)" = 'not for the agent' ] || fail "a file outside was changed"

step "A directory granted for reading only stays as it is"
run 1 create notes.txt --content 'hello' --read-only-dir .
[ ! -e notes.txt ] || fail "a file was created"

step "The same calls as an agent makes them"
run 0 call read_numbered '{"path": "Makefile", "lines": "1"}' --dir .
run 0 call create '{"path": "notes/today.txt", "content": "hello\n"}' --dir .
run 1 call create '{"path": "notes/today.txt", "content": "hello\n"}' --dir .

printf '\nDone: all of it held.\n'
