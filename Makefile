# tapedeck: everything a developer types. `make help` lists it.
.DEFAULT_GOAL := help
SHELL := /bin/sh

BIN     := bin/tapedeck
BENCH   := bin/tapedeck-bench
# The version is in the file VERSION; the commit is added to it. Go's own stamp is left out: it
# has the state of the checkout, so that a build from an archive would differ.
COMMIT  := $(shell git rev-parse HEAD 2>/dev/null)$(shell git diff --quiet HEAD 2>/dev/null || echo .dirty)
GOBUILD := go build -trimpath -buildvcs=false -ldflags "-s -w -X tapedeck.commit=$(COMMIT)"

# Everything is compiled without C and without the paths of this checkout: the program and its
# tests share their packages in Go's build cache, and so do several checkouts.
export CGO_ENABLED := 0
export GOFLAGS := $(strip $(filter-out -trimpath,$(shell go env GOFLAGS)) -trimpath)

# golangci-lint has a module of its own, so that the product's does not list what it needs.
LINT    := go tool -modfile=tools/golangci.mod golangci-lint

NPM := npm --no-fund --no-audit --prefix dashboards/web
UI  := dashboards/web/dist/index.html

.PHONY: plan balancer replicas fairness memory install uninstall prices reference soak torture help up build program deb sbom licences reproducible ui engine clients screenshots terminal test test-pages test-go test-long test-alone coverage test-race test-month check fuzz oracle bench bench-scale bench-backup bench-follow speed clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

up: build ## build all and run it with a demo recording on http://127.0.0.1:4600
	$(BIN) up --demo

build: engine program ## leave bin/tapedeck

program: ui
	$(GOBUILD) -o $(BIN) ./cmd/tapedeck

PREFIX := $(HOME)/.local

install: build ## install bin/tapedeck and its engine below ~/.local (PREFIX=/usr/local)
	@sh tools/install/install.sh "$(PREFIX)"

uninstall: ## remove what make install installed (PREFIX=)
	rm -rf "$(PREFIX)/lib/tapedeck" "$(PREFIX)/bin/tapedeck"

ui: $(UI) ## build the pages that are part of the program

dashboards/web/node_modules/.package-lock.json: dashboards/web/package-lock.json dashboards/web/package.json
	$(NPM) ci
	@touch $@

$(UI): dashboards/web/node_modules/.package-lock.json query/openapi.yaml dashboards/web/index.html \
       dashboards/web/vite.config.ts dashboards/web/vite.file.config.ts dashboards/web/postcss.config.cjs $(shell find dashboards/web/src -type f 2>/dev/null | grep -v schema.gen.ts)
	$(NPM) run build

reference: ## write the reference pages of settings and metrics, and the settings in the chart's schema, from their declarations
	go run ./tools/settingsreference docs/reference/configuration.md
	go test -count=1 ./deploy/helm -run TestSchemaSettings -write-schema
	go test -count=1 ./cmd/tapedeck -run 'TestMetricsReference$$' -write-reference

sbom: build ## write the software bill of materials of bin/tapedeck (CycloneDX) to bin/tapedeck.cdx.json
	go run ./tools/tapedeck-parts sbom --out bin/tapedeck.cdx.json $(BIN)

deb: build ## write the Debian packages bin/tapedeck_*.deb and bin/tapedeck-engine_*.deb
	@sh deploy/packages/build.sh engine

licences: ui ## write the licences of all shipped parts to THIRD_PARTY_LICENCES
	go run ./tools/tapedeck-parts licences

reproducible: build ## build again in another directory and compare (FRESH=1: compile all of Go again)
	@sh tools/parts/reproducible.sh "$(COMMIT)"

engine: ## install the ClickHouse engine for local mode into bin/engine
	@sh internal/local/engine/install.sh

clients: ## install the clients of others that tests point at recordings
	@sh tools/systemtest/clients/install.sh

# The linker leaves out what only debuggers read. go vet is part of make check. Packages that wait
# for servers leave the processors to others, so that more run at once than there are processors.
# The packages of tools/systemtest take longest, so they begin first.
GOTEST := TAPEDECK_TEST_PROGRAM=$(CURDIR)/$(BIN) go tool gotestsum --format pkgname-and-test-fails --packages="./tools/systemtest/... ./..." \
  -- -vet=off -ldflags=-w -timeout 40m -p 3

test: build clients ## what every change needs: tests with the real NATS, the real ClickHouse and a real browser; skipped tests are listed at the end
	@$(MAKE) --no-print-directory test-pages
	@$(MAKE) --no-print-directory test-go

# Not beside the tests of Go: both together delay one another by minutes on two processors.
test-pages: build clients
	$(NPM) test
	$(NPM) run e2e

test-go: build clients
	$(GOTEST)

test-long: build clients ## the long tests: torture, upgrades, deployment, key rotation, erasure killed at every step, race detector, fuzz tests for seconds, two shards (MINUTES=20: what fits; KINDS="long pages race fuzz shards")
	@TAPEDECK_TEST_PROGRAM=$(CURDIR)/$(BIN) KINDS="$(KINDS)" sh tools/test/long.sh $(MINUTES)

test-alone: build ## the tests of packages that read captured streams, in a clone without them
	@sh tools/test/alone.sh

coverage: build clients ## statements of the product that all tests cover, with the programs they start
	@sh tools/test/coverage.sh

screenshots: build ## pictures of every page, and of a recorded terminal, into docs/screenshots
	$(NPM) run screenshots

terminal: build ## record commands on a terminal, and write docs/screenshots/terminal.svg
	$(NPM) run terminal

test-race: engine clients ## all tests under the race detector
	CGO_ENABLED=1 go test -race -timeout 60m ./...

test-shards: engine ## the tests of the packages in tools/test/sharded on a ClickHouse cluster of two shards
	TAPEDECK_TEST_LONG=1 TAPEDECK_TEST_SHARDS=2 xargs go test -timeout 60m <tools/test/sharded

MONTH_CALLS := 500000

test-month: engine ## compare the reports of a generated month with a script's (MONTH_CALLS=)
	go test -timeout 120m -v -run 'TestMonth$$' ./query/report/usagereport -month-calls $(MONTH_CALLS)

prices: ## take a published table of list prices into the program (FILE=, DATE= of the table)
	go run ./tools/pricetable $(if $(DATE),-date $(DATE)) $(FILE)
	go test ./query/pricing/prices

ROUNDS := 20

torture: engine ## break things under load, ROUNDS times, and check that nothing was lost
	TAPEDECK_TEST_LONG=1 go test ./tools/systemtest/torture -count=1 -v -timeout 0 -run TestTorture -args -torture.rounds $(ROUNDS)

fairness: build ## how long small streams wait beside floods, of what they wait beside equal streams
	TAPEDECK_TEST_SPEED=1 TAPEDECK_TEST_PROGRAM=$(CURDIR)/$(BIN) go test ./tools/systemtest/fairness -count=1 -v -timeout 30m -args -fairness

memory: build ## a server in a control group of 1 GB, with 10,000 streams and frames of 16 MB (as root)
	TAPEDECK_TEST_PROGRAM=$(CURDIR)/$(BIN) go test ./tools/systemtest/memory -count=1 -v -timeout 30m -run TestControlGroup -args -memory

balancer: build clients ## two servers behind HAProxy and two sinks, each killed ten times under load (needs haproxy)
	@command -v haproxy > /dev/null || { echo "HAProxy is not installed: apt-get install haproxy"; exit 1; }
	TAPEDECK_TEST_LONG=1 TAPEDECK_TEST_PROGRAM=$(CURDIR)/$(BIN) go test ./tools/systemtest/commands/failure -count=1 -v -timeout 30m -run TestBehindHAProxy

replicas: engine ## replicated tables on two shards of two replicas: what tapedeck creates and checks (needs zookeeper)
	@test -f /usr/share/java/zookeeper.jar || { echo "ZooKeeper is not installed: apt-get install zookeeper"; exit 1; }
	TAPEDECK_TEST_LONG=1 go test ./schema/clickhouse ./internal/app/command/doctor -count=1 -v -timeout 20m -run 'TestReplica|TestCheckReplicas'

check: ui ## gofmt, golangci-lint (with vet and staticcheck), govulncheck, hashes of modules; types, lint and format of the pages
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "not formatted: run gofmt -w on these"; exit 1; }
	go mod verify
	$(LINT) run
	$(NPM) run check
	@go tool govulncheck ./... || { test $$? -ne 3 && echo "govulncheck: no vulnerability data could be had, skipped"; }

FUZZTIME  := 10s
FUZZSHARD := 1/1

fuzz: ## every fuzz test for ten seconds (FUZZTIME=10m: for ten minutes; FUZZSHARD=2/4: the second quarter of them), one after the other
	@sh tools/test/fuzz.sh $(FUZZTIME) $(FUZZSHARD)

BENCH_GENERATOR := ../shared/bench/gen.py
BENCH_FRAMES    := 1000000
BENCH_PEER      :=
BENCH_PEER_DIR  := ../shared/bench/benthos
BENCH_OUT       := docs/benchmarks.md

# The dialects' benchmarks one package after the other: side by side they would
# share the processors.
bench: build ## measure, and write docs/benchmarks.md; BENCH_PEER=1 measures Benthos as well
	go build -o $(BENCH) ./tools/tapedeck-bench
	@set -e; dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; trap 'exit 130' INT TERM; \
	if [ -f $(BENCH_GENERATOR) ] && command -v python3 >/dev/null; then \
	  python3 $(BENCH_GENERATOR) $(BENCH_FRAMES) "$$dir/frames.ndjson"; set -- --file "$$dir/frames.ndjson"; \
	else set -- --frames $(BENCH_FRAMES); fi; \
	if [ "$(BENCH_PEER)" = 1 ] && [ -d $(BENCH_PEER_DIR) ]; then set -- "$$@" --peer $(BENCH_PEER_DIR); fi; \
	echo "Dialects: their own benchmarks …" >&2; \
	go test -p 1 -run xxx -bench . -benchtime 1s ./ingest/dialect/... > "$$dir/dialects.txt" || { cat "$$dir/dialects.txt"; exit 1; }; \
	$(BENCH) "$$@" --dialects "$$dir/dialects.txt" --json bin/benchmarks.json --out $(BENCH_OUT)
	@$(MAKE) speed

oracle: ## compare the rules for secrets with those of gitleaks, which is built first
	TAPEDECK_TEST_ORACLE=1 go test ./ingest/redact -run 'TestOracle$$' -count=1 -v

FRAMES    := 100000000
SESSIONS  :=
SCALE_DIR :=
SCALE_OUT := docs/benchmarks-scale.md

bench-scale: build ## fill 100 million frames (FRAMES=, SESSIONS=, SCALE_DIR= to keep them), measure reports and lists, write docs/benchmarks-scale.md
	go build -o $(BENCH) ./tools/tapedeck-bench
	$(BENCH) scale --frames $(FRAMES) $(if $(SESSIONS),--sessions $(SESSIONS)) $(if $(SCALE_DIR),--dir $(SCALE_DIR)) --json bin/benchmarks-scale.json --out $(SCALE_OUT)

bench-backup: build ## fill 5 million frames (BACKUP_FRAMES=), back them up, restore and verify them, write docs/benchmarks-backup.md
	go build -o $(BENCH) ./tools/tapedeck-bench
	$(BENCH) backup --frames $(or $(BACKUP_FRAMES),5000000) --json bin/benchmarks-backup.json --out docs/benchmarks-backup.md

bench-follow: build ## follow a running session with 1, 30 and 100 clients, alone and beside busy loops, write docs/benchmarks-follow.md
	go build -o $(BENCH) ./tools/tapedeck-bench
	$(BENCH) follow --json bin/benchmarks-follow.json --out docs/benchmarks-follow.md

plan: ## compute and simulate installations up to a million frames a second and a petabyte, write docs/benchmarks-plan.md
	go run ./tools/tapedeck-bench plan --out docs/benchmarks-plan.md > /dev/null

soak: build ## record over 2,000 connections with 500 replays at once for 10 minutes (FOR=), check every frame, watch memory, write docs/benchmarks-soak.md
	go build -o $(BENCH) ./tools/tapedeck-bench
	$(BENCH) soak --for $(or $(FOR),10m) --json bin/benchmarks-soak.json --out docs/benchmarks-soak.md

# One package after the other, on a machine that does nothing else.
speed: engine clients ## the tests that assert how long something takes, with these assertions on
	TAPEDECK_TEST_SPEED=1 go test -p 1 -count=1 $$(go list -f '{{.ImportPath}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./... \
	  | grep -F tapedeck/internal/speedtest | cut -d' ' -f1)

clean: ## remove what was built
	rm -rf bin dashboards/web/node_modules tools/systemtest/clients/node_modules
	find dashboards/web/dist -mindepth 1 ! -name .gitkeep -delete
