#!/bin/sh
# Installs the programs that fsgate is measured beside and compared with, by name, into target/peers: each once.
#
#   bench/peers.sh            all; what cannot be installed is left out, and said so
#   bench/peers.sh rg fd      these; it fails if one cannot be installed
set -u
cd "$(dirname "$0")/.." || exit 1
peers=$PWD/target/peers

# Figures are of the newest version. Those that tests compare with are fixed: an answer must not change overnight.
install() {
    case $1 in
        rg) cargo_install rg ripgrep@15.2.0 ;;
        fd) cargo_install fd fd-find@10.5.0 ;;
        rust-mcp-filesystem) cargo_install rust-mcp-filesystem rust-mcp-filesystem ;;
        server-filesystem) npm_install @modelcontextprotocol/server-filesystem ;;
        *) echo "no peer is called $1"; return 1 ;;
    esac
}

cargo_install() {
    [ -x "$peers/bin/$1" ] && return
    echo "peers: cargo install $2"
    cargo install --quiet --locked --root "$peers" --target-dir "$peers/build" --no-track "$2"
    installed=$?
    rm -rf "$peers/build"
    return $installed
}

npm_install() {
    [ -d "$peers/node/node_modules/$1" ] && return
    echo "peers: npm install $1"
    npm install --silent --no-fund --no-audit --prefix "$peers/node" "$1"
}

for name in ${*:-rg fd rust-mcp-filesystem server-filesystem}; do
    install "$name" && continue
    [ $# -gt 0 ] && exit 1
    echo "peers: $name cannot be installed; its rows are left out"
done
