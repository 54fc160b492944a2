# Two commands: `make demo` shows everything at work, `make test` runs the whole suite.
# Both install what is missing, build and run.
SWIFT ?= swift
CONFIGURATION ?= debug
BIN = .build/$(CONFIGURATION)

.PHONY: demo test test-clients test-contract soak build release dependencies lint format check bench bench-proxy bench-gateways bench-departures bench-retrieval bench-keyword bench-startup bench-quality bench-backfill bench-capture clean

## demo: sample notes, backfill, retrieval and a streamed answer; ONCE=1 ends by itself
demo: build
	@$(BIN)/selene demo $(if $(ONCE),--once)

## test: the whole suite, one test after the other: some keep every core busy, others wait for sockets in real time
test: dependencies
	$(SWIFT) test --no-parallel

## test-clients: the official Python clients and LangChain's, direct and through the gateway; OLLAMA_URL adds your server
test-clients: build
	$$(sh Tests/Scripts/python.sh ollama openai langchain-ollama) Tests/Scripts/client_tests.py

## soak: every kind of client and fault at once, with every request accounted for; SECONDS=600
soak: build
	$$(sh Tests/Scripts/python.sh aiohttp) Tests/Scripts/soak.py --seconds $(or $(SECONDS),600)

## test-contract: openapi.yaml against a running gateway, with schemathesis in a virtual environment below .build
test-contract: build
	sh Tests/Scripts/contract.sh

build: dependencies
	@$(SWIFT) build -c $(CONFIGURATION) --product selene
	@$(SWIFT) build -c $(CONFIGURATION) --product fake-ollama

## release: the binary to install, .build/release/selene
release: dependencies
	$(SWIFT) build -c release --product selene

## dependencies: installs the missing system packages
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

## bench: all benchmarks; results belong in Benchmarks/RESULTS.md
bench: bench-proxy bench-gateways bench-departures bench-retrieval bench-keyword bench-startup

bench-proxy:
	sh Benchmarks/proxy.sh

## bench-gateways: beside nginx, Caddy and LiteLLM; 500 slow streams
bench-gateways:
	sh Benchmarks/gateways.sh

## bench-departures: clients that leave, and one key that floods
bench-departures:
	$(MAKE) build CONFIGURATION=release
	CONFIGURATION=release $$(sh Tests/Scripts/python.sh aiohttp) Benchmarks/departures.py

bench-retrieval:
	sh Benchmarks/retrieval.sh

bench-keyword:
	sh Benchmarks/keyword.sh

bench-startup:
	sh Benchmarks/startup.sh

## bench-backfill: notes a second against the upstream's ceiling, and questions meanwhile
bench-backfill:
	sh Benchmarks/backfill.sh
	sh Benchmarks/associations.sh

## bench-capture: notes a second that a power cut does not undo, by 50 clients
bench-capture:
	$(MAKE) build CONFIGURATION=release
	CONFIGURATION=release python3 Benchmarks/capture.py --least 1000

## bench-quality: nDCG@10 over a BEIR collection with ready vectors; COLLECTION=path
bench-quality:
	sh Benchmarks/quality.sh $(COLLECTION)

clean:
	rm -rf .build Benchmarks/.build
