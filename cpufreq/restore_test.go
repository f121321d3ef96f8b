package cpufreq

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/ebb-energy/ebb/cpufreq/internal/fakekernel"
)

// die leaves a started actuator as a kill does: the kernel closes its files, and nothing is put
// back.
func die(a Actuator) (run string) {
	s := a.(*session)
	s.closeTargets()
	s.rec.close()
	s.dir.lock.Close()
	s.closed = true
	return s.dir.path
}

func TestNothingToRestore(t *testing.T) {
	k := fakekernel.New(t, acpi(1))
	run := filepath.Join(t.TempDir(), "run")
	for range 2 {
		if r, err := Restore(run, k.FS(t)); err != nil ||
			!reflect.DeepEqual(r, Restoration{Complete: true}) {
			t.Errorf("got %+v, %v", r, err)
		}
		if _, err := os.Stat(run); !os.IsNotExist(err) {
			t.Error("the run directory was made, or left")
		}
		if err := os.Mkdir(run, 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

// One control that cannot be put back stops no other, and is put back by the next try; a change
// that another program made after the first try is kept.
func TestAFailedControlIsRestoredByTheNextTry(t *testing.T) {
	k := fakekernel.New(t, hwp(3))
	before := k.Controls()
	a := start(t, k, Clamp)
	a.Set(2 * ghz)
	run := die(a)
	k.Break(policy("1", minFile), fakekernel.Fault{Write: syscall.EBUSY})
	r, err := Restore(run, k.FS(t))
	isNot(t, err, ErrIncomplete)
	if r.Complete || r.Count(Failed) != 1 || r.Count(Restored) != 5 {
		t.Errorf("got %+v", r)
	}
	says(t, k, policy("0", minFile), "800000")
	says(t, k, policy("2", maxFile), "4200000")

	k.Mend()
	k.Write(policy("2", maxFile), "2000000") // once ours, but now somebody's wish
	before[policy("2", maxFile)] = "2000000\n"
	k.Writes()
	r, err = Restore(run, k.FS(t))
	if err != nil || !r.Complete || r.Count(Restored) != 1 || r.Count(Kept) != 1 {
		t.Errorf("got %+v, %v", r, err)
	}
	if w := k.Writes(); len(w) != 1 || w[0].Path != policy("1", minFile) {
		t.Errorf("writes %v", w)
	}
	same(t, k, before)
}

// The next start finds what a killed run left, puts it back, and takes as found what was found
// then; even where putting back fails.
func TestStartRestoresWhatAKilledRunLeft(t *testing.T) {
	k := fakekernel.New(t, hwp(2))
	before := k.Controls()
	run := filepath.Join(t.TempDir(), "run")
	for range 3 {
		a, err := Start(k.FS(t), Config{RunDir: run})
		if err != nil {
			t.Fatal(err)
		}
		a.Set(1 * ghz)
		die(a)
		k.Break(policy("1", maxFile), fakekernel.Fault{Write: syscall.EBUSY, Times: 1})
	}
	k.Mend()
	if r, err := Restore(run, k.FS(t)); err != nil || !r.Complete {
		t.Errorf("got %+v, %v", r, err)
	}
	same(t, k, before)
}

func TestAnotherBoot(t *testing.T) {
	k := fakekernel.New(t, hwp(1))
	a := start(t, k, Clamp)
	a.Set(1 * ghz)
	run := die(a)
	path := filepath.Join(run, snapshotFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bootID() == "" {
		t.Skip("the kernel does not identify its boot")
	}
	data = bytes.Replace(data, []byte(bootID()), []byte("00000000-0000-0000-0000-000000000000"), 1)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	k.Writes()
	r, err := Restore(run, k.FS(t))
	if err != nil || !r.Rebooted || !r.Complete || len(k.Writes()) != 0 {
		t.Errorf("got %+v, %v", r, err)
	}
	if _, err := os.Stat(run); !os.IsNotExist(err) {
		t.Errorf("left behind: %v", err)
	}
}

// A snapshot that is damaged, or was made to write elsewhere, is refused as a whole.
func TestADamagedSnapshotIsRefused(t *testing.T) {
	k := fakekernel.New(t, acpi(1))
	run := t.TempDir()
	if err := os.Chmod(run, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"", "{}", "null", "[]", `{"version":2}`, `{"version":1,"unknown":1}`, `{"version":1} {}`,
		`{"version":1,"boot_id":"` + bootID() +
			`","controls":[{"domain":0,"control":"../../../../../etc/passwd","found":"1","held":["2","",""]}]}`,
		`{"version":1,"boot_id":"` + bootID() +
			`","controls":[{"domain":0,"control":"scaling_min_freq","found":"1\n2","held":["2","",""]}]}`,
		`{"version":1,"boot_id":"` + bootID() +
			`","controls":[{"domain":0,"control":"scaling_governor","found":"a b","held":["2","",""]}]}`,
		`{"version":1,"boot_id":"` + bootID() +
			`","controls":[{"domain":-1,"control":"scaling_governor","found":"a","held":["2","",""]}]}`,
		`{"version":1,"boot_id":"` + bootID() +
			`","controls":[{"domain":0,"control":"scaling_governor","found":"a","held":["2","",""]},{"domain":0,"control":"scaling_governor","found":"b","held":["2","",""]}]}`,
	} {
		if err := os.WriteFile(filepath.Join(run, snapshotFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		k.Writes()
		_, err := Restore(run, k.FS(t))
		isNot(t, err, ErrSnapshot)
		_, err = Start(k.FS(t), Config{RunDir: run})
		isNot(t, err, ErrSnapshot)
		if w := k.Writes(); len(w) != 0 {
			t.Errorf("%.60s: written: %v", text, w)
		}
		if got, _ := os.ReadFile(filepath.Join(run, snapshotFile)); string(got) != text {
			t.Errorf("%.60s: changed", text)
		}
	}
}

// A snapshot that somebody removed while the actuator runs costs nothing: all is in memory.
func TestARemovedSnapshotCostsNothing(t *testing.T) {
	k := fakekernel.New(t, acpi(2))
	before := k.Controls()
	a := start(t, k, SetSpeed)
	a.Set(1 * ghz)
	if err := os.Remove(filepath.Join(a.(*session).dir.path, snapshotFile)); err != nil {
		t.Fatal(err)
	}
	if r, err := a.Close(); err != nil || !r.Complete {
		t.Errorf("got %+v, %v", r, err)
	}
	same(t, k, before)
}

// Without the note on disk nothing is written: it could not be put back.
func TestNothingIsWrittenWithoutASnapshot(t *testing.T) {
	k := fakekernel.New(t, hwp(2))
	a := start(t, k, Clamp)
	a.(*session).rec.file.Close()
	k.Writes()
	set(t, a, 1*ghz, Refused, Refused)
	if w := k.Writes(); len(w) != 0 {
		t.Errorf("written: %v", w)
	}
}

func TestControlRestorationString(t *testing.T) {
	c := ControlRestoration{Domain: 3, Control: maxFile, Found: "4000000", Now: "2000000"}
	for result, want := range map[Result]string{
		Untouched: "policy3 scaling_max_freq: untouched, 2000000",
		Restored:  "policy3 scaling_max_freq: restored, 2000000",
		Kept: "policy3 scaling_max_freq: kept at 2000000, which another program set; " +
			"it was 4000000",
		Gone: "policy3 scaling_max_freq: gone; it was 4000000",
	} {
		if c.Result = result; c.String() != want {
			t.Errorf("got %q, want %q", c, want)
		}
	}
	c.Result, c.Err = Failed, errors.New("busy")
	if got := c.String(); !strings.Contains(got, "busy") {
		t.Errorf("got %q", got)
	}
}
