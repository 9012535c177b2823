# Bare `make` lists the targets. `make run` and `make test` do all set-up.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

BIN := bin/otelcol-agent
export CGO_ENABLED ?= 0
TOOL := go tool -modfile=$(CURDIR)/tools/go.mod
METADATA := $(shell git ls-files '*/metadata.yaml')
# Fuzz targets run this long each in `make fuzz`.
FUZZTIME ?= 20s

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z][a-z-]*:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.PHONY: build
build: ## build bin/otelcol-agent
	go build -trimpath -ldflags '-s -w' -o $(BIN) ./cmd/otelcol-agent

.PHONY: run
run: build ## build and start with no configuration (preset agent)
	exec ./$(BIN)

.PHONY: demo
demo: build ## replay the example incident into a fresh store and print its review
	cd testbed && go run ./cmd/demo -bin ../$(BIN)

.PHONY: check
check: ## the quick part: format, vet, staticcheck, unit tests
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not formatted, run gofmt -w:" $$unformatted; exit 1; fi
	go vet ./...
	$(TOOL) staticcheck ./...
	go test ./...

.PHONY: test
test: check race e2e dashboards clickhouse browser clean-tree ## everything: check, race detector, end to end, dashboards, the real ClickHouse, the pages in Chromium, generated files

.PHONY: race
race: ## unit tests under the race detector, without those that do one thing after another (needs a C compiler)
	@command -v $${CC:-gcc} >/dev/null || { apt-get update -qq && apt-get install -y -qq gcc libc6-dev; }
	CGO_ENABLED=1 go test -race -short ./internal/... ./semconv/... ./receiver/... ./processor/... ./connector/... ./exporter/... ./extension/... ./cmd/...

.PHONY: e2e
e2e: build ## end to end: the real binary over loopback
	cd testbed && go vet ./... && OTELCOL_AGENT_BIN=$(CURDIR)/$(BIN) go test -count=1 ./...

.PHONY: kill-loop
kill-loop: build ## kill the real binary 100 times in the middle of tail sampling, and a writer to ClickHouse 60 times, and count what is lost
	cd testbed && OTELCOL_AGENT_BIN=$(CURDIR)/$(BIN) go test ./e2e -count=1 -run TestKillLosesNoProtectedRun -v -timeout 60m -args -tail-kills=100
	npm ci --prefix testbed/clickhouse --no-audit --no-fund
	cd testbed/clickhouse && go test ./store -count=1 -run 'TestKilledCollectorLosesNothingAcknowledged|TestKilledWhileWriting' -v -timeout 60m -args -kills=30

.PHONY: clickhouse
clickhouse: build ## the store in the real ClickHouse engine (npm fetches it as a library)
	@command -v npm >/dev/null || { apt-get update -qq && apt-get install -y -qq npm; }
	npm ci --prefix testbed/clickhouse --no-audit --no-fund
	cd testbed/clickhouse && go vet ./... && OTELCOL_AGENT_BIN=$(CURDIR)/$(BIN) go test -count=1 -timeout 20m ./...

# Chromium and the rules of axe; npm is asked for what is locked.
.PHONY: chromium
chromium:
	@command -v chromium >/dev/null && command -v npm >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium npm fonts-dejavu-core; }
	npm ci --prefix testbed/browser --no-audit --no-fund

.PHONY: browser
browser: build chromium ## the review pages in Chromium, as people use them
	cd testbed/browser && go vet ./... && OTELCOL_AGENT_BIN=$(CURDIR)/$(BIN) go test -count=1 ./...

.PHONY: screenshots
screenshots: build chromium ## remake the pictures of docs/from-alert-to-cause.md
	@fc-list | grep -q Inter- || apt-get install -y -qq fonts-inter
	cd testbed/browser && OTELCOL_AGENT_BIN=$(CURDIR)/$(BIN) go test -count=1 -run TestGuideCanBeFollowed . -args -pictures=$(CURDIR)/docs/images

.PHONY: dashboards
dashboards: ## tests of the Grafana dashboards and alert rules
	cd dashboards/gen && go vet ./... && go test -count=1 ./...

.PHONY: bench
bench: ## benchmarks, with allocations
	go test -run '^$$' -bench . -benchmem ./internal/... ./processor/... ./connector/... ./exporter/...

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME
	@for pkg in $$(git grep -lE '^func Fuzz' -- '*_test.go' | xargs -n1 dirname | sort -u); do \
	  for f in $$(grep -hoE '^func (Fuzz[A-Za-z0-9]+)' $$pkg/*_test.go | cut -d' ' -f2); do \
	    echo "$$pkg $$f"; go test ./$$pkg -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME); done; done

.PHONY: generate
generate: ## rewrite components.go, component metadata, names, docs tables and dashboards
	cd semconv && go run ./gen
	cd dashboards/gen && go run . -out ..
	$(TOOL) builder --config builder-config.yaml --skip-get-modules --skip-compilation
	gofmt -w _build/components.go && cp _build/components.go cmd/otelcol-agent/components.go
	@for m in $(METADATA); do echo "mdatagen $$m"; (cd $$(dirname $$m) && $(TOOL) mdatagen metadata.yaml); done
	gofmt -w $(METADATA:metadata.yaml=.)

# Every file that generation may touch, with its digest.
GENERATED := git ls-files -co --exclude-standard -- $(METADATA:metadata.yaml=) semconv docs cmd dashboards | sort | xargs sha256sum

.PHONY: clean-tree
clean-tree: ## fail if `make generate` changes anything
	@mkdir -p _build; $(GENERATED) >_build/before
	@$(MAKE) --no-print-directory generate >_build/generate.log 2>&1 || { cat _build/generate.log; exit 1; }
	@$(GENERATED) >_build/after; diff _build/before _build/after || { echo "generated files were stale; commit what make generate wrote"; exit 1; }

.PHONY: clean
clean: ## remove build output
	rm -rf bin _build
