#!/bin/sh
# Packs what is published of this workspace, and tries it as somebody does who has nothing else of it: `make package`.
set -eu
cd "$(dirname "$0")/../.."
repository=$PWD
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml)
# Each needs some of those before it.
crates='fsgate-generator fsgate-contract fsgate-text fsgate-policy fsgate-volume fsgate-error fsgate-journal fsgate-engine
    fsgate-compat fsgate-cli fsgate-artifact fsgate'

step() { printf '== %s\n' "$1"; }
fail() { printf 'package: %s\n' "$1" >&2; exit 1; }

step "What packages carry, and the repository has elsewhere or makes"
rm -rf guest/contract/wit guest/artifact/prebuilt
cp -R wit guest/contract/wit
mkdir guest/artifact/prebuilt
cp target/fsgate*.wasm guest/artifact/prebuilt/
(cd guest/artifact/prebuilt && sha256sum -- *.wasm >SHA256SUMS && cat SHA256SUMS)

step "Each package builds by itself"
# Apart from the repository's own builds, which have other profiles.
export CARGO_TARGET_DIR="$repository/target/crates"
packages=$CARGO_TARGET_DIR/package
rm -rf "$packages"
# cargo would take what it unpacked and built of the same version the last time for what is packed now.
for crate in $crates; do
    rm -rf "${CARGO_HOME:-$HOME/.cargo}"/registry/src/-*/"$crate-$version" "$CARGO_TARGET_DIR"/*/.fingerprint/"$crate"-*
done
# What was just put there is not in git.
# shellcheck disable=SC2046
cargo package --quiet --allow-dirty $(printf -- '--package %s ' $crates)

step "Each package has its licences in it"
for crate in $crates; do
    for licence in LICENSE-APACHE LICENSE-MIT; do
        tar -xzOf "$packages/$crate-$version.crate" "$crate-$version/$licence" | cmp - "$licence" || fail "$crate lacks $licence"
    done
done

step "The page of the crate has the lines of the README, and links to nothing that is not there"
rust() { awk '/^```/ { inside = 0 } inside { print } /^```rust$/ { inside = 1 }' "$1"; }
[ "$(rust host/README.md)" = "$(rust README.md)" ] || fail "host/README.md shows other lines than README.md"
if grep -n ']([^h]' host/README.md; then fail "host/README.md has such links"; fi

step "The lines of the README, with the packages alone"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/user/src" "$scratch/user/project"
{
    printf '[package]\nname = "user"\nedition = "2024"\n\n[workspace]\n\n[dependencies]\nfsgate = { version = "%s", features = ["kinds"] }\n\n[patch.crates-io]\n' "$version"
    for crate in $crates; do
        tar -xzf "$packages/$crate-$version.crate" -C "$scratch"
        printf '%s = { path = "../%s-%s" }\n' "$crate" "$crate" "$version"
    done
} >"$scratch/user/Cargo.toml"
# The same versions of everything else.
cp Cargo.lock "$scratch/user/"
{
    echo 'fn main() -> Result<(), Box<dyn std::error::Error>> {'
    rust README.md
    echo 'std::fs::write("fsgate.wasm", fsgate::COMPONENT)?;'
    echo 'std::fs::write("fsgate-act.wasm", fsgate::component(fsgate::ComponentKind::Act)?)?;'
    echo 'Ok(()) }'
} >"$scratch/user/src/main.rs"
cd "$scratch/user"
printf 'one\na draft\n' >project/notes.md
export XDG_STATE_HOME="$scratch/state"
said=$(cargo run --quiet)
[ "$said" = "line [2] of $PWD/project/notes.md" ] || fail "it said: $said"
[ "$(cat project/notes.md)" = "$(printf 'one\na final')" ] || fail "the file is not what it should be"
for component in fsgate.wasm fsgate-act.wasm; do
    cmp "$component" "$repository/target/$component" || fail "$component is not the component of the repository"
done
echo "$said"

step "A component that is not the one that was packed is refused"
printf x >>"../fsgate-artifact-$version/prebuilt/fsgate.wasm"
if cargo build --quiet 2>"$scratch/said"; then fail "a damaged component was taken"; fi
grep -o '`fsgate.wasm` is not the component that was packed' "$scratch/said" || fail "$(cat "$scratch/said")"
