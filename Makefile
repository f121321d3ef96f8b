# Targets only; what needs more than a line is in tools/.

TESTFLAGS   :=
# git refuses a checkout that belongs to another user, and go build with it: then the binary has no commit in it.
BUILDVCS    := $(shell git status >/dev/null 2>&1 && echo auto || echo false)
# Where make install puts the command; DESTDIR stands for / while a package is built.
PREFIX      ?= /usr/local
SCRIPTS     := packages lint run bench costs sim test-vm test-arm64 release soak check-generated deb image
LAB         := accuracy eval safari e-surgeon chappie instrumentation

.PHONY: all build test test-all generate functions agent test-agent slurm-plugin workloads dacapo install uninstall clean $(SCRIPTS) $(LAB)

# The same package is compiled once, in whichever directory a checkout is.
export GOFLAGS += -trimpath

all: build
# A Go that is too old for go.mod fetches a newer one; targets without Go do not need it.
ifneq ($(filter-out packages install uninstall clean,$(or $(MAKECMDGOALS),all)),)
include tools/toolchain.mk
endif

# bin/ebb and bin/ebb-lab: a static file each, no cgo, no clang. Without what debuggers read (-w) they are a quarter
# smaller; traces of the stack have names and lines all the same. They begin with internal/command/entry_amd64.s (-E).
build:
	CGO_ENABLED=0 tools/goes-on.sh "the first build compiles Go's library and all packages: some minutes" \
		go build -buildvcs=$(BUILDVCS) -ldflags='-w -E github.com/ebb-energy/ebb/internal/command.entry' -o bin/ ./cmd/ebb ./cmd/ebb-lab

# test says whether a change is sound; test-all runs all cases that this machine can.
test: SHORT := -short
test test-all: packages lint check-generated
	$(if $(SHORT),,tools/lint.sh arm64)
	tools/test.sh $(SHORT) $(TESTFLAGS)
	tools/unprivileged.sh
	$(if $(SHORT),,tools/agent.sh test)

# CONTRIBUTING.md says what each of these does.
$(SCRIPTS):
	tools/$@.sh
run: build
test-vm: packages

install uninstall:
	tools/install.sh $@ bin/ebb $(PREFIX) $(DESTDIR)

generate:
	go generate ./...

functions:
	$(MAKE) -C internal/calls/runtime OUT=../../../bin
	tools/java-agent.sh bin

# The agent for Kubernetes, a module of its own: docs/kubernetes.md.
agent:
	BUILDVCS=$(BUILDVCS) tools/agent.sh build
test-agent:
	tools/agent.sh test

# Slurm's plugin, of another licence than the rest: tools/slurm/README.md.
slurm-plugin:
	$(MAKE) -C tools/slurm OUT=../../bin

# Tables and figures of papers: internal/lab/Makefile says what each repeats and takes.
$(LAB): build
	$(MAKE) -f internal/lab/Makefile $@

workloads dacapo:
	tools/workloads.sh

clean:
	rm -rf bin build
