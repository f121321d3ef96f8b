package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

func TestRecordingReplays(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "r.ebb")
	args := append([]string{"run", "--quiet", "--record", path, "--"},
		workload(t, "contend", "4", "2")...)
	if r := ebb(t, args...); r.code != 0 {
		t.Fatalf("status %d: %s", r.code, r.stderr)
	}
	if r := ebb(t, "replay", path); r.code != 0 || !strings.Contains(r.stdout, "agree") {
		t.Fatalf("replay: status %d, %s%s", r.code, r.stdout, r.stderr)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := devtest.Rand(t)
	for range 10 {
		cut := len(whole)/10 + r.IntN(len(whole)*9/10)
		path := filepath.Join(dir, "cut.ebb")
		if err := os.WriteFile(path, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		if r := ebb(t, "replay", path); r.code != 0 {
			t.Errorf("cut to %d of %d bytes: status %d, %s", cut, len(whole), r.code, r.stderr)
		}
		damaged := bytes.Clone(whole)
		damaged[cut] ^= 0x10
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if r := ebb(t, "replay", path); r.code == 0 && !strings.Contains(r.stdout, "cut off") {
			t.Errorf("bit flipped at %d of %d: replays as if nothing were wrong", cut, len(whole))
		}
	}
}

func TestRecordingOfAKilledRunReplays(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	path := filepath.Join(t.TempDir(), "r.ebb")
	args := append([]string{"run", "--quiet", "--record", path, "--"},
		workload(t, "contend", "4", "30")...)
	cmd := command(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	session := cmd.Process.Pid
	t.Cleanup(func() { _ = syscall.Kill(-session, syscall.SIGKILL) })
	// A recording is good up to its last whole frame, also while it is written.
	replayed := func() (decisions int) {
		r := ebb(t, "replay", path)
		var name string
		var events, actions int
		if _, err := fmt.Sscanf(r.stdout, "%s %d events, %d actions agree, %d of them decisions",
			&name, &events, &actions, &decisions); err != nil {
			t.Logf("replay: status %d, %v: %s%s", r.code, err, r.stdout, r.stderr)
		}
		return decisions
	}
	for end := time.Now().Add(hung); replayed() < 50; time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the recording has no 50 decisions")
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	_ = syscall.Kill(-session, syscall.SIGKILL)
	if n := replayed(); n < 50 {
		t.Errorf("%d decisions are left of the killed run", n)
	}
}
