package bpf

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/tracing"
)

// partTurns is the number of times that a part is done in a run of its program, partRuns that of
// the runs of which the least counts.
const (
	partTurns = 2000
	partRuns  = 200
)

// BenchmarkParts: of what a switch and a wake do, what each part takes, by the CPU time of a thread
// that does it again and again with all in its caches: the least of many runs, without the loop. In
// a switch of a program caches are colder.
func BenchmarkParts(b *testing.B) {
	tr := openTracer(b, Config{Quantum: 5 * time.Millisecond})
	ring, err := ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.RingBuf, MaxEntries: 1 << 20})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = ring.Close() })
	reader, err := tracing.MapRing(ring.FD(), 1<<20)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = reader.Close() })
	// The calling thread has a storage, as the target's have.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if _, err := tr.objects.Seed.Run(nil); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _, _ = tr.objects.Unseed.Run(nil) })
	threads, cpus := tr.objects.Threads.FD(), tr.objects.Cpus.FD()
	call := func(f asm.BuiltinFunc) asm.Instruction { return f.Call() }
	clock := asm.Instructions{call(asm.FnKtimeGetNs)}
	cpu := asm.Instructions{
		call(asm.FnGetSmpProcessorId),
		asm.StoreMem(asm.RFP, -4, asm.R0, asm.Word),
		asm.LoadMapPtr(asm.R1, cpus),
		asm.Mov.Reg(asm.R2, asm.RFP),
		asm.Add.Imm(asm.R2, -4),
		call(asm.FnMapLookupElem),
	}
	storage := asm.Instructions{
		asm.LoadMapPtr(asm.R1, threads),
		asm.Mov.Reg(asm.R2, asm.R7),
		asm.Mov.Imm(asm.R3, 0),
		asm.Mov.Imm(asm.R4, 0),
		call(asm.FnTaskStorageGet),
	}
	registers := asm.Instructions{asm.Mov.Reg(asm.R1, asm.R7), call(asm.FnTaskPtRegs)}
	record := asm.Instructions{ // given back at once: nobody reads this ring
		asm.LoadMapPtr(asm.R1, ring.FD()),
		asm.Mov.Imm(asm.R2, switchSize),
		asm.Mov.Imm(asm.R3, 0),
		call(asm.FnRingbufReserve),
		asm.JEq.Imm(asm.R0, 0, "full"),
		asm.Mov.Reg(asm.R1, asm.R0),
		asm.Mov.Imm(asm.R2, 1), // BPF_RB_NO_WAKEUP
		call(asm.FnRingbufDiscard),
		asm.Mov.Imm(asm.R0, 0).WithSymbol("full"),
	}
	empty := part(b, nil, nil)
	for _, p := range []struct {
		name string
		do   asm.Instructions
		ring *tracing.Ring
	}{
		{"clock", clock, nil}, {"cpu", cpu, nil}, {"storage", storage, nil},
		{"registers", registers, nil}, {"record", record, reader},
	} {
		b.ReportMetric(part(b, p.do, p.ring)-empty, "ns/"+p.name)
	}
	b.ReportMetric(0, "ns/op")
}

// part is the time of a turn, in ns.
func part(b *testing.B, do asm.Instructions, ring *tracing.Ring) float64 {
	b.Helper()
	insns := asm.Instructions{
		asm.FnGetCurrentTaskBtf.Call(),
		asm.Mov.Reg(asm.R7, asm.R0),
		asm.Mov.Imm(asm.R6, 0),
		asm.Add.Imm(asm.R6, 1).WithSymbol("turn"),
	}
	insns = append(append(insns, slices.Clone(do)...),
		asm.JLT.Imm(asm.R6, partTurns, "turn"),
		asm.Mov.Imm(asm.R0, 0),
		asm.Return())
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{Type: ebpf.Syscall, Instructions: insns,
		License: "GPL", Flags: unix.BPF_F_SLEEPABLE})
	if err != nil {
		b.Fatal(fmt.Errorf("%+v", err))
	}
	defer p.Close()
	least := time.Duration(1<<63 - 1)
	for range partRuns {
		if ring != nil {
			ring.Clear()
		}
		before := threadTime(b)
		if _, err := p.Run(&ebpf.RunOptions{}); err != nil {
			b.Fatal(err)
		}
		least = min(least, threadTime(b)-before)
	}
	return float64(least) / partTurns
}
