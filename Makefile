# tapedeck: everything a developer types. `make help` lists it.
.DEFAULT_GOAL := help
SHELL := /bin/sh

BIN     := bin/tapedeck
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
GOBUILD := CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$(VERSION)"

.PHONY: help up build engine test test-race check fuzz bench clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

up: build ## build all and run it with a demo recording on http://127.0.0.1:4600
	$(BIN) up --demo

build: engine ## leave bin/tapedeck
	$(GOBUILD) -o $(BIN) ./cmd/tapedeck

engine: ## install the ClickHouse engine for local mode into bin/engine
	@sh deploy/local/engine/install.sh

test: engine ## all tests, with the real NATS and the real ClickHouse
	go test ./...

test-race: engine ## all tests under the race detector
	CGO_ENABLED=1 go test -race ./...

check: ## gofmt, vet, staticcheck, govulncheck
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "not formatted: run gofmt -w on these"; exit 1; }
	go vet ./...
	go tool staticcheck ./...
	@go tool govulncheck ./... || { test $$? -ne 3 && echo "govulncheck: no vulnerability data could be had, skipped"; }

fuzz: ## every fuzz test for ten seconds
	@go list ./... | while read -r pkg; do \
	  go test -list '^Fuzz' $$pkg | grep '^Fuzz' | while read -r name; do \
	    echo "$$pkg $$name"; go test -run '^$$' -fuzz "^$$name\$$" -fuzztime 10s $$pkg || exit 1; done || exit 1; done

BENCH_GENERATOR := ../shared/bench/gen.py
BENCH_FRAMES    := 1000000

bench: build ## measure, and write docs/benchmarks.md
	@if [ -f $(BENCH_GENERATOR) ] && command -v python3 >/dev/null; then \
	  dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	  python3 $(BENCH_GENERATOR) $(BENCH_FRAMES) "$$dir/frames.ndjson" && \
	  $(BIN) bench --file "$$dir/frames.ndjson" --out docs/benchmarks.md; \
	else $(BIN) bench --frames $(BENCH_FRAMES) --out docs/benchmarks.md; fi

clean: ## remove what was built
	rm -rf bin
