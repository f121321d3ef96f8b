# Targets only; what needs more than a line is in scripts/.

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
TESTFLAGS   :=
# git refuses a checkout that belongs to another user, and go build with it: then the binary has no commit in it.
BUILDVCS    := $(shell git status >/dev/null 2>&1 && echo auto || echo false)

# Where make install puts the command; DESTDIR stands for / while a package is built.
PREFIX      ?= /usr/local

.PHONY: all build run test test-vm test-arm64 lint packages install uninstall release sim soak generate check-generated bench accuracy \
	eval workloads dacapo functions safari chappie instrumentation e-surgeon clean

# A Go that is too old for go.mod fetches a newer one; targets without Go do not need it.
ifneq ($(filter-out packages install uninstall clean,$(or $(MAKECMDGOALS),all)),)
NEWER_GO    := $(shell scripts/toolchain.sh)
ifneq ($(.SHELLSTATUS),0)
$(error no Go that can build ebb)
endif
ifneq ($(NEWER_GO),)
export PATH := $(NEWER_GO):$(PATH)
export GOTOOLCHAIN := local
endif
endif

all: build

# bin/ebb: one static file, no cgo, no clang.
build:
	CGO_ENABLED=0 go build -trimpath -buildvcs=$(BUILDVCS) -o bin/ebb ./cmd/ebb

# Governs a bundled multithreaded workload for about 10 s.
run: build
	scripts/run.sh

# The race detector makes the simulated machine's coroutines 30 times slower, so long runs of it are left out with it (files for
# !race), and are made without. Packages that start no goroutine are run only without it.
SIMULATED := ./eval ./test/recordings
# It also takes terabytes of addresses, which the sandbox child's limits refuse.
SANDBOX   := ./sandbox ./sandbox/child ./activity/jvm/follow

# Everything that says whether a change is sound.
test: packages lint check-generated
	scripts/test.sh "$(SIMULATED) $(SANDBOX)" $(TESTFLAGS)
	scripts/unprivileged.sh

lint:
	go vet ./...
	GOARCH=arm64 CGO_ENABLED=0 go vet ./...
	go run $(STATICCHECK) ./...

# packages: installs the Debian packages of packages.txt as root, names them otherwise. bench: speed and cost, in the format
# benchstat reads. test-vm: ebb on a real kernel's cpufreq, powercap and perf subsystems, in virtual machines. test-arm64: what
# emulators show of another architecture.
packages bench test-vm test-arm64:
	scripts/$@.sh

test-vm: packages

# The governor on simulated machines with random programs and faults, make sim RUNS=1000 FROM=1, and
# whether ebb eval --quick writes the numbers that it has always written.
RUNS := 1000
FROM := 1
sim:
	go test ./simtest/campaign -run 'TestCampaign|TestUntold' -timeout 60m -v -runs $(RUNS) -from $(FROM)
	go test ./eval -run TestSameNumbers -timeout 60m -v -whole

# bin/ebb with its manual pages, completions and systemd units, and bin/libebb-functions.* where make functions has made
# them. release: archives, checksums and a bill of materials in build/release, the same bytes each time.
install uninstall:
	scripts/install.sh $@ bin/ebb $(PREFIX) $(DESTDIR)

release:
	scripts/$@.sh

# All hostile programs, the simulations, each fuzz target for a minute and what takes hours: the results are in test/soak.
soak:
	scripts/soak.sh

# The BPF objects and their Go files, with the clang that epochs/bpf/gen.go pins. They are committed.
generate:
	go generate ./...

check-generated:
	scripts/check-generated.sh

# How well each model predicts the epoch tables of DIR: make accuracy TRACES=DIR. Also build/accuracy.html.
# Without TRACES the documentation's figures are written anew (docs/figures).
accuracy:
	mkdir -p build
	go run ./predictor/accuracy/cmd $(if $(TRACES),-traces $(TRACES)) -o build/accuracy.html >build/accuracy.txt
	cat build/accuracy.txt
	$(if $(TRACES),,cp build/accuracy.txt docs/figures/accuracy.txt)

# The evaluation with few seeds, and a bench of a simulated program: the documentation's figures and picture, and the rows that
# make sim compares.
eval: build
	bin/ebb eval --quick -o build/eval
	gzip -9nc build/eval/eval.json >eval/testdata/quick-seed-1.json.gz
	rm -rf build/bench-xalan
	bin/ebb bench --sim xalan --slowdown 5%,10% -q -o build/bench-xalan >docs/figures/bench-xalan.txt
	cp build/bench-xalan/bench.svg docs/pictures/bench-xalan.svg

# bin/libebb-functions.so and .a, for programs compiled with -finstrument-functions: docs/functions.md. It takes a C compiler.
functions:
	$(MAKE) -C functions/runtime OUT=$(CURDIR)/bin

# The tables of SAFARI on kernels of our own, beside gprof and an empty hook. The results go to docs/figures/safari.txt.
safari: build functions
	scripts/safari.sh

# The tests of e-Surgeon's paper, as far as the programs for them are installed: curves and overheads in build/e-surgeon. STEP is the
# time of a load's step.
e-surgeon: build
	go run ./test/esurgeon -ebb bin/ebb -step $(or $(STEP),5s)

# Chappie's evaluation on Debian's programs, as root: build/chappie/chappie.html. RUNS=, PERIODS=, WORK=, PROGRAMS= as in
# scripts/chappie.sh. FIGURES=1: docs/figures has what the documentation quotes.
chappie: build
	scripts/$@.sh
	$(if $(FIGURES),cp build/chappie/chappie.txt docs/figures/chappie.txt)

# What sampling avoids, Chappie's table 1: every method reads the energy, by an agent of test/instrumentation.
instrumentation:
	mkdir -p build
	go test -run '^$$' -bench Cost -benchtime 1x -timeout 60m ./test/instrumentation | tee build/$@.txt
	grep ^Benchmark build/$@.txt >/dev/null && cp build/$@.txt docs/figures/$@.txt

# The bundled workloads, each with the command that runs it.
workloads dacapo:
	scripts/workloads.sh

clean:
	rm -rf bin build
