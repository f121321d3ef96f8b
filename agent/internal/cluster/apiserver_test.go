package cluster

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/ebb-energy/ebb/agent/internal/names"
	"github.com/ebb-energy/ebb/agent/internal/tenants"
)

// apiServerEnv names a kube-apiserver, and etcdEnv an etcd if it is not in PATH:
// tools/apiserver.sh makes the first one.
const (
	apiServerEnv = "EBB_APISERVER"
	etcdEnv      = "EBB_ETCD"
)

// realServer is an API server with an etcd behind it.
type realServer struct {
	t      *testing.T
	url    string
	client *http.Client
}

// Tokens of who asks.
const (
	admin = "admin-token"
	agent = "agent-token"
)

// startServer starts both. They end with the test.
func startServer(t *testing.T) *realServer {
	t.Helper()
	program := os.Getenv(apiServerEnv)
	if program == "" {
		t.Skip(apiServerEnv + " names no API server")
	}
	etcd := os.Getenv(etcdEnv)
	if etcd == "" {
		etcd = "etcd"
	}
	dir := t.TempDir()
	client, peer := "http://"+free(t), "http://"+free(t)
	begin(t, etcd, "--data-dir", filepath.Join(dir, "etcd"), "--listen-client-urls", client,
		"--advertise-client-urls", client, "--listen-peer-urls", peer,
		"--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	private := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY",
		Bytes: x509.MarshalPKCS1PrivateKey(key)})
	tokens := admin + ",admin,1,system:masters\n" +
		agent + ",system:serviceaccount:ebb:ebb,2,system:serviceaccounts\n"
	for name, text := range map[string]string{"key.pem": string(private), "tokens": tokens} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	address := free(t)
	_, port, _ := net.SplitHostPort(address)
	begin(t, program, "--etcd-servers", client, "--bind-address", "127.0.0.1",
		"--secure-port", port, "--advertise-address", "192.0.2.1",
		"--endpoint-reconciler-type", "none",
		"--cert-dir", filepath.Join(dir, "certs"), "--service-cluster-ip-range", "10.0.0.0/24",
		"--service-account-issuer", "https://ebb.test", "--service-account-key-file",
		filepath.Join(dir, "key.pem"), "--service-account-signing-key-file",
		filepath.Join(dir, "key.pem"), "--token-auth-file", filepath.Join(dir, "tokens"),
		"--authorization-mode", "RBAC", "--disable-admission-plugins", "ServiceAccount")
	// Its certificate is its own, on the loopback interface.
	way := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	s := &realServer{t: t, url: "https://" + address, client: &http.Client{Transport: way}}
	until(t, "an API server", func() bool {
		status, _ := s.try(admin, "GET", "/readyz", "", nil)
		return status == http.StatusOK
	})
	return s
}

// free is an address of the loopback interface that nobody has.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// begin starts a program, whose last words the test has where it fails.
func begin(t *testing.T, program string, args ...string) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if text := out.String(); t.Failed() {
			t.Logf("%s: %s", filepath.Base(program), text[max(len(text)-4000, 0):])
		}
	})
}

func (s *realServer) try(token, method, path, kind string, body []byte) (int, string) {
	r, err := http.NewRequest(method, s.url+path, bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", kind)
	answer, err := s.client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err.Error()
	}
	return answer.StatusCode, string(text)
}

// does has the administrator do something that must succeed.
func (s *realServer) does(method, path string, of any) {
	s.t.Helper()
	body, err := json.Marshal(of)
	if err != nil {
		s.t.Fatal(err)
	}
	kind := "application/json"
	if method == "PATCH" {
		kind = "application/merge-patch+json"
	}
	if status, text := s.try(admin, method, path, kind, body); status/100 != 2 {
		s.t.Fatalf("%s %s: %d %s", method, path, status, text)
	}
}

// manifest has the administrator make what a manifest has.
func (s *realServer) manifest(path string, places map[string]string) {
	s.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	for one := range bytes.SplitSeq(text, []byte("\n---\n")) {
		var of map[string]any
		if err := yaml.Unmarshal(one, &of); err != nil {
			s.t.Fatal(err)
		}
		s.does("POST", places[of["kind"].(string)], of)
	}
}

// TestAPIServer: with the manifest's rights the agent learns the names and wishes of its node's
// pods from a real API server, and may do nothing else there.
func TestAPIServer(t *testing.T) {
	s := startServer(t)
	for _, name := range []string{"ebb", "shop"} {
		s.does("POST", "/api/v1/namespaces",
			map[string]any{"metadata": map[string]any{"name": name}})
	}
	const rbac = "/apis/rbac.authorization.k8s.io/v1/"
	s.manifest("../../deploy/api/rights.yaml", map[string]string{
		"ServiceAccount":     "/api/v1/namespaces/ebb/serviceaccounts",
		"ClusterRole":        rbac + "clusterroles",
		"ClusterRoleBinding": rbac + "clusterrolebindings"})
	pod := func(n int, name, node, slowdown string) {
		t.Helper()
		s.does("POST", "/api/v1/namespaces/shop/pods", map[string]any{
			"metadata": map[string]any{"name": name,
				"annotations": map[string]string{tenants.Annotation: slowdown}},
			"spec": map[string]any{"nodeName": node,
				"containers": []map[string]any{{"name": "main", "image": "x"}}}})
		s.does("PATCH", "/api/v1/namespaces/shop/pods/"+name+"/status", map[string]any{
			"status": map[string]any{"phase": "Running", "containerStatuses": []map[string]any{{
				"name": "main", "image": "x", "imageID": "x", "ready": true, "restartCount": 0,
				"containerID": "containerd://" + idFor(n)}}}})
	}
	pod(1, "web", "node1", "5%")
	pod(2, "other", "node2", "5%")
	pod(3, "hostile", "node1", "5%; id")
	config := &rest.Config{Host: s.url, BearerToken: agent,
		TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
	source, err := New(config, "node1")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { source.Run(ctx); close(done) }()
	t.Cleanup(func() { end(); <-done })
	until(t, "a name", knows(source, 1, "web"))
	until(t, "another", knows(source, 3, "hostile"))
	wish := func(slowdown string) func() bool {
		return func() bool {
			all := source.Wishes()
			return slowdown == "" && len(all) == 0 || len(all) == 1 && all[0].Pod == "web" &&
				all[0].Slowdown == slowdown && all[0].Class == "BestEffort" && len(all[0].UID) == 36
		}
	}
	until(t, "the wish", wish("5%"))
	if _, known := source.Of(idFor(2)[:names.ShortID]); known {
		t.Error("a pod of another node is known")
	}
	const web = "/api/v1/namespaces/shop/pods/web"
	for _, text := range []string{"2.5%", strings.Repeat("5", 100_000) + "%", "7%"} {
		s.does("PATCH", web, map[string]any{"metadata": map[string]any{
			"annotations": map[string]string{tenants.Annotation: text}}})
		want, _ := tenants.Slowdown(text)
		if len(text) > 64 {
			want = ""
		}
		until(t, fmt.Sprintf("a wish of %.10q", text), wish(want))
	}
	s.does("DELETE", web, map[string]any{"gracePeriodSeconds": 0})
	until(t, "no wish of a pod that is gone", wish(""))
	if !knows(source, 1, "web")() {
		t.Error("a pod that ended lost its name")
	}
	for _, not := range []string{"GET /api/v1/namespaces/shop/secrets", "GET /api/v1/nodes",
		"GET " + web, "DELETE /api/v1/namespaces/shop/pods/hostile",
		"PATCH /api/v1/namespaces/shop/pods/hostile"} {
		method, path, _ := strings.Cut(not, " ")
		if status, _ := s.try(agent, method, path, "application/merge-patch+json",
			[]byte("{}")); status != http.StatusForbidden {
			t.Errorf("%s: %d", not, status)
		}
	}
	if kubectl, err := exec.LookPath("kubectl"); err == nil {
		for _, kind := range []string{"links", "api", "tenants"} {
			for _, who := range []string{"client", "server"} {
				out, err := exec.Command(kubectl, "apply", "-k", "../../deploy/"+kind,
					"--dry-run="+who, "--server", s.url, "--token", admin,
					"--insecure-skip-tls-verify").CombinedOutput()
				if err != nil {
					t.Errorf("%s, by the %s: %v: %s", kind, who, err, out)
				}
				t.Logf("%s, by the %s: %s", kind, who, out)
			}
		}
	}
}
