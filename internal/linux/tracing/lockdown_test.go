package tracing

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"
)

// forbidden are the helpers that lockdown refuses (security_locked_down in kernel/trace/bpf_trace.c
// and kernel/bpf/helpers.c).
var forbidden = map[asm.BuiltinFunc]bool{
	asm.FnProbeRead: true, asm.FnProbeReadStr: true, asm.FnProbeReadKernel: true,
	asm.FnProbeReadKernelStr: true, asm.FnProbeWriteUser: true,
}

// excused are the functions that may call them, each with the reason.
var excused = map[string]string{
	"read_number": "ids of a PID namespace before Linux 6.5; the loader names the refusal",
}

// TestNoLockedHelper: no built program reads the kernel's memory by helper.
func TestNoLockedHelper(t *testing.T) {
	objects, used := 0, map[string]bool{}
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && (d.Name() == "build" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, "_bpfel.o") {
			return err
		}
		objects++
		spec, err := ebpf.LoadCollectionSpec(path)
		if err != nil {
			return err
		}
		for name, program := range spec.Programs {
			function := name
			for i := range program.Instructions {
				in := &program.Instructions[i]
				if symbol := in.Symbol(); symbol != "" {
					function = symbol
				}
				if !in.IsBuiltinCall() || !forbidden[asm.BuiltinFunc(in.Constant)] {
					continue
				}
				used[function] = true
				if excused[function] == "" {
					t.Errorf("%s: %s of %s calls %v", path, function, name,
						asm.BuiltinFunc(in.Constant))
				}
			}
		}
		return nil
	})
	if err != nil || objects < 14 { // two architectures of seven
		t.Errorf("%d objects, %v", objects, err)
	}
	for function := range excused {
		if !used[function] {
			t.Errorf("%s is excused and calls nothing", function)
		}
	}
}

// TestReadLockdown: the level is the one in brackets; a kernel without the file has none that shows
// there.
func TestReadLockdown(t *testing.T) {
	for text, want := range map[string]Lockdown{
		"[none] integrity confidentiality\n": Unlocked,
		"none [integrity] confidentiality\n": integrity,
		"none integrity [confidentiality]\n": confidentiality,
		"none integrity":                     Unlocked,
		"":                                   Unlocked,
	} {
		root := t.TempDir()
		dir := filepath.Join(root, "kernel/security")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "lockdown"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadLockdown(root); got != want || err != nil {
			t.Errorf("%q is %q, %v", text, got, err)
		}
	}
}

// TestLockedHelper: a program that the kernel refuses for its lockdown is refused in these words.
func TestLockedHelper(t *testing.T) {
	r := Refusals{NotSupported: errors.New("cannot")}
	err := r.Of("load it", &ebpf.VerifierError{Cause: unix.EINVAL, Log: []string{
		"0: (85) call bpf_probe_read#4",
		"program of this type cannot use helper bpf_probe_read#4"}})
	if !errors.Is(err, errLockdown) || !errors.Is(err, r.NotSupported) ||
		strings.Contains(err.Error(), "program of this type") {
		t.Error(err)
	}
}

// TestUserReadsStay: the library asks this package, and nobody else, before it turns a read of the
// program's memory into the helper that lockdown refuses.
func TestUserReadsStay(t *testing.T) {
	answer, asked := haveProbeReadKernel, 0
	if err := answer(); err != nil {
		t.Error(err)
	}
	haveProbeReadKernel = func() error { asked++; return nil }
	defer func() { haveProbeReadKernel = answer }()
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{Type: ebpf.RawTracepoint, License: "Dual MIT/GPL",
		Instructions: asm.Instructions{
			asm.Mov.Reg(asm.R1, asm.R10),
			asm.Add.Imm(asm.R1, -8),
			asm.Mov.Imm(asm.R2, 8),
			asm.Mov.Imm(asm.R3, 0),
			asm.FnProbeReadUser.Call(),
			asm.Return(),
		}})
	if err == nil {
		_ = p.Close()
	} else if !errors.Is(err, unix.EPERM) {
		t.Error(err)
	}
	if asked == 0 {
		t.Error("the library did not ask")
	}
}
