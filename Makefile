# Two commands: `make demo` shows everything at work, `make test` runs the whole suite.
# Both install what is missing, build and run.
SWIFT ?= swift
PREFIX ?= /usr/local
CONFIGURATION ?= debug
BIN = .build/$(CONFIGURATION)

.PHONY: demo test test-clients test-contract soak fuzz sanitize build release install dependencies lint format check bench clean

## demo: sample notes, backfill, retrieval and a streamed answer; ONCE=1 ends by itself
demo: build
	@$(BIN)/selene demo $(if $(ONCE),--once)

## test: the whole suite, one test after the other: some keep every core busy, others wait for sockets in real time
test: dependencies
	$(SWIFT) test --no-parallel

## test-clients: the official Python clients and LangChain's, direct and through the gateway; OLLAMA_URL adds your server
test-clients: build
	$$(sh Tests/Scripts/python.sh) Tests/Scripts/client_tests.py

## soak: every kind of client and fault at once, with every request accounted for; SECONDS=600
soak: build
	$$(sh Tests/Scripts/python.sh) Tests/Scripts/soak.py --seconds $(or $(SECONDS),600)

## test-contract: openapi.yaml against a running gateway, with schemathesis in a virtual environment below .build
test-contract: build
	sh Tests/Scripts/contract.sh

## fuzz: libFuzzer over every parser that sees bytes from outside; SECONDS=20 each, TARGETS="lines headers"
fuzz: dependencies
	sh Tests/Scripts/fuzz.sh $(or $(SECONDS),20) $(TARGETS)

## sanitize: the suite under the thread sanitizer, the C kernels and the transport under the address sanitizer; takes an
## hour on two cores. KIND=address FILTER=TransportTests runs a part
sanitize: dependencies
	sh Tests/Scripts/sanitize.sh "$(KIND)" "$(FILTER)"

build: dependencies
	@$(SWIFT) build -c $(CONFIGURATION) --product selene
	@$(SWIFT) build -c $(CONFIGURATION) --product fake-ollama

## release: the binary to install, .build/release/selene
release: dependencies
	$(SWIFT) build -c release --product selene

## install: the release binary into PREFIX (/usr/local)
install: release
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 .build/release/selene "$(DESTDIR)$(PREFIX)/bin/selene"

## dependencies: installs the missing system packages; not as root it asks first
dependencies:
	@sh Tests/Scripts/dependencies.sh

## lint: formatting and module borders
lint:
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests Prompts Benchmarks
	sh Tests/Scripts/borders.sh

## format: rewrites sources in the project's format
format:
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests Prompts Benchmarks

## check: what CI runs
check: lint test
	$(SWIFT) build -c release --product selene --explicit-target-dependency-import-check error
	$(MAKE) demo ONCE=1

## bench: all benchmarks, or one: NAME=proxy ARGS="--rounds 5"; goals that are met and missed come last
bench: dependencies
	python3 Benchmarks/bench.py $(NAME) $(ARGS)

clean:
	rm -rf .build
