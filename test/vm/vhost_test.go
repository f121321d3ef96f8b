package vm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestVhost: a thread that the kernel makes for a process's vhost is a line of the program, with
// all its time. Since Linux 6.4 it is a thread of the process's.
func TestVhost(t *testing.T) {
	process, own, vhost := followVhost(t)
	if missed := process - own - vhost; missed.Abs() > process/100 {
		t.Errorf("the process used %v, its own thread %v and vhost's %v", process, own, vhost)
	}
}

// TestOldVhost: before Linux 6.4 it is a kernel thread that works in the process's memory, and no
// part of the process's own clock.
func TestOldVhost(t *testing.T) {
	if process, own, _ := followVhost(t); process-own > process/100+time.Millisecond {
		t.Errorf("the process used %v, its own thread %v: vhost's is a thread of its", process, own)
	}
}

// followVhost governs a program that has vhost work for it. It returns what the program printed of
// its process, its own thread and vhost's, which the report's lines must have.
func followVhost(t *testing.T) (process, own, vhost time.Duration) {
	t.Helper()
	for _, module := range []string{"vhost_iotlb", "vhost", "vsock",
		"vmw_vsock_virtio_transport_common", "vhost_vsock"} {
		err := insert(module, "")
		if errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("this kernel comes without vhost: %v", err)
		}
		if err != nil && !errors.Is(err, unix.EEXIST) {
			t.Fatal(err)
		}
	}
	const file = "/tmp/vhost.json"
	r := command(t, "/bin/ebb", "run", "--threads", "--quantum", quantum, "--report", file, "--",
		"/bin/vhost", "300")
	t.Log(r.out, r.err)
	var tid int
	_, said, _ := strings.Cut(r.out, "process=")
	if _, err := fmt.Sscanf(said, "%d own=%d thread=%d used=%d", &process, &own, &tid,
		&vhost); err != nil || r.code != 0 {
		t.Fatalf("exit %d: %v", r.code, err)
	}
	var rep struct {
		Lost      int             `json:"lost_records"`
		NotTraced json.RawMessage `json:"not_traced"`
		Threads   []struct {
			TID  int
			Comm string
			Run  time.Duration `json:"run_ns"`
		}
	}
	if err := json.Unmarshal([]byte(read(t, file)), &rep); err != nil {
		t.Fatal(err)
	}
	var sum, its time.Duration
	for _, th := range rep.Threads {
		sum += th.Run
		if th.TID == tid && strings.HasPrefix(th.Comm, "vhost-") {
			its += th.Run
		}
	}
	t.Logf("process %v, own thread %v, vhost's %v; lines %v in all, vhost's %v; %+v", process, own,
		vhost, sum, its, rep)
	if (its - vhost).Abs() > vhost/100 {
		t.Errorf("vhost's thread %d used %v, its line has %v", tid, vhost, its)
	}
	if sum < (own+vhost)-(own+vhost)/100 || rep.Lost != 0 || len(rep.NotTraced) > 0 {
		t.Errorf("the lines have %v of %v; lost %d; not traced: %s", sum, own+vhost, rep.Lost,
			rep.NotTraced)
	}
	return process, own, vhost
}
