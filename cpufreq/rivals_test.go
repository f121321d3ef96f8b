package cpufreq

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// process is one directory of a tree at /proc.
type process struct {
	pid     int
	comm    string
	state   byte
	exe     string // "" when it may not be read
	cmdline string
}

// procTree makes a tree at /proc of processes.
func procTree(t *testing.T, processes ...process) string {
	t.Helper()
	root := t.TempDir()
	for _, p := range processes {
		dir := filepath.Join(root, fmt.Sprint(p.pid))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, dir, "stat", fmt.Sprintf("%d (%s) %c 1 %d %d 0 -1 4194560 2019 0 0 0\n", p.pid,
			p.comm, p.state, p.pid, p.pid))
		put(t, dir, "cmdline", p.cmdline)
		if p.exe == "" {
			continue
		}
		if err := os.Symlink(p.exe, filepath.Join(dir, "exe")); err != nil {
			t.Fatal(err)
		}
	}
	put(t, root, "version", "Linux\n")
	return root
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestProcesses(t *testing.T) {
	shell := process{100, "bash", 'S', "/usr/bin/bash", "bash\x00-l\x00"}
	for _, c := range []struct {
		what string
		p    process
		want string
	}{
		{"the name is cut by the kernel",
			process{812, "power-profiles-", 'S', "/usr/libexec/power-profiles-daemon",
				"/usr/libexec/power-profiles-daemon\x00"}, "power-profiles-daemon (pid 812)"},
		{"the executable may not be read", process{812, "power-profiles-", 'S', "", ""},
			"power-profiles-daemon (pid 812)"},
		{"another of the same first letters",
			process{812, "power-profiles-", 'S', "/usr/bin/power-profiles-applet", ""}, ""},
		{"a script by its name", process{7, "tuned", 'S', "/usr/bin/python3.11",
			"/usr/bin/python3\x00-Es\x00/usr/sbin/tuned\x00-l\x00-P\x00"}, "tuned (pid 7)"},
		{"a script by its interpreter",
			process{7, "python3", 'S', "/usr/bin/python3.11",
				"/usr/bin/python3\x00-Es\x00/usr/sbin/tuned\x00-l\x00-P\x00"}, "tuned (pid 7)"},
		{"an interpreter of something else",
			process{7, "python3", 'S', "/usr/bin/python3.11",
				"python3\x00/home/me/tuned-up.py\x00tuned\x00"}, ""},
		{"an interpreter alone", process{7, "python3", 'S', "/usr/bin/python3.11", ""}, ""},
		{"a program of the same name", process{9, "watt", 'S', "/home/me/bin/watt-meter", ""}, ""},
		{"Watt", process{9, "watt", 'S', "/usr/bin/watt", "watt\x00daemon\x00"}, "Watt (pid 9)"},
		{"updated while it runs", process{9, "thermald", 'S', "/usr/sbin/thermald (deleted)", ""},
			"thermald (pid 9)"},
		{"wrapped, as on NixOS", process{9, "auto-cpufreq", 'S',
			"/nix/store/x/bin/.auto-cpufreq-wrapped", ""}, "auto-cpufreq (pid 9)"},
		{"intel_lpmd", process{10, "intel_lpmd", 'R', "/usr/bin/intel_lpmd", ""},
			"intel_lpmd (pid 10)"},
		{"TLP's daemon", process{11, "tlp-pd", 'S', "/usr/bin/python3", ""},
			"TLP (tlp-pd) (pid 11)"},
		{"GameMode", process{12, "gamemoded", 'S', "/usr/bin/gamemoded", ""},
			"GameMode (gamemoded) (pid 12)"},
		{"ended, not yet waited for", process{13, "thermald", 'Z', "", ""}, ""},
		{"brackets in a name", process{14, "a) S (thermald", 'S', "", ""}, ""},
	} {
		found, err := FindRivals(RivalPlaces{Proc: procTree(t, shell, c.p), Run: t.TempDir()})
		if got := RivalNames(found); err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.what, got, err, c.want)
		}
		for _, r := range found {
			if r.What == "" || r.Stop == "" {
				t.Errorf("%s: %+v", c.what, r)
			}
		}
	}
}

// Anybody may give a process any name: only root's and the caller's own are what they are called.
func TestOnlyRootsAndOnesOwnProcessesCount(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make another user's directory")
	}
	const user = 65534
	native := process{812, "tuned", 'S', "/usr/sbin/tuned", ""}
	script := process{812, "python3", 'S', "/usr/bin/python3", "python3\x00/usr/sbin/tuned\x00"}
	for _, c := range []struct {
		what   string
		p      process
		uid    int
		caller string
		want   string
	}{
		{"root's", native, 0, "", "tuned (pid 812)"},
		{"another user's", native, user, "", ""},
		{"another user's, and somebody called sudo", native, user, "1000", ""},
		{"the caller's", native, user, "65534", "tuned (pid 812)"},
		{"another user's whose executable may not be read", process{812, "tuned", 'S', "", ""},
			user, "", ""},
		{"root's script", script, 0, "", "tuned (pid 812)"},
		{"another user's script", script, user, "", ""},
		{"the caller's script, whose memory is not read", script, user, "65534", ""},
	} {
		t.Setenv("SUDO_UID", c.caller)
		proc := procTree(t, c.p)
		if err := os.Chown(filepath.Join(proc, "812"), c.uid, c.uid); err != nil {
			t.Fatal(err)
		}
		found, err := FindRivals(RivalPlaces{Proc: proc, Run: t.TempDir()})
		if got := RivalNames(found); err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.what, got, err, c.want)
		}
	}
}

func TestSeveral(t *testing.T) {
	proc := procTree(t,
		process{300, "thermald", 'S', "", ""}, process{20, "tuned", 'S', "", ""},
		process{301, "thermald", 'S', "", ""}, process{1, "systemd", 'S', "", ""})
	run := t.TempDir()
	if err := os.Mkdir(filepath.Join(run, "tlp"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(run, "tlp"), "last_pwr", "0\n")
	found, err := FindRivals(RivalPlaces{Proc: proc, Run: run})
	want := "TLP, tuned (pid 20) and thermald (pid 300)"
	if err != nil || RivalNames(found) != want {
		t.Errorf("%q, %v, want %q", RivalNames(found), err, want)
	}
}

func TestScheduler(t *testing.T) {
	for tree, want := range map[string]string{
		"dir kernel\n": "",
		"file 0444 kernel/sched_ext/state\n\tdisabled\n": "",
		"file 0444 kernel/sched_ext/state\n\tenabled\n" +
			"file 0444 kernel/sched_ext/root/ops\n\tlavd_1.0.9\n": "sched_ext scheduler lavd_1.0.9",
		"file 0444 kernel/sched_ext/state\n\tenabling\n": "sched_ext scheduler unnamed",
		"file 0444 kernel/sched_ext/state\n\tenabled\n" +
			"file 0444 kernel/sched_ext/root/ops\n\t\x1b[2Jbpf land\u00e9\n": `sched_ext scheduler \x1b[2Jbpf landé`,
	} {
		fs, err := sysfs.Open(devtest.Tree(t, tree))
		if err != nil {
			t.Fatal(err)
		}
		found, err := FindRivals(RivalPlaces{Proc: t.TempDir(), Run: t.TempDir(), Sys: fs})
		if got := RivalNames(found); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", tree, got, err, want)
		}
		fs.Close()
	}
}

func TestNoProcesses(t *testing.T) {
	if found, err := FindRivals(RivalPlaces{Proc: filepath.Join(t.TempDir(), "none"),
		Run: t.TempDir()}); err == nil || len(found) != 0 {
		t.Errorf("%v, %v", found, err)
	}
	// Directories without files, files in the place of directories, a pipe in the place of a file.
	root := procTree(t, process{5, "thermald", 'S', "", ""})
	put(t, root, "77", "no directory")
	for _, pid := range []string{"6", "007", "99999999999999999999"} {
		if err := os.Mkdir(filepath.Join(root, pid), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	found, err := FindRivals(RivalPlaces{Proc: root, Run: t.TempDir()})
	if err != nil || !reflect.DeepEqual(RivalNames(found), "thermald (pid 5)") {
		t.Errorf("%v, %v", found, err)
	}
}

// On this machine Find is quick and returns no error.
func TestThisMachine(t *testing.T) {
	if _, err := FindRivals(OnThisMachine(nil)); err != nil {
		t.Error(err)
	}
}

// Whatever a process calls itself, only known rivals are found, and their description can be
// printed.
func FuzzProcess(f *testing.F) {
	for _, stat := range []string{"1 (tuned) S 1", "1 (", "1 ) S (", "1 () S", "1 (thermald)", "",
		"1 (python3) S 1", "1 (a) b) R 1\n2 (tuned) S"} {
		f.Add([]byte(stat), []byte("python3\x00tuned\x00"))
	}
	f.Fuzz(func(t *testing.T, stat, cmdline []byte) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "42"), 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, "42"), "stat", string(stat))
		put(t, filepath.Join(dir, "42"), "cmdline", string(cmdline))
		found, err := FindRivals(RivalPlaces{Proc: dir, Run: filepath.Join(dir, "none")})
		if err != nil || len(found) > 1 {
			t.Fatalf("%v, %v", found, err)
		}
		for _, r := range found {
			known := false
			for i := range daemons {
				d := &daemons[i]
				named := strings.Contains(string(stat)+string(cmdline),
					d.file[:min(len(d.file), maxComm)])
				known = known || d.rival(42) == r && named
			}
			if !known || !utf8.ValidString(RivalNames(found)) {
				t.Errorf("%+v", r)
			}
		}
	})
}
