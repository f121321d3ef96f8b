package cpufreq

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ebb-energy/ebb/cpufreq/internal/fakekernel"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// If a governor is refused or has no effect, the clamp is used. If the limits have no effect
// either, the shadow is used, and everything is as before.
func TestAnActuatorWithoutEffectFallsBack(t *testing.T) {
	for _, fault := range []fakekernel.Fault{{Write: syscall.EINVAL}, {Write: syscall.EBUSY},
		{Ignore: true}} {
		k := fakekernel.New(t, acpi(3))
		before := k.Controls()
		k.Break(policy("1", governorFile), fault)
		a := start(t, k, Clamp)
		says(t, k, policy("0", governorFile), "schedutil")
		set(t, a, 2*ghz, Written, Written, Written)
		if _, err := a.Close(); err != nil {
			t.Error(err)
		}
		same(t, k, before)
	}
	k := fakekernel.New(t, acpi(2))
	before := k.Controls()
	for _, id := range []string{"0", "1"} {
		k.Break(policy(id, speedFile), fakekernel.Fault{Ignore: true})
		k.Break(policy(id, minFile), fakekernel.Fault{Write: syscall.EPERM})
		k.Break(policy(id, maxFile), fakekernel.Fault{Ignore: true})
	}
	k.Write(policy("0", governorFile), "powersave")
	k.Write(policy("1", governorFile), "powersave")
	a := start(t, k, Shadow)
	if r := a.Reason(); !strings.Contains(r, "setspeed: ") || !strings.Contains(r, "clamp: ") {
		t.Errorf("reason %q", r)
	}
	before[policy("0", governorFile)], before[policy("1",
		governorFile)] = "powersave\n", "powersave\n"
	same(t, k, before)
}

func TestLockNamesTheOther(t *testing.T) {
	k := fakekernel.New(t, acpi(1))
	run := filepath.Join(t.TempDir(), "run")
	a, err := Start(k.FS(t), Config{RunDir: run})
	if err != nil {
		t.Fatal(err)
	}
	k.Writes()
	for name, try := range map[string]func() error{
		"Start":   func() error { _, err := Start(k.FS(t), Config{RunDir: run}); return err },
		"Restore": func() error { _, err := Restore(run, k.FS(t)); return err },
	} {
		err := try()
		var locked *LockedError
		if !errors.As(err, &locked) || !errors.Is(err, ErrLocked) || locked.PID != os.Getpid() {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(fmt.Sprint(err), fmt.Sprint(os.Getpid())) {
			t.Errorf("%s does not name the process: %v", name, err)
		}
	}
	if w := k.Writes(); len(w) != 0 {
		t.Errorf("written: %v", w)
	}
	if info, err := os.Stat(run); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("run directory: %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Join(run, snapshotFile)); err != nil ||
		info.Mode().Perm() != 0o600 {
		t.Errorf("snapshot: %v, %v", info, err)
	}
	if _, err := a.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(run); !os.IsNotExist(err) {
		t.Errorf("left behind: %v", err)
	}
	b, err := Start(k.FS(t), Config{RunDir: run})
	if err != nil {
		t.Fatalf("after the first has ended: %v", err)
	}
	_, _ = b.Close()
}

func TestAnUnsafeRunDirectoryIsRefused(t *testing.T) {
	k := fakekernel.New(t, acpi(1))
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(filepath.Join(dir, "real"), 0o700))
	must(os.Symlink("real", filepath.Join(dir, "link")))
	must(os.Mkdir(filepath.Join(dir, "open"), 0o700))
	must(os.Chmod(filepath.Join(dir, "open"), 0o777))
	must(os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	names := []string{"link", "open", "file"}
	if os.Geteuid() == 0 {
		must(os.Mkdir(filepath.Join(dir, "theirs"), 0o700))
		must(os.Chown(filepath.Join(dir, "theirs"), 12345, 12345))
		names = append(names, "theirs")
	}
	k.Writes()
	for _, name := range names {
		path := filepath.Join(dir, name)
		_, err := Start(k.FS(t), Config{RunDir: path})
		isNot(t, err, ErrUnsafe)
		_, err = Restore(path, k.FS(t))
		isNot(t, err, ErrUnsafe)
	}
	if _, err := Start(k.FS(t), Config{RunDir: filepath.Join(dir, "no", "parent")}); err == nil {
		t.Error("made a parent directory")
	}
	if w := k.Writes(); len(w) != 0 {
		t.Errorf("written: %v", w)
	}
}

// A control that is a link out of the tree is neither read nor written.
func TestALinkOutOfTheTreeIsNotFollowed(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("1000000\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(tree(t, "intel_pstate-hwp"),
		"file 0644 devices/system/cpu/cpufreq/policy0/scaling_min_freq\n\t800000\n",
		"link devices/system/cpu/cpufreq/policy0/scaling_min_freq "+outside+"\n", 1)
	root := devtest.Tree(t, text)
	if target, err := os.Readlink(filepath.Join(root, policy("0", minFile))); err != nil ||
		target != outside {
		t.Fatalf("no link: %q, %v", target, err)
	}
	fs, err := sysfs.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer fs.Close()
	h, err := Open(fs)
	if err != nil || len(h.Skipped) != 1 || !errors.Is(h.Skipped[0].Err, sysfs.ErrRefused) {
		t.Fatalf("%+v, %v", h, err)
	}
	a, err := Start(fs, Config{RunDir: filepath.Join(t.TempDir(), "run")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Close(); err != nil && !errors.Is(err, ErrIncomplete) {
		t.Error(err)
	}
	if got, _ := os.ReadFile(outside); string(got) != "1000000\n" {
		t.Errorf("written through the link: %q", got)
	}
}

// A tree that cannot be written, as for a user who is not root, is a reason for shadow mode.
func TestReadOnlyControlsMeanShadowMode(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser may write to everything")
	}
	fs := openTree(t, strings.ReplaceAll(tree(t, "acpi-cpufreq"), "file 0644", "file 0444"))
	a, err := Start(fs, Config{RunDir: filepath.Join(t.TempDir(), "run")})
	if err != nil || a.Name() != Shadow || !strings.Contains(a.Reason(), "permission denied") {
		t.Errorf("%v, %v", a, err)
	}
}

// Only the domains of the CPUs in use are set, but every domain is in the snapshot.
func TestOnlyDomainsInUse(t *testing.T) {
	k := fakekernel.New(t, acpi(4))
	run := filepath.Join(t.TempDir(), "run")
	a, err := Start(k.FS(t), Config{RunDir: run, CPUs: []sysfs.CPU{1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if o := a.Set(1 * ghz); len(o) != 2 || o[0].Domain != 1 || o[1].Domain != 2 {
		t.Errorf("outcomes %+v", o)
	}
	for _, w := range k.Writes() {
		if strings.Contains(w.Path, "policy0/") || strings.Contains(w.Path, "policy3/") {
			t.Errorf("written: %v", w)
		}
	}
	data, err := os.ReadFile(filepath.Join(run, snapshotFile))
	if err != nil {
		t.Fatal(err)
	}
	s, err := decode(data)
	if err != nil || len(s.Controls) != 12 || s.PID != os.Getpid() || s.Started == "" {
		t.Errorf("snapshot %+v, %v", s, err)
	}
}
