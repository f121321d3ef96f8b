package e2e

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestDebuginfod: a report of a stripped program names its functions later, by Debian's server on
// the loopback device, as an ordinary user; root is refused, and so is a server that is none.
func TestDebuginfod(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	for _, name := range []string{"debuginfod", "debuginfod-find"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // for the ordinary user
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"symbols", "home"} {
		if err := os.Mkdir(in(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(in("home"), nobody, nobody); err != nil {
		t.Fatal(err)
	}
	write(t, in("main.c"), strippedSource+"int main(void) { shown(); }\n")
	const id = "0123456789abcdef0123456789abcdef01234567"
	run(t, "gcc", "-O2", "-g", "-Wl,--build-id=0x"+id, "-o", in("whole"), in("main.c"))
	run(t, "objcopy", "--only-keep-debug", in("whole"), in("symbols/p.debug"))
	run(t, "strip", "-o", in("p"), in("whole"))
	run(t, "cp", ebbPath(t), in("ebb"))
	if res := ebb(t, "run", "--quiet", "--methods", "--report", in("r.json"), "--",
		in("p")); res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	if err := os.Chmod(in("r.json"), 0o644); err != nil {
		t.Fatal(err)
	}
	urls := served(t, in("symbols"), id)
	ask := func(user uint32, urls string) result {
		cmd := commandOf(t, in("ebb"), "report", "--debuginfod", in("r.json"))
		cmd.Env = []string{"HOME=" + in("home"), "PATH=" + os.Getenv("PATH"),
			"DEBUGINFOD_URLS=" + urls}
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: user, Gid: user}
		return finish(t, cmd)
	}
	if res := ask(0, urls); res.code == 0 || !strings.Contains(res.stderr, "as root") {
		t.Errorf("root: status %d: %s", res.code, res.stderr)
	}
	if res := ask(nobody, "file:///"); res.code == 0 {
		t.Errorf("a path: %s%s", res.stdout, res.stderr)
	}
	res := ask(nobody, urls)
	if res.code != 0 || !strings.Contains(res.stdout, "hidden") ||
		strings.Contains(res.stdout, "p+0x") || !strings.Contains(res.stderr, "127.0.0.1") {
		t.Errorf("status %d: %s%s", res.code, res.stdout, res.stderr)
	}
}

// served starts a server of the symbols in a directory, and returns its address when it has those
// of a build id.
func served(t *testing.T, dir, id string) string {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := commandOf(t, "debuginfod", "-p", port, "-d", ":memory:", "-F", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it ends with the test
		_ = cmd.Wait()
	})
	address := "http://127.0.0.1:" + port
	for end := time.Now().Add(hung); ; time.Sleep(50 * time.Millisecond) {
		answer, err := http.Get(fmt.Sprintf("%s/buildid/%s/debuginfo", address, id))
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return address
			}
		}
		if time.Now().After(end) {
			t.Fatalf("debuginfod does not find the symbols: %v", err)
		}
	}
}
