package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestJitdump: functions that a virtual machine runs one after the other at the same address each
// have their own time, in a container with files and ids of its own, although it writes its
// jitdump at the end and removes it. The mapping that marks it is in no list.
func TestJitdump(t *testing.T) {
	nothingLeft(t)
	how := append([]string{"--mount"}, ownPIDs...)
	unshared(t, how, "true")
	dir := t.TempDir()
	program, path := filepath.Join(dir, "jit"), filepath.Join(dir, "r.json")
	run(t, "gcc", "-O1", "-o", program, filepath.Join("testdata", "jitdump.c"))
	argv := append([]string{"run", "--quiet", "--shadow", "--user", "root", "--methods", "--rate",
		"999", "--report", path, "--", "unshare"}, how...)
	r := ebb(t, append(argv, "sh", "-c", "mount -t tmpfs none /mnt && cp "+program+
		" /mnt && cd /mnt && exec ./jit")...)
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	rows := unitRows(t, path)
	for _, name := range []string{"[jit] first", "[jit] second", "[jit] moved"} {
		if share := rows[name].Share; share < 0.2 || share > 0.45 {
			t.Errorf("%s has %.1f %%", name, 100*share)
		}
	}
	if r = ebb(t, "report", path); strings.Contains(r.stdout, "jit-") {
		t.Errorf("the jitdump is in\n%s", r.stdout)
	}
	if t.Failed() {
		t.Logf("%v\n%s", rows, r.stdout)
	}
}

// TestJitdumpOfLLVM: functions that LLVM compiles at run time have the names that its own listener
// for perf writes.
func TestJitdumpOfLLVM(t *testing.T) {
	devtest.Long(t)
	nothingLeft(t)
	needRoot(t)
	lli, err := exec.LookPath("lli-14") // of the package llvm-14, which tools/packages.txt has
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	r := ebb(t, "run", "--quiet", "--shadow", "--user", "root", "--methods", "--rate", "400",
		"--report", path, "--", "env", "JITDUMPDIR="+dir, lli, "-jit-kind=mcjit",
		filepath.Join("testdata", "llvm.ll"))
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if dumps, _ := filepath.Glob(filepath.Join(dir, ".debug/jit/*/*.dump")); len(dumps) == 0 {
		t.Skip("this LLVM was built without the listener")
	}
	rows := unitRows(t, path)
	first, second := rows["[jit] llvm_first"].Share, rows["[jit] llvm_second"].Share
	if first < 0.15 || second < 1.4*first || second > 2.9*first {
		t.Errorf("first %.1f %%, second %.1f %%, want 1 to 2: %v", 100*first, 100*second, rows)
	}
}
