package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// dist is where the files for Prometheus and Grafana are.
const dist = "../../tools/dist/"

// TestServeRules: promtool takes the rules, and they do what their own test says.
func TestServeRules(t *testing.T) {
	tool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed: ", err)
	}
	for _, args := range [][]string{{"check", "rules", "ebb.rules.yml"},
		{"test", "rules", "ebb.rules.test.yml"}} {
		cmd := exec.CommandContext(t.Context(), tool, args...)
		cmd.Dir = dist + "prometheus"
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %q: %v\n%s", args, err, out)
		}
	}
}

// queries are those of the dashboard's panels, for all machines.
func queries(t *testing.T) (all []string) {
	t.Helper()
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, dist+"grafana/ebb.json")), &board); err != nil {
		t.Fatal(err)
	}
	for _, p := range board.Panels {
		if len(p.Targets) == 0 {
			t.Errorf("panel %q asks for nothing", p.Title)
		}
		for _, q := range p.Targets {
			all = append(all, strings.ReplaceAll(q.Expr, "$instance", ".*"))
		}
	}
	return all
}

// TestServePrometheus: Debian's Prometheus reads a service's metrics over the loopback device,
// evaluates the rules, and answers every query of the dashboard.
func TestServePrometheus(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	prometheus, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("prometheus is not installed: ", err)
	}
	dir := devtest.Cgroup(t)
	inCgroup(t, dir, spin...)
	s := startServingBy(t, func(cmd *exec.Cmd) error {
		cmd.Args = append(cmd.Args, "--metrics-listen", "127.0.0.1:0")
		return cmd.Start()
	}, 0, map[string]string{"a.toml": tenantOf("web", dir, "20%")})
	target := regexp.MustCompile(`http://(127\.0\.0\.1:\d+)/metrics`).FindStringSubmatch(
		read(t, s.stderr))
	if target == nil {
		t.Fatalf("said no address: %s", read(t, s.stderr))
	}
	// An example has the metrics that this machine does not have.
	example := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		_, _ = fmt.Fprintf(w, "ebb_domain_busy_seconds_total{domain=\"0\"} %[1]d\n"+
			"ebb_domain_cycles_total{domain=\"0\"} %[1]d\n"+
			"ebb_energy_joules_total{zone=\"package-0\",source=\"powercap\"} %[1]d\n"+
			"ebb_tenant_imposed_joules_total{tenant=\"x\",source=\"model\"} %[1]d\n"+
			"ebb_tenant_saved_joules_total{tenant=\"x\",source=\"model\"} %[1]d\n",
			time.Now().Unix())
	})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer example.Close()
	go func() { _ = example.Serve(l) }()
	rules, err := filepath.Abs(dist + "prometheus/ebb.rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	config := fmt.Sprintf("global: {scrape_interval: 1s, evaluation_interval: 1s}\n"+
		"rule_files: [%q]\nscrape_configs:\n- job_name: ebb\n"+
		"  static_configs: [{targets: [%q, %q]}]\n",
		rules, target[1], l.Addr())
	if err := os.WriteFile(filepath.Join(data, "p.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	free.Close()
	var log bytes.Buffer
	cmd := exec.Command(prometheus, "--config.file="+filepath.Join(data, "p.yml"),
		"--storage.tsdb.path="+filepath.Join(data, "tsdb"), "--web.listen-address="+at)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	type answer struct {
		Status, Error string
		Data          struct{ Result []json.RawMessage }
	}
	ask := func(query string) (a answer, err error) {
		r, err := http.Get("http://" + at + "/api/v1/query?query=" + url.QueryEscape(query))
		if err != nil {
			return a, err
		}
		defer r.Body.Close()
		return a, json.NewDecoder(r.Body).Decode(&a)
	}
	until(t, "Prometheus has read what is needed for a rate", func() bool {
		a, err := ask(`count_over_time(ebb_tenant_reference_seconds_total{tenant="web"}[1m]) > 2`)
		return err == nil && len(a.Data.Result) == 1
	})
	for _, q := range queries(t) {
		a, err := ask(q)
		if err != nil || a.Status != "success" {
			t.Errorf("%s: %v, %s", q, err, a.Error)
		} else if len(a.Data.Result) == 0 {
			t.Errorf("%s: nothing", q)
		}
	}
	until(t, "the rule has a value", func() bool {
		a, err := ask(`tenant:ebb_budget_burnt:ratio5m{tenant="web"}`)
		return err == nil && len(a.Data.Result) == 1
	})
	if a, err := ask(`ALERTS{alertname="EbbRestorePending"}`); err != nil || len(a.Data.Result) > 0 {
		t.Errorf("an alert without a cause: %s, %v", a.Data.Result, err)
	}
	s.ends()
}
