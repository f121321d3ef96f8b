package deploy

import (
	"encoding/json"
	"fmt"
	"io"
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
)

// TestOnANode: the image's two containers run as the manifest says on a node with pods named by
// both drivers. The agent, nobody, names them; Prometheus answers the queries of the page for
// users, and the sums are the meter's.
func TestOnANode(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds an image and starts Prometheus")
	}
	if os.Geteuid() != 0 {
		t.Skip("it needs root")
	}
	for _, program := range []string{"runc", "prometheus"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program, " is not installed: ", err)
		}
	}
	pod := set(t, decode(t, read(t, "links/ebb.yaml"))).Spec
	root, places := image(t), node(t)
	contain(t, bundle(t, root, pod, "ebb", places), "ebb-root")
	said := contain(t, bundle(t, root, pod, "agent", places), "ebb-agent")
	var address string
	until(t, "the agent's address", func() bool {
		m := regexp.MustCompile(`http://(\S+)/metrics`).FindSubmatch(read(t, said))
		if m != nil {
			address = string(m[1])
		}
		return m != nil
	})
	for _, names := range []string{
		`namespace="shop",pod="web-7d4b9c-x2",container="nginx"} `,
		`namespace="kube-system",pod="etcd-node1",container="etcd"} `, "ebb_agent_fresh 1\n",
	} {
		until(t, names, func() bool { return strings.Contains(get(t, address, "/metrics"), names) })
	}
	at := prometheus(t, address)
	page := string(read(t, "../../docs/kubernetes.md"))
	queries := regexp.MustCompile(`(?m)^    (sum.*)$`).FindAllStringSubmatch(page, -1)
	if len(queries) < 3 {
		t.Errorf("%d queries on the page", len(queries))
	}
	for _, q := range queries {
		until(t, "an answer to "+q[1], func() bool { return len(ask(t, at, q[1])) > 0 })
		t.Logf("%s: %v", q[1], ask(t, at, q[1]))
	}
	all := ask(t, at, `sum by (namespace) (ebb_group_energy_joules_total{kind="pod"})`)
	if len(all) != 2 || all["kube-system"] == "" || all["shop"] == "" {
		t.Errorf("by namespace: %v", all)
	}
	off := ask(t, at, `abs(sum(ebb_group_energy_joules_total) - `+
		`sum(ebb_machine_energy_joules_total{part="groups"})) > 1e-6`)
	if len(off) != 0 {
		t.Errorf("the sums are off by %v J", off)
	}
}

func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(hung); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never: ", what)
		}
	}
}

// get is an answer, empty while there is none.
func get(t *testing.T, address, path string) string {
	t.Helper()
	r, err := http.Get("http://" + address + path)
	if err != nil {
		return ""
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	fatal(t, err)
	return string(text)
}

// prometheus reads an address each second, and is its own.
func prometheus(t *testing.T, target string) string {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	text := fmt.Appendf(nil, "global: {scrape_interval: 1s}\nscrape_configs:\n- job_name: ebb\n"+
		"  honor_labels: true\n  static_configs: [{targets: [%q]}]\n", target)
	fatal(t, os.WriteFile(config, text, 0o600))
	free, err := net.Listen("tcp", "127.0.0.1:0")
	fatal(t, err)
	at := free.Addr().String()
	free.Close()
	cmd := exec.Command("prometheus", "--config.file="+config,
		"--storage.tsdb.path="+filepath.Join(dir, "tsdb"), "--web.listen-address="+at)
	fatal(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return at
}

// ask is the values of an answer, by namespace.
func ask(t *testing.T, at, query string) map[string]string {
	t.Helper()
	var answer struct {
		Data struct {
			Result []struct {
				Metric map[string]string
				Value  []any
			}
		}
	}
	text := get(t, at, "/api/v1/query?query="+url.QueryEscape(query))
	if json.Unmarshal([]byte(text), &answer) != nil {
		return nil
	}
	all := map[string]string{}
	for _, r := range answer.Data.Result {
		all[r.Metric["namespace"]] = fmt.Sprint(r.Value[1])
	}
	return all
}
