package tenants

import (
	"context"
	"fmt"
	"io"
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

// agent is the user that the manifest gives the agent.
const agent = 54399

// keepsEnv has the test's binary be an agent at a socket, whose pod is in the namespace.
const keepsEnv = "EBB_TEST_KEEPS"

func TestMain(m *testing.M) {
	if socket := os.Getenv(keepsEnv); socket != "" {
		ctx, end := context.WithCancel(context.Background())
		source := &wishes{}
		source.are(Wish{Namespace: os.Getenv("EBB_TEST_NAMESPACE"), Pod: "web", UID: uid,
			Class: "Burstable", Slowdown: "5%"})
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			end()
		}()
		New(socket, source, os.Stderr).Run(ctx)
		return
	}
	os.Exit(m.Run())
}

// TestWithEbb: the agent, without a right, has a real ebb serve govern a pod of a namespace that
// root allows for as long as the agent runs, and none of another namespace.
func TestWithEbb(t *testing.T) {
	if testing.Short() || os.Geteuid() != 0 {
		t.Skip("it builds ebb, and starts it as root")
	}
	root := "/sys/fs/cgroup"
	if _, err := os.Stat(root + "/cgroup.controllers"); err != nil {
		root += "/unified"
	}
	if _, err := os.Stat(root + "/cgroup.controllers"); err != nil {
		t.Skip(err)
	}
	dir := root
	for _, part := range []string{"kubepods", "burstable", "pod" + uid} {
		dir = filepath.Join(dir, part)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Skip("the machine has pods: ", err)
		}
		made := dir
		t.Cleanup(func() {
			if err := os.Remove(made); err != nil {
				t.Error(err)
			}
		})
	}
	pod := exec.Command("sh", "-c", "echo $$ > "+dir+"/cgroup.procs && while :; do :; done")
	if err := pod.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = pod.Process.Kill()
		_ = pod.Wait()
	})
	top, err := os.MkdirTemp("", "ebb-agent") // everybody reaches the socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(top) })
	if err := os.Chmod(top, 0o755); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", filepath.Join(top, "ebb"), "./cmd/ebb")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run, said := filepath.Join(top, "run"), &lines{}
	ebb := exec.Command(filepath.Join(top, "ebb"), "serve", "--shadow", "--run-dir", run,
		"--tenants-dir", filepath.Join(top, "none"), "--allow-agents", fmt.Sprint(agent),
		"--allow-namespaces", "shop")
	ebb.Stderr = said
	if err := ebb.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = ebb.Process.Signal(syscall.SIGTERM)
		if err := ebb.Wait(); err != nil {
			t.Errorf("%v: %s", err, said)
		}
		if left, err := os.ReadDir(run); err != nil || len(left) > 0 {
			t.Errorf("the directory that the agent has mounted: %v, %v", left, err)
		}
	})
	socket := filepath.Join(run, "ebb.sock")
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			return net.Dial("unix", socket)
		}, DisableKeepAlives: true}}
	tenant := func(want bool) func() bool {
		return func() bool {
			r, err := client.Get("http://ebb/v1/tenants")
			if err != nil {
				return false
			}
			defer r.Body.Close()
			text, err := io.ReadAll(r.Body)
			return err == nil && r.StatusCode == http.StatusOK &&
				want == strings.Contains(string(text), fmt.Sprintf(`"name":"lease.%d.1"`, agent))
		}
	}
	until := func(what string, done func() bool) {
		t.Helper()
		for end := time.Now().Add(hung); !done(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("never: %s: %s", what, said)
			}
		}
	}
	until("a service without tenants", tenant(false))
	text, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(filepath.Join(top, "agent"), text, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	start := func(namespace string) (out *lines, end func()) {
		cmd := exec.Command(filepath.Join(top, "agent"))
		cmd.Dir, cmd.Env = "/", []string{keepsEnv + "=" + socket, "EBB_TEST_NAMESPACE=" + namespace}
		own := &syscall.Credential{Uid: agent, Gid: agent}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: own}
		in, err := cmd.StdinPipe()
		out = &lines{}
		cmd.Stderr = out
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		return out, func() {
			in.Close()
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		}
	}
	out, end := start("shop")
	until("the pod a tenant", tenant(true))
	until("a word of it", func() bool { return strings.Contains(out.String(), "a tenant of ebb") })
	end()
	until("no tenant without its agent", tenant(false))
	out, end = start("kube-system")
	until("a refusal", func() bool {
		return strings.Contains(out.String(), "that namespace's pods")
	})
	if !tenant(false)() {
		t.Error("a pod of another namespace is a tenant")
	}
	end()
	t.Logf("%s", out)
}
