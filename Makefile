# `make demo` shows the gateway at work, `make test` runs the fast gear of the suite.
# Both install missing system packages, build and run.
SWIFT ?= swift
# Builds without debug information; DEBUG=1 keeps it, and builds everything again.
ifndef DEBUG
export PATH := $(CURDIR)/Tests/Scripts/bin:$(PATH)
endif
PREFIX ?= /usr/local
CONFIGURATION ?= debug
BIN = .build/$(CONFIGURATION)

.PHONY: help demo site test test-all test-postgres test-rest flaky check-all corpora collections test-web test-clients test-mcp test-contract push-kills soak fuzz attack sanitize build release install dist test-package dependencies lint format check bench build-costs coverage clean

## help: prints this list
help:
	@echo "Selene Gateway: a self-hosted Ollama proxy and retrieval gateway over your notes. Usage: make TARGET"
	@awk '/^## [a-z-]+: / { name = $$2; sub(/^## [^ ]+ /, ""); sub(/:$$/, "", name); printf "  %-13s %s\n", name, $$0; next } \
		/^## / { sub(/^## /, ""); printf "  %-13s %s\n", "", $$0 }' Makefile

## demo: sample notes, backfill, retrieval and a streamed answer; ONCE=1 exits after the answer
demo: build
	@$(BIN)/selene demo $(if $(ONCE),--once)

## site: lists the web client's files for the build; needed after one was added, moved or removed
site:
	sh Tests/Scripts/site.sh

## test: the tests that take less than a second, of all layers; ONLY='Goals|Tags' runs all tests whose name has this
## pattern
test: dependencies
	@SWIFT="$(SWIFT)" sh Tests/Scripts/test.sh $(if $(ONLY),--only '$(ONLY)',--gear fast)

## test-all: the whole suite
test-all: dependencies
	@SWIFT="$(SWIFT)" sh Tests/Scripts/test.sh

## test-postgres: the tests of whole gateways once more, with their notes on a PostgreSQL server
test-postgres: dependencies
	@SWIFT="$(SWIFT)" TEST_ENGINE=postgres sh Tests/Scripts/test.sh --only '$(or $(ONLY),GatewayTests\.)'

# What the last `make test` left out.
test-rest: dependencies
	@SWIFT="$(SWIFT)" sh Tests/Scripts/test.sh --gear rest

## flaky: the whole suite COUNT=20 times in random order beside two busy loops; lists what did not pass each time
flaky: dependencies
	@SWIFT="$(SWIFT)" sh Tests/Scripts/test.sh --count $(or $(COUNT),20) --busy 2 $(if $(ONLY),--only '$(ONLY)')

## coverage: the share of lines that the whole suite runs, by module; ARGS="--before FILE" compares with an earlier run
coverage: dependencies
	python3 Tests/Scripts/coverage.py $(ARGS)

## test-web: the web client: pure modules by node, Markdown, whole flows in Chromium; TESTS="test_chat.Chat" runs a part
test-web:
	sh Tests/Web/run.sh $(TESTS)

## test-clients: the official Python clients and LangChain's, direct and through the gateway; OLLAMA_URL adds your server
test-clients: build
	@$(SWIFT) build -c $(CONFIGURATION) --product fake-providers
	$$(sh Tests/Scripts/python.sh) Tests/Scripts/client_tests.py

## test-mcp: the MCP server, driven by the official Python clients of both generations, over HTTP and over `selene mcp`
test-mcp: build
	python3 Tests/MCP/mcp_tests.py

## push-kills: SIGKILL in every state of a delivery, to webhooks and to APNs; each one counted by a receiver; COUNT=10000
push-kills: build
	python3 Tests/Push/kills.py --count $(or $(COUNT),10000)
	python3 Tests/Push/kills.py --count $(or $(COUNT),10000) --apns

## soak: all kinds of clients and faults at once, with an account of every request; SECONDS=600
soak: build
	$$(sh Tests/Scripts/python.sh) Tests/Scripts/soak.py --seconds $(or $(SECONDS),600)

## test-contract: checks openapi.yaml against a running gateway, with schemathesis in a virtual environment below .build
test-contract: build
	sh Tests/Scripts/contract.sh

## corpora: every file of ../shared/corpora and ../shared/books through the parsers: crashes, hangs, memory, text; SAMPLE=10
corpora: dependencies
	@$(SWIFT) build -c $(CONFIGURATION) --product DocumentsBench
	python3 Benchmarks/Documents/corpora.py --binary $(BIN)/DocumentsBench --sample $(or $(SAMPLE),1)

## collections: on whole judged collections of ../shared the default ranking keeps its floors, and PostgreSQL ranks the same
collections: dependencies
	WHOLE_COLLECTIONS=1 $(SWIFT) test --filter 'PostgresCollectionTests|RetrievalQuality'

## fuzz: runs libFuzzer over all parsers of outside bytes; SECONDS=20 each, TARGETS="lines headers"
fuzz: dependencies
	sh Tests/Scripts/fuzz.sh $(or $(SECONDS),20) $(TARGETS)

## attack: sends random hostile input over sockets and files; SECONDS=30 per class, CLASSES="json rows", SEED=1
attack: build
	python3 Tests/Scripts/attack.py --seconds $(or $(SECONDS),30) --seed $(or $(SEED),1) $(CLASSES)

## sanitize: the suite under the thread sanitizer, the C kernels and the transport under the address sanitizer; an hour
## on two cores. KIND=address FILTER=TransportTests runs a part
sanitize: dependencies
	sh Tests/Sanitizers/sanitize.sh "$(KIND)" "$(FILTER)"

build: dependencies
	@$(SWIFT) build -c $(CONFIGURATION) --product selene
	@$(SWIFT) build -c $(CONFIGURATION) --product fake-ollama

## release: builds the binary to install, .build/release/selene
release: dependencies
	$(SWIFT) build -c release --product selene

## install: builds the release binary and copies it to PREFIX/bin (/usr/local/bin), on Linux without debug information
install: release
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 .build/release/selene "$(DESTDIR)$(PREFIX)/bin/selene"
	@[ "$$(uname)" != Linux ] || ! command -v strip > /dev/null || strip -S "$(DESTDIR)$(PREFIX)/bin/selene"

## dist: packages for this machine's architecture in dist/: a .tar.gz and, on Debian, a .deb
dist:
	@sh Tests/Scripts/dependencies.sh binutils dpkg-dev groff-base patchelf python3
	@mkdir -p .build
	python3 Sources/Packaging/icu_data.py swift .build/icu-data.o
	SELENE_DIST=1 $(SWIFT) build -c release --static-swift-stdlib --product selene
	sh Sources/Packaging/dist.sh .build/release/selene dist

## test-package: installs, serves, upgrades, removes and purges a .deb in a clean Debian, as root; PACKAGE=FILE, else the
## newest of dist/
test-package:
	sh Sources/Packaging/test-package.sh "$(or $(PACKAGE),$$(ls -t dist/selene_*.deb | head -n 1))"

## dependencies: installs missing system packages; asks first unless run as root
dependencies:
	@sh Tests/Scripts/dependencies.sh

## lint: checks formatting and module borders
lint:
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests Prompts Benchmarks
	sh Tests/Scripts/borders.sh
	python3 Tests/Scripts/site_borders.py
	sh Tests/Scripts/words.sh

## format: formats the sources
format:
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests Prompts Benchmarks

## check: what the gate runs: lint, the whole suite, pages, clients, contract and package if what they look at has changed, a soak,
## the demo
check: dependencies
	bash Tests/Scripts/check.sh

## check-all: the same, pages, clients, contract and package in any case, and the tests of gateways on PostgreSQL
check-all: dependencies
	bash Tests/Scripts/check.sh all

## build-costs: the processor time of a fresh build, by package and module; ARGS=--tests builds the tests too
build-costs: dependencies
	python3 Benchmarks/build_costs.py $(ARGS)

## bench: all benchmarks, or one: NAME=proxy ARGS="--rounds 5"; prints met and missed goals last
bench: dependencies
	python3 Benchmarks/bench.py $(NAME) $(ARGS)

clean:
	rm -rf .build
