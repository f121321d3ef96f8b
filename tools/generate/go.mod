// The tools that generate code, apart from ebb's own dependencies. Used by: go tool -modfile=tools/generate/go.mod.
module github.com/ebb-energy/ebb

go 1.26.0

tool github.com/cilium/ebpf/cmd/bpf2go

require (
	github.com/cilium/ebpf v0.22.0 // indirect
	golang.org/x/sys v0.43.0 // indirect
)
