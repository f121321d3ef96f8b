package machine

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/command"
)

// prometheus has Debian's Prometheus read the metrics at an address, and returns a function that
// asks it. It waits until there is an answer for which ok says so, and returns the last one.
func prometheus(t *testing.T, target string) (ask func(query string, ok func(string) bool) string) {
	t.Helper()
	server, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("prometheus is not installed: nobody asks it whether the sums agree")
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed: nobody asks Prometheus whether the sums agree")
	}
	dir := t.TempDir()
	config := fmt.Sprintf("global: {scrape_interval: 200ms}\nscrape_configs:\n"+
		"- job_name: ebb\n  static_configs: [{targets: ['%s']}]\n", target)
	if err := os.WriteFile(filepath.Join(dir, "p.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	at := freePort(t)
	var log bytes.Buffer
	cmd := exec.Command(server, "--config.file="+filepath.Join(dir, "p.yml"),
		"--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+at)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	return func(query string, ok func(string) bool) (said string) {
		for range 300 {
			out, _ := exec.Command(promtool, "query", "instant", "http://"+at, query).Output()
			if said = string(out); ok(said) {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		return said
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer free.Close()
	return free.Addr().String()
}

// groupsAgree counts the zones whose groups have what the machine's part of groups is.
const groupsAgree = "count(abs(sum by (zone, source) (ebb_group_energy_joules_total) - " +
	"on (zone, source) ebb_machine_energy_joules_total{part=\"groups\"}) < 1e-6)"

// TestPrometheus asks Prometheus whether an example's groups sum to the machine's part of groups,
// and all parts to what the meter counted.
func TestPrometheus(t *testing.T) {
	s := serving(t, exampleOf(t, ""))
	ask := prometheus(t, s.listener.Addr().String())
	is := func(n string) func(string) bool {
		return func(said string) bool { return strings.Contains(said, "=> "+n+" @") }
	}
	// Three zones agree, and one has 67 J.
	all := groupsAgree +
		" + count(abs(sum by (zone) (ebb_machine_energy_joules_total) - 67) < 1e-6)"
	if said := ask(all, is("4")); !is("4")(said) {
		t.Errorf("Prometheus says %q", said)
	}
	one := `round(sum(ebb_machine_energy_joules_total{zone="package-0"}), 1e-6)`
	if said := ask(one, is("67")); !is("67")(said) {
		t.Errorf("the parts of package-0 are %q, not 67 J", said)
	}
}

// TestPrometheusLive: the same of this machine as ebb follows it, beside a meter that counts 30 J.
func TestPrometheusLive(t *testing.T) {
	possible(t)
	root, turn := meterTree(t)
	s := settings(root)
	s.JSON, s.Listen = true, freePort(t)
	ask := prometheus(t, s.Listen)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Execute(ctx, s, command.Stdio{Out: io.Discard, Err: io.Discard}) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	begun := func(said string) bool { return strings.Contains(said, "=> 0 @") }
	if said := ask("ebb_groups_refused_total", begun); !begun(said) {
		t.Fatalf("Prometheus has read nothing: %q", said)
	}
	for i := range 30 {
		turn((i + 1) * 1_000_000)
		time.Sleep(50 * time.Millisecond)
	}
	whole := func(said string) bool { return strings.Contains(said, "=> 30 @") }
	if said := ask("round(sum(ebb_machine_energy_joules_total), 1e-6)", whole); !whole(said) {
		t.Errorf("all parts are %q, not 30 J", said)
	}
	agree := func(said string) bool { return strings.Contains(said, "=> 1 @") }
	if said := ask(groupsAgree, agree); !agree(said) {
		t.Errorf("the groups of the zone: %q", said)
	}
	some := func(said string) bool { return strings.Contains(said, "=> 1 @") }
	const groups = `count(ebb_machine_energy_joules_total{part="groups"} > 0)`
	if said := ask(groups, some); !some(said) {
		t.Errorf("no group has energy: %q", said)
	}
}
