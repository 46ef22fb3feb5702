# The commands that everybody uses. They need Go and Node with npm, nothing else;
# make test also wants a Chromium or Chrome, and says how to get one.

PORT ?= 8080
# The address at which the site will be, for links that hold it whole.
BASE_URL ?=

GENERATOR := go run ./generator
CACHE := .cache
# What runs in the browser, and so is tested there too. Hosts are not.
WASM_PACKAGES = $(shell go list ./playground/... | grep -vE '/playground/(cmd|demofile|httpapi)(/|$$)')

.PHONY: serve build check test test-go test-random test-wasm test-types test-unit test-browser bench generate kubewalk release clean

serve: node_modules/.package-lock.json ## the site on http://127.0.0.1:8080 (PORT=), rebuilt on save
	PORT=$(PORT) $(GENERATOR) serve --base-url "$(BASE_URL)"

build: ## the site into public/
	$(GENERATOR) build --base-url "$(BASE_URL)"

# What Node prints is what the generator left in .cache/release.
release: node_modules/.package-lock.json ## the book as PDF and EPUB in each language, and the site as a zip, into release/
	$(GENERATOR) release --base-url "$(BASE_URL)" --out release
	node site/release/pdf.mjs $(CACHE)/release release

check: ## what is wrong with the book
	$(GENERATOR) check

test: test-go test-random test-wasm test-types test-unit test-browser ## everything

# The two modules of their own hold the generated types against upstream's, and
# our selectors, quantities and decoding against upstream's code.
test-go:
	@unformatted="$$(gofmt -l generator site playground wasm)"; \
	if [ -n "$$unformatted" ]; then echo "not formatted (cure: gofmt -w FILE):"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	GOOS=js GOARCH=wasm go vet ./wasm
	go test -timeout 40m ./...
	cd playground/api/gen && go test ./...
	cd playground/api/conformance && go test ./...

# What must hold in every cluster, in this many random ones; see playground/chaos.
EXPERIMENTS ?= 10000
test-random:
	go run ./playground/cmd/trace -random $(EXPERIMENTS) -check

# The wrapper is Go's own: it runs a test's wasm under Node. Every test runs there, but those that repeat themselves
# with many seeds do it less often (-short): wasm takes five times as long, and whether both hosts do the same is what
# playground/cmd/trace compares.
test-wasm:
	GOOS=js GOARCH=wasm go test -short -timeout 40m -exec "$$(go env GOROOT)/lib/wasm/go_js_wasm_exec" $(WASM_PACKAGES)

test-types: node_modules/.package-lock.json
	node_modules/.bin/tsc -p tsconfig.json
	node_modules/.bin/tsc -p tsconfig.test.json

test-unit: node_modules/.package-lock.json
	go run ./generator/unit

test-browser: node_modules/.package-lock.json
	node site/tests/install.mjs
	go build -o $(CACHE)/generator ./generator
	$(CACHE)/generator build --out $(CACHE)/site
	$(CACHE)/generator pack --out $(CACHE)/kubewalk
	SITE=$(CACHE)/site KUBEWALK=$(CACHE)/kubewalk node site/tests/run.mjs

bench: node_modules/.package-lock.json ## the benchmarks and sizes, and what a browser takes, as one table
	@go run ./generator/bench

generate: ## what is generated and committed
	go tool templ generate -path site/pages
	$(GENERATOR) schema --out docs/schema

kubewalk: ## bin/kubewalk: one program that needs no checkout, no Go and no Node
	$(GENERATOR) pack --out bin/kubewalk

clean:
	rm -rf public bin $(CACHE) node_modules

# npm writes this file last, so it tells that an installation is whole.
node_modules/.package-lock.json: package.json package-lock.json
	npm ci --no-audit --no-fund
	@touch $@
