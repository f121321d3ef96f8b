# Targets only; what needs more than a line is in scripts/.

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
TESTFLAGS   :=
# git refuses a checkout that belongs to another user, and go build with it: then the binary has no commit in it.
BUILDVCS    := $(shell git status >/dev/null 2>&1 && echo auto || echo false)

.PHONY: all build run test test-vm lint packages sim soak generate check-generated bench accuracy workloads dacapo clean

all: build

# bin/ebb: one static file, no cgo, no clang.
build:
	CGO_ENABLED=0 go build -trimpath -buildvcs=$(BUILDVCS) -o bin/ebb ./cmd/ebb

# Governs a bundled multithreaded workload for about 10 s.
run: build
	scripts/run.sh

# The race detector makes the simulated machine's coroutines 30 times slower, so long runs of it are left out with it (files for
# !race), and are made without.
SIMULATED := ./simtest/workload ./simtest/campaign ./eval ./test/recordings
# It also takes terabytes of addresses, which the sandbox child's limits refuse.
SANDBOX   := ./sandbox ./sandbox/child

# Everything that says whether a change is sound.
test: packages lint check-generated
	go test -race -timeout 20m $(TESTFLAGS) ./...
	CGO_ENABLED=0 go test $(TESTFLAGS) $(SIMULATED) $(SANDBOX)
	scripts/unprivileged.sh

lint:
	go vet ./...
	go run $(STATICCHECK) ./...

# packages: installs the Debian packages of packages.txt as root, names them otherwise. bench: speed and cost, in the format
# benchstat reads. test-vm: ebb on a real kernel's cpufreq, powercap and perf subsystems, in virtual machines.
packages bench test-vm:
	scripts/$@.sh

test-vm: packages

# The governor on simulated machines with random programs and faults, make sim RUNS=1000 FROM=1, and
# whether ebb eval --quick writes the numbers that it has always written.
RUNS := 1000
FROM := 1
sim:
	go test ./simtest/campaign -run 'TestCampaign|TestUntold' -timeout 60m -v -runs $(RUNS) -from $(FROM)
	go test ./eval -run TestSameNumbers -timeout 60m -v -whole

# All hostile programs, the simulations, each fuzz target for a minute and what takes hours: the results are in test/soak.
soak:
	scripts/soak.sh

# The BPF objects and their Go files, with the clang that epochs/bpf/gen.go pins. They are committed.
generate:
	go generate ./...

check-generated:
	scripts/check-generated.sh

# How well each model predicts the epoch tables of DIR: make accuracy TRACES=DIR. Also build/accuracy.html.
accuracy:
	mkdir -p build
	go run ./predictor/accuracy/cmd $(if $(TRACES),-traces $(TRACES)) -o build/accuracy.html

# The bundled workloads, each with the command that runs it.
workloads dacapo:
	scripts/workloads.sh

clean:
	rm -rf bin build
