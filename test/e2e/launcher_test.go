package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// delegatedCgroup is nobody's, as systemd delegates one to a user, below one of root's.
func delegatedCgroup(t *testing.T) string {
	t.Helper()
	home := devtest.ChildCgroup(t, devtest.Cgroup(t), "user@65534.service")
	for _, path := range []string{home, filepath.Join(home, "cgroup.procs")} {
		if err := os.Chown(path, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// from runs ebb on a tree of files, so that it sets clocks, and puts it into a cgroup before.
func from(t *testing.T, home string, args ...string) result {
	t.Helper()
	tree, procs := devtest.Tree(t, devtest.Desktop), os.DevNull
	if home != "" {
		procs = filepath.Join(home, "cgroup.procs")
	}
	cmd := command(t, append([]string{"run", "--quiet", "--sysfs", tree, "--run-dir",
		filepath.Join(t.TempDir(), "run")}, args...)...)
	path, argv := cmd.Path, cmd.Args[1:]
	sh := exec.Command("sh", append([]string{"-c", `echo $$ >"$0" && exec "$@"`, procs, path},
		argv...)...)
	sh.Env, sh.Dir = cmd.Env, cmd.Dir
	return finish(t, sh)
}

// A command that ebb starts from its shelter, through a launcher, begins as one that it starts
// otherwise: with the same rights, limits, signals, descriptors, environment and process group, and
// in ebb's first cgroup.
func TestStartsAlikeFromAShelter(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	home := delegatedCgroup(t)
	// The shell reads its own status: while it waits for another program it blocks signals.
	const script = `while read -r l; do case $l in Name*|[UG]id*|Groups*|Threads*|Sig[BIC]*|` +
		`Cap*|NoNew*|Secc*|Cpus_allowed:*) echo "$l";; esac; done </proc/$$/status; env | sed 's/^EBB_FUNCTIONS=700:.*/counts/' | sort; ulimit -aS; ulimit -aH; umask; pwd; ls /proc/$$/fd; ` +
		`cat /proc/$$/oom_score_adj; tr '\0' ' ' </proc/$$/cmdline; cut -d' ' -f19,40,41 ` +
		`/proc/$$/stat; g() { cut -d' ' -f5,6,7 /proc/$1/stat; }; test "$(g $$)" = "$(g $PPID)" ` +
		`&& echo same group; exit 7`
	// With --functions the command is also handed the memory in which it counts.
	for _, flags := range [][]string{nil, {"--user", "nobody"},
		{"--user", "nobody", "--keep-env", "TERM"}, {"--functions"}} {
		args := append(slices.Clone(flags), "--", "sh", "-c", script)
		want, got := from(t, "", args...), from(t, home, args...)
		if got.stdout != want.stdout || got.stderr != want.stderr || got.code != 7 ||
			want.code != 7 || !strings.Contains(got.stdout, "same group") {
			t.Errorf("%v: status %d, %s%s\nwant %d, %s%s", flags, got.code, got.stdout, got.stderr,
				want.code, want.stdout, want.stderr)
		}
	}
	r := from(t, home, "--", "sh", "-c", "cat /proc/self/cgroup & wait")
	if in := "/" + filepath.Base(filepath.Dir(home)) + "/" + filepath.Base(home); !strings.Contains(
		r.stdout, in) {
		t.Errorf("it begins in %s, want %s", r.stdout, in)
	}
}

// Such a command is refused, ends and has threads as another does.
func TestEndsAlikeFromAShelter(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	home := delegatedCgroup(t)
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, argv := range [][]string{
		{empty}, {"/etc/passwd"}, {"/no/such/program"}, {"sh", "-c", "kill -TERM $$"},
		{"sh", "-c", "kill -KILL $$"}, {"sh", "-c", "exit 255"},
	} {
		want, got := from(t, "", append([]string{"--"}, argv...)...),
			from(t, home, append([]string{"--"}, argv...)...)
		if got.code != want.code || got.code == 0 || got.stderr != want.stderr {
			t.Errorf("%v: status %d, %s; want %d, %s", argv, got.code, got.stderr, want.code,
				want.stderr)
		}
	}
	names := func(home string) (all []string) {
		file := filepath.Join(t.TempDir(), "report.json")
		r := from(t, home, "--report", file, "--", "sh", "-c", "/bin/true; /bin/true & wait")
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v: status %d, %s", err, r.code, r.stderr)
		}
		rep, err := report.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		run := int64(0)
		for i := range rep.Threads {
			all = append(all, rep.Threads[i].Comm)
			run += rep.Threads[i].RunNS
		}
		if run <= 0 || rep.LostRecords != 0 {
			t.Errorf("the threads ran for %d ns, %d records were lost", run, rep.LostRecords)
		}
		slices.Sort(all)
		return all
	}
	if got, want := names(home), names(""); !slices.Equal(got, want) || len(got) != 3 {
		t.Errorf("its threads are %v, want %v", got, want)
	}
}
