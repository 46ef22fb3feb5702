# The commands that everybody uses. They need Go and Node with npm, nothing else;
# make test also wants a Chromium or Chrome, and says how to get one.

PORT ?= 8080
# The address at which the site will be, for links that hold it whole.
BASE_URL ?=

CACHE := .cache
# Compiled first, and with less thrift than the compiler has by itself: a tenth of its time goes into saving memory.
COMPILE := GOGC=400 go build -o $(CACHE)/generator ./generator
GENERATOR := $(COMPILE) && $(CACHE)/generator

# All that make compiles is compiled in one way, so nothing is compiled twice, in whichever folder it is: without the folder's
# name, without what only a debugger reads, which takes the compiler a sixth of its time, and without C.
ifeq ($(MAKELEVEL),0)
export GOFLAGS += -trimpath -gcflags=all=-dwarf=false -ldflags=-w
export CGO_ENABLED ?= 0
endif

# What only wasm can get wrong: numbers and encodings, and what the page's worker asks of. For all the rest
# playground/check/trace compares both hosts, byte for byte.
WASM_PACKAGES = ./playground/api/... ./playground/sim ./playground/trace ./playground/demo/session \
	./playground/controlplane/apiserver/validation ./playground/controlplane/controller/podautoscaler \
	./playground/controlplane/scheduler/framework/...

# The parts of make test, in order.
PARTS := test-types test-unit test-site test-go test-fuzz test-experiments test-wasm test-browser

.PHONY: serve build cluster check test $(PARTS) test-random e2e mutants broken fuzz decks npm npm-test bench generate kubewalk dist test-dist release videos clean

serve: ## the site on http://127.0.0.1:8080 (PORT=), rebuilt on save
	@echo "starting the generator (Go compiles it first: about a minute in a fresh clone)"
	@$(COMPILE) && PORT=$(PORT) exec $(CACHE)/generator serve --base-url "$(BASE_URL)"

build: ## the site into public/
	$(GENERATOR) build --base-url "$(BASE_URL)"

# What Node prints is what the generator left in .cache/release. Whoever commits the archive of the demos has links that
# were made with this release lead to it.
release: node_modules/.package-lock.json ## the book as PDF and EPUB in each language, and the site as a zip, into release/; its demos into content/releases/
	$(GENERATOR) release --base-url "$(BASE_URL)" --out release
	$(CACHE)/generator keep
	node site/release/pdf.mjs $(CACHE)/release release

# ja/replicaset-scale is a demo in Japanese.
DEMO ?= replicaset-scale
videos: test-site node_modules/.package-lock.json ## a video of each stretch of demos (DEMO=), from moment to moment, into release/
	node site/release/videos.mjs $(CACHE)/site release $(DEMO)

cluster: ## a cluster on 127.0.0.1:6443 (PORT=) and a kubeconfig for it; try: kubectl --kubeconfig kubeconfig get nodes
	@$(COMPILE) && exec $(CACHE)/generator cluster

check: ## what is wrong with the book
	$(GENERATOR) check

# Ends with the first part that fails, and with how long each took.
test: ## everything
	@mkdir -p $(CACHE); : > $(CACHE)/times; for part in $(PARTS); do \
		echo "== $$part"; begin=$$(date +%s); $(MAKE) --no-print-directory $$part; code=$$?; \
		printf '%-18s %5d s\n' $$part $$(($$(date +%s) - begin)) >> $(CACHE)/times; \
		if [ $$code -ne 0 ]; then break; fi; \
	done; \
	cat $(CACHE)/times; \
	if [ $$code -ne 0 ]; then echo "$$part failed"; exit 1; fi

# The book, built once for all tests that look at it: its demos run here, and nothing in it is worth a warning.
test-site:
	$(GENERATOR) build --strict --out $(CACHE)/site

# Four modules of their own hold the generated types against upstream's, our selectors, quantities and decoding against
# upstream's code, authorization against the real API server's, and the port against the real kubectl, client-go and controller-runtime.
# The fifth is a controller written with kubebuilder.
test-go:
	@unformatted="$$(gofmt -l generator site playground wasm)"; \
	if [ -n "$$unformatted" ]; then echo "not formatted (cure: gofmt -w FILE):"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	GOOS=js GOARCH=wasm go vet -tags cel ./wasm
	go tool staticcheck ./...
	@dead="$$(go tool deadcode -test ./...)" || exit 1; if [ -n "$$dead" ]; then echo "nothing uses (cure: delete them):"; echo "$$dead"; exit 1; fi
	DEMOS=$(CURDIR)/$(CACHE)/site/demos go test -vet=off -timeout 40m ./...
	cd playground/api/gen && go test ./...
	cd playground/api/conformance && go test ./...
	cd playground/controlplane/apiserver/conformance && go test ./...
	cd playground/httpapi/conformance && go test ./...
	cd playground/examples/website && go vet ./... && go test ./...

# What must hold in every cluster, in this many random ones; see playground/check/chaos.
EXPERIMENTS ?= 10000
test-random:
	go run ./playground/check/trace -random $(EXPERIMENTS) -check

# Kubernetes' own conformance tests (k8s.io/kubernetes/test/e2e) against the port; see playground/httpapi/e2e. They need a kubectl.
E2E ?=
KUBECTL ?= kubectl
e2e: ## how many of Kubernetes' conformance tests pass on the port (E2E= text in their names; an hour for all)
	go build -o $(CACHE)/kubewalk-e2e ./generator
	cd playground/httpapi/e2e && nice go run . --program $(CURDIR)/$(CACHE)/kubewalk-e2e --kubectl "$$(command -v $(KUBECTL))" --match '$(E2E)'

# The core, broken in small ways by the hundred, and what no test notices; see playground/check/mutants.
MUTANTS ?= 300
SEED ?= 1
mutants: ## what the tests of the core do not notice
	nice go run ./playground/check/mutants -n $(MUTANTS) -seed $(SEED)

# The control plane, broken in known places, and whether random experiments report it; see playground/check/broken.
broken: ## whether what must hold in experiments is told of when it does not
	nice go test -vet=off -count 1 -v ./playground/check/broken -bite

# Every fuzz test whose folder and name match FUZZ, FUZZERS at the same time. What breaks something stays in the package's
# testdata/fuzz, and is tried with each go test from then on. An input that reaches new code is hardly made smaller: Go would
# take a minute for each, in which nothing is tried.
FUZZ ?= .
FUZZTIME ?= 1h
FUZZERS ?= 1
fuzz: ## looks for texts that break something (FUZZTIME= for each of the tests)
	@grep -r --include='*_test.go' '^func Fuzz' playground generator | sed 's|/[^/]*:func | |; s|(.*||' | grep -E '$(FUZZ)' | sort | \
		xargs -P $(FUZZERS) -L 1 sh -c \
		'out=$$(nice go test -vet=off -run "^$$" -fuzz "^$$1$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x "./$$0" 2>&1) && \
		echo "ok $$0 $$1: $$(echo "$$out" | grep execs | tail -n 1)" || { echo "$$0 $$1"; echo "$$out"; exit 255; }'

# Those of the playground: what they are made of is compiled for fuzzing once, for the session. Those of the generator run their seeds in test-go: to compile
# for fuzzing what one of them needs takes a minute by itself. A number of texts, those known
# among them, for a time is a deadline that Go's fuzzer may trip over.
test-fuzz:
	$(MAKE) --no-print-directory fuzz FUZZ='^playground' FUZZTIME=2000x

# Fewer, with each test run.
test-experiments:
	$(MAKE) --no-print-directory test-random EXPERIMENTS=1500

# The wrapper is Go's own: it runs a test's wasm under Node.
test-wasm:
	GOOS=js GOARCH=wasm go test -short -timeout 40m -exec "$$(go env GOROOT)/lib/wasm/go_js_wasm_exec" $(WASM_PACKAGES)

test-types: node_modules/.package-lock.json
	node_modules/.bin/tsc -p tsconfig.json
	node_modules/.bin/tsc -p tsconfig.test.json

test-unit: node_modules/.package-lock.json
	go run ./generator/dev/unit

test-browser: test-site node_modules/.package-lock.json
	node site/tests/install.mjs
	$(CACHE)/generator pack --out $(CACHE)/kubewalk
	$(CACHE)/generator npm --out $(CACHE)/npm
	SITE=$(CACHE)/site KUBEWALK=$(CACHE)/kubewalk NPM=$(CACHE)/npm node site/tests/run.mjs

# Too heavy for make test. Reads the exported PDF with pdftotext (poppler).
decks: test-site node_modules/.package-lock.json ## a demo in a deck of Slidev and one of Marp, both from npm
	SITE=$(CACHE)/site node --test site/tests/decks.mjs

npm: ## the npm package: a cluster for programs in JavaScript, into release/npm
	$(GENERATOR) npm

# Too heavy for make test: @kubernetes/client-node comes from npm.
npm-test: ## @kubernetes/client-node with the package's fetch, and with the port
	$(GENERATOR) npm --out $(CACHE)/npm
	NPM=$(CACHE)/npm node --test site/tests/npm.mjs

bench: node_modules/.package-lock.json ## the benchmarks and sizes, and what a browser takes, as one table
	@go run ./generator/dev/bench

generate: ## what is generated and committed
	go tool templ generate -path site/pages
	$(GENERATOR) schema --out docs/schema
	go run ./generator/dev/typescript

kubewalk: ## bin/kubewalk: one program that needs no checkout, no Go and no Node
	$(GENERATOR) pack --out bin/kubewalk

# Minutes for each system, the first time. The same commit and version of Go make the same bytes.
TARGETS ?=
dist: ## kubewalk for Linux, macOS and Windows (TARGETS=linux/arm64,… for some), as archives with checksums, into release/
	$(GENERATOR) dist --targets "$(TARGETS)" --out release

# The program of this machine's archive makes a book, on Linux.
test-dist: node_modules/.package-lock.json
	$(GENERATOR) dist --targets "$$(go env GOOS)/$$(go env GOARCH)" --out $(CACHE)/dist
	cd $(CACHE)/dist && sha256sum --check SHA256SUMS && tar -xzf kubewalk-$$(go env GOOS)-$$(go env GOARCH).tar.gz
	node site/tests/install.mjs
	KUBEWALK=$(CACHE)/dist/kubewalk node --test site/tests/newbook.test.mjs

clean:
	rm -rf public bin $(CACHE) node_modules

# npm writes this file last, so it tells that an installation is whole.
node_modules/.package-lock.json: package.json package-lock.json
	npm ci --no-audit --no-fund
	@touch $@
