package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// traffic is what the tests read of a report's network part.
type traffic struct {
	Network *struct {
		Note      string
		Processes []struct {
			PID     int
			Comm    string
			Sent    uint64 `json:"loopback_sent_bytes"`
			Recv    uint64 `json:"loopback_received_bytes"`
			OutSent uint64 `json:"sent_bytes"`
			OutRecv uint64 `json:"received_bytes"`
			Energy  *int64 `json:"energy_nj"`
			Source  string
			Threads []struct {
				Sent uint64 `json:"loopback_sent_bytes"`
				Recv uint64 `json:"loopback_received_bytes"`
			}
		}
	}
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestNetworkBytes: for a program and its child ebb reports, to the byte, what they count as sent
// and received; the test, which talks with them, is not counted.
func TestNetworkBytes(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	dir := t.TempDir()
	talk, out, conf := filepath.Join(dir, "talk"), filepath.Join(dir, "r.json"), filepath.Join(dir,
		"ebb.toml")
	if b, err := exec.Command("go", "build", "-o", talk,
		"testdata/talk/main.go").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	if err := os.WriteFile(conf, []byte("[network]\ncard_power = \"1.1W\"\nlink_mbps = 1000\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		if conn, err := l.Accept(); err == nil {
			_, _ = io.Copy(io.Discard, conn)
			conn.Close()
		}
	}()
	res := ebb(t, "run", "--network", "--config", conf, "--report", out, "--", talk,
		l.Addr().String())
	if res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	var r traffic
	readJSON(t, out, &r)
	if r.Network == nil || len(r.Network.Processes) != 2 {
		t.Fatalf("want the program and its child: %+v", r.Network)
	}
	for line := range strings.Lines(res.stdout) {
		var pid int
		var sent, received uint64
		if _, err := fmt.Sscan(line, &pid, &sent, &received); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		found := false
		for _, p := range r.Network.Processes {
			if p.PID != pid {
				continue
			}
			found = true
			if p.Sent != sent || p.Recv != received || p.OutSent+p.OutRecv != 0 ||
				p.Comm != "talk" {
				t.Errorf(
					"process %d says it sent %d and received %d bytes on loopback, the report "+
						"has %+v", pid, sent, received, p,
				)
			}
			if p.Energy == nil || *p.Energy != 0 || p.Source != "modelled" {
				t.Errorf("loopback costs a card nothing, and that is modelled: %+v", p)
			}
			for _, th := range p.Threads {
				sent, received = sent-th.Sent, received-th.Recv
			}
			if sent != 0 || received != 0 {
				t.Errorf("the threads of process %d do not add up to it: %d, %d are missing", pid,
					int64(sent), int64(received))
			}
		}
		if !found {
			t.Errorf("process %d is not in the report", pid)
		}
	}
	if res := ebb(t, "report", "--by", "network", out); res.code != 0 ||
		strings.Count(res.stdout, "talk (process ") != 2 {
		t.Errorf("status %d: %s%s", res.code, res.stdout, res.stderr)
	}
	refused(t, ebb(t, "report", "--by", "network", "--format", "pprof", out), 2)
	if !strings.Contains(unbroken(res.stderr), "modelled (1.1 W at 1000 Mbit/s; not measured)") {
		t.Errorf("the summary does not say where the energy comes from:\n%s", res.stderr)
	}
}

// TestNetworkOff: without --network the report has no network; without a card it has the bytes and
// the reason why there is no energy.
func TestNetworkOff(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	out := filepath.Join(t.TempDir(), "r.json")
	var r map[string]json.RawMessage
	if res := ebb(t, "run", "--report", out, "--", "true"); res.code != 0 ||
		strings.Contains(res.stderr, "network") {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	readJSON(t, out, &r)
	if b, ok := r["network"]; ok {
		t.Errorf("without --network the report has %s", b)
	}
	res := ebb(t, "run", "--network", "--", "true")
	if said := unbroken(res.stderr); res.code != 0 ||
		!strings.Contains(said, "nothing was sent or received") ||
		!strings.Contains(said, "no network.card_power") {
		t.Errorf("status %d: %s", res.code, res.stderr)
	}
}
