package e2e

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// TestTenantsBadInput: one sentence each, status 2, and nothing is started.
func TestTenantsBadInput(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	dir := devtest.Cgroup(t)
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(fifo, 0o644); err != nil {
		t.Fatal(err)
	}
	var many strings.Builder
	for i := range 4097 {
		fmt.Fprintf(&many, "[tenant.t%d]\npid=%d\n", i, i+1)
	}
	good := tenantsFile(t, fmt.Sprintf("[tenant.a]\ncgroup = %q\n", dir))
	file := func(text string) []string { return []string{"--tenants", tenantsFile(t, text)} }
	parent, child := parentAndChild(t)
	family := func(a, b int) string {
		return fmt.Sprintf("[tenant.a]\npid = %d\n[tenant.b]\npid = %d\n", a, b)
	}
	one := func(line string) []string { return file("[tenant.a]\n" + line + "\n") }
	for name, c := range map[string]struct {
		args  []string
		words []string
	}{
		"unknown key": {one("pid = 1\nslowdwon = \"5%\""), []string{"slowdwon", "slowdown"}},
		"one cgroup": {file("[tenant.a]\ncgroup = \"/x\"\n[tenant.b]\ncgroup = \"/x/\"\n"),
			[]string{"a and b", "/x"}},
		"one cgroup by two names": {file(fmt.Sprintf("[tenant.a]\ncgroup = %q\n[tenant.b]\n"+
			"cgroup = %q\n", dir, filepath.Base(dir))), []string{"a and b", dir}},
		"no percent sign":  {one("pid = 1\nslowdown = \"5\""), []string{"slowdown", "%"}},
		"4097 tenants":     {file(many.String()), []string{"4097", "4096"}},
		"no tenant":        {file(""), []string{"no tenant"}},
		"missing file":     {[]string{"--tenants", dir + "/none"}, []string{"none"}},
		"a pipe":           {[]string{"--tenants", fifo}, []string{"fifo"}},
		"messages":         {[]string{"--tenants", "/dev/kmsg"}, []string{"/dev/kmsg"}},
		"a directory":      {[]string{"--tenants", dir}, []string{dir}},
		"a gone process":   {one("pid = " + gonePID(t)), []string{"tenant a", "process"}},
		"a zombie":         {one(fmt.Sprint("pid = ", zombie(t))), []string{"tenant a", "process"}},
		"process 0":        {one("pid = 0"), []string{"tenant.a.pid", "no process"}},
		"parent and child": {file(family(parent, child)), []string{"tenant b", "tenant a"}},
		"child and parent": {file(family(child, parent)), []string{"tenant a", "tenant b"}},
		"a report over it": {[]string{"--tenants", good, "--report", good},
			[]string{"--report", "--tenants"}},
		"two in one file": {[]string{"--tenants", good, "--report", dir + "/x", "--record",
			dir + "/x"}, []string{"--report and --record"}},
		"a kernel thread":  {one("pid = 2"), []string{"tenant a", "kernel"}},
		"ebb's forebear":   {one(fmt.Sprintf("pid = %d", os.Getpid())), []string{"ebb itself"}},
		"ebb's own cgroup": {one(`cgroup = "/"`), []string{"ebb itself"}},
		"no unit's name":   {one(`unit = "a b"`), []string{"tenant a", "unit"}},
		"a v1 cgroup":      {one(`cgroup = "/sys/kernel/none"`), []string{"tenant a", "hierarchy"}},
		"a command":        {[]string{"--tenants", good, "--", "true"}, []string{"not both"}},
		"a process too":    {[]string{"--tenants", good, "--pid", "1"}, []string{"not both"}},
		"a budget too": {[]string{"--tenants", good, "--slowdown", "5%"},
			[]string{"--slowdown"}},
		"rests":         {[]string{"--tenants", good, "--rest", "3"}, []string{"--rest"}},
		"methods":       {[]string{"--tenants", good, "--methods"}, []string{"--methods"}},
		"an empty name": {[]string{"--tenants", ""}, []string{"--tenants"}},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "a pipe" { // a writer may yet come
				devtest.Long(t)
			}
			refused(t, ebb(t, append([]string{"run"}, c.args...)...), 2, c.words...)
		})
	}
}

// zombie is a process that has ended and that nobody has waited for until the test's end.
func zombie(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("true")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	if _, err := io.ReadAll(out); err != nil { // to the end, which comes as it exits
		t.Fatal(err)
	}
	for until := time.Now().Add(devtest.Hung); ; time.Sleep(time.Millisecond) {
		if s, err := proc.ReadStat(cmd.Process.Pid); err == nil && s.Ended() {
			return cmd.Process.Pid
		}
		if time.Now().After(until) {
			t.Fatal("it does not end")
		}
	}
}

// parentAndChild are two processes that sleep until the test's end.
func parentAndChild(t *testing.T) (parent, child int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", "sleep 1000 & echo $!; wait")
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
		_ = cmd.Wait()
	})
	if _, err := fmt.Fscan(out, &child); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid, child
}
