# Everything that can be done here, each a line or two. `make demo` shows the main job, `make test` proves it.

GUEST_TARGET := wasm32-unknown-unknown

.PHONY: help setup build component demo test bench fmt lint doc clean

help: ## Lists these commands
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "%-10s %s\n", $$1, $$2 }'

setup: ## Adds the Rust target that the component is built for, if it is missing
	@if [ ! -d "$$(rustc --print target-libdir --target $(GUEST_TARGET))" ]; then \
		echo "setup: adding the Rust target $(GUEST_TARGET) to the toolchain: rustup target add $(GUEST_TARGET)"; \
		rustup target add $(GUEST_TARGET); \
	fi

build: setup ## Builds the program, optimised: target/release/fsgate
	cargo build --package fsgate --release

component: setup ## Writes the component to target/fsgate.wasm
	cargo run --quiet --package fsgate -- component --output target/fsgate.wasm

demo: setup ## Shows the main job on a copy of this repository's own sources
	cargo build --package fsgate
	sh examples/demo.sh target/debug/fsgate

test: setup ## Runs every test
	cargo test

bench: setup ## Measures start-up and calls, side by side with ordinary programs
	cargo build --release --package fsgate --package fsgate-bench
	target/release/fsgate-bench

fmt: ## Formats the sources
	cargo fmt --all

lint: setup ## Checks formatting and lints, for the host and for the component; warnings are errors
	cargo fmt --all --check
	cargo clippy --all-targets -- --deny warnings
	cargo clippy --package fsgate-guest --target $(GUEST_TARGET) -- --deny warnings

doc: setup ## Builds the API documentation
	cargo doc --no-deps

clean: ## Removes what was built
	cargo clean
