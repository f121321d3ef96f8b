# Targets only; what needs more than a line is in tools/.

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
TESTFLAGS   :=
# git refuses a checkout that belongs to another user, and go build with it: then the binary has no commit in it.
BUILDVCS    := $(shell git status >/dev/null 2>&1 && echo auto || echo false)
# Where make install puts the command; DESTDIR stands for / while a package is built.
PREFIX      ?= /usr/local
# How many simulated machines make sim tries, and the first one's seed.
RUNS        := 1000
FROM        := 1
# Packages that run both ways: the race detector is too slow for some tests, and limits refuse its memory.
SIMULATED   := ./internal/lab/eval ./test/recordings
SANDBOX     := ./internal/sandbox ./internal/sandbox/child ./internal/power/activity/jvm
SCRIPTS     := packages bench test-vm test-arm64 release soak check-generated
LAB         := accuracy eval safari e-surgeon chappie instrumentation

.PHONY: all build run test test-all lint lint-arm64 sim generate functions slurm-plugin workloads dacapo install uninstall clean $(SCRIPTS) $(LAB)

# The same package is compiled once, in whichever directory a checkout is.
export GOFLAGS += -trimpath

all: build
# A Go that is too old for go.mod fetches a newer one; targets without Go do not need it.
ifneq ($(filter-out packages install uninstall clean,$(or $(MAKECMDGOALS),all)),)
include tools/toolchain.mk
endif

# bin/ebb and bin/ebb-lab: a static file each, no cgo, no clang.
build:
	CGO_ENABLED=0 tools/goes-on.sh "the first build compiles Go's library and all packages: some minutes" \
		go build -buildvcs=$(BUILDVCS) -o bin/ ./cmd/ebb ./cmd/ebb-lab

# Governs a bundled multithreaded workload for about 10 s.
run: build
	tools/run.sh

# test says whether a change is sound; test-all runs all cases that this machine can.
test: SHORT := -short
test-all: lint-arm64
test test-all: packages lint check-generated
	tools/test.sh "$(SIMULATED) $(SANDBOX)" $(SHORT) $(TESTFLAGS)
	tools/unprivileged.sh

# Each of these reads all packages, and compiles them where it is the first.
LINTING := tools/goes-on.sh "all packages are read, and compiled the first time: some minutes"
lint:
	CGO_ENABLED=0 $(LINTING) go vet ./...
	CGO_ENABLED=0 $(LINTING) go run $(STATICCHECK) ./...

lint-arm64:
	GOARCH=arm64 CGO_ENABLED=0 $(LINTING) go vet ./...

# CONTRIBUTING.md says what each of these does.
$(SCRIPTS):
	tools/$@.sh
test-vm: packages

sim:
	go test ./simtest/campaign -run 'TestCampaign|TestUntold' -timeout 60m -v -runs $(RUNS) -from $(FROM)
	go test ./simtest/campaign -run TestUnlike -timeout 60m -v -unlike 20
	go test ./internal/lab/eval -run TestSameNumbers -timeout 60m -v -whole

install uninstall:
	tools/install.sh $@ bin/ebb $(PREFIX) $(DESTDIR)

generate:
	go generate ./...

functions:
	$(MAKE) -C internal/calls/runtime OUT=$(CURDIR)/bin
	tools/java-agent.sh bin

# Slurm's plugin, of another licence than the rest: tools/slurm/README.md.
slurm-plugin:
	$(MAKE) -C tools/slurm OUT=$(CURDIR)/bin

# Tables and figures of papers: internal/lab/Makefile says what each repeats and takes.
$(LAB): build
	$(MAKE) -f internal/lab/Makefile $@

workloads dacapo:
	tools/workloads.sh

clean:
	rm -rf bin build
