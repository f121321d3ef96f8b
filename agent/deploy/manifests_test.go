package deploy

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

// decode reads manifests as an API server of their version does that refuses unknown fields.
func decode(t *testing.T, text []byte) (all []any) {
	t.Helper()
	for one := range bytes.SplitSeq(text, []byte("\n---\n")) {
		var kind struct{ APIVersion, Kind string }
		if err := yaml.Unmarshal(one, &kind); err != nil {
			t.Fatal(err)
		}
		of := map[string]any{
			"v1 Namespace": &corev1.Namespace{}, "v1 ServiceAccount": &corev1.ServiceAccount{},
			"apps/v1 DaemonSet":                               &appsv1.DaemonSet{},
			"networking.k8s.io/v1 NetworkPolicy":              &networkingv1.NetworkPolicy{},
			"rbac.authorization.k8s.io/v1 ClusterRole":        &rbacv1.ClusterRole{},
			"rbac.authorization.k8s.io/v1 ClusterRoleBinding": &rbacv1.ClusterRoleBinding{},
		}[kind.APIVersion+" "+kind.Kind]
		if of == nil {
			t.Fatalf("%v is none that is expected", kind)
		}
		if err := yaml.UnmarshalStrict(one, of); err != nil {
			t.Fatalf("%v: %v", kind, err)
		}
		all = append(all, of)
	}
	return all
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// set is the DaemonSet among manifests.
func set(t *testing.T, all []any) *corev1.PodTemplateSpec {
	t.Helper()
	for _, one := range all {
		if s, ok := one.(*appsv1.DaemonSet); ok {
			return &s.Spec.Template
		}
	}
	t.Fatal("there is no DaemonSet")
	return nil
}

// TestRights: root's container has the capabilities that docs/privileges.md says a whole machine
// needs and no others, the agent none; neither can write to the host, and all is declared.
func TestRights(t *testing.T) {
	pod := set(t, decode(t, read(t, "links/ebb.yaml"))).Spec
	root, agent := named(t, pod, "ebb"), named(t, pod, "agent")
	row := regexp.MustCompile(`(?m)^\| a whole machine's groups .*$`).Find(
		read(t, "../../docs/privileges.md"))
	var want []string
	for _, c := range regexp.MustCompile(`CAP_(\w+)`).FindAllSubmatch(row, -1) {
		want = append(want, string(c[1]))
	}
	var got []string
	for _, c := range root.SecurityContext.Capabilities.Add {
		got = append(got, string(c))
	}
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("the manifest adds %q, docs/privileges.md has %q", got, want)
	}
	unit := string(regexp.MustCompile(`(?m)^CapabilityBoundingSet=.*$`).Find(
		read(t, "../../tools/dist/ebb-unit@.service")))
	for _, c := range got {
		if !strings.Contains(unit+" ", "CAP_"+c+" ") {
			t.Errorf("the unit has no CAP_%s", c)
		}
	}
	if agent.SecurityContext.Capabilities.Add != nil || *agent.SecurityContext.RunAsUser == 0 ||
		!*agent.SecurityContext.RunAsNonRoot {
		t.Error("the agent has rights")
	}
	for _, c := range pod.Containers {
		s := c.SecurityContext
		if *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || s.Privileged != nil ||
			!slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) {
			t.Errorf("%s has more than it says", c.Name)
		}
		for _, m := range c.VolumeMounts {
			i := slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool {
				return v.Name == m.Name
			})
			if i < 0 {
				t.Fatalf("%s: no volume %s", c.Name, m.Name)
			}
			if pod.Volumes[i].HostPath != nil && !m.ReadOnly {
				t.Errorf("%s can write to the host's %s", c.Name, m.MountPath)
			}
		}
	}
	if pod.HostNetwork || pod.HostIPC || pod.HostPID || *pod.AutomountServiceAccountToken {
		t.Error("the pod shares what it does not need")
	}
	version := strings.TrimSpace(string(read(t, "../../VERSION")))
	for _, c := range pod.Containers {
		if c.Image != "localhost/ebb:"+version {
			t.Errorf("%s: image %s of version %s", c.Name, c.Image, version)
		}
	}
}

// named is a pod's container.
func named(t *testing.T, pod corev1.PodSpec, name string) *corev1.Container {
	t.Helper()
	for i := range pod.Containers {
		if pod.Containers[i].Name == name {
			return &pod.Containers[i]
		}
	}
	t.Fatalf("no container %s", name)
	return nil
}

// TestWhoMayReadMetrics: the policy is of the manifest's own pods, and admits namespaces that are
// named, to the agent's port alone.
func TestWhoMayReadMetrics(t *testing.T) {
	all := decode(t, read(t, "links/ebb.yaml"))
	pod := set(t, all)
	i := slices.IndexFunc(all, func(of any) bool {
		_, is := of.(*networkingv1.NetworkPolicy)
		return is
	})
	if i < 0 {
		t.Fatal("there is no policy")
	}
	policy := all[i].(*networkingv1.NetworkPolicy)
	if len(policy.Spec.PodSelector.MatchLabels) == 0 || policy.Namespace != "ebb" ||
		!slices.Equal(policy.Spec.PolicyTypes, []networkingv1.PolicyType{"Ingress"}) {
		t.Errorf("%+v", policy)
	}
	for k, v := range policy.Spec.PodSelector.MatchLabels {
		if pod.Labels[k] != v {
			t.Errorf("the pods have %s=%q, the policy is of %q", k, pod.Labels[k], v)
		}
	}
	if len(policy.Spec.Ingress) != 1 || len(policy.Spec.Ingress[0].Ports) != 1 ||
		policy.Spec.Ingress[0].Ports[0].Port.IntVal !=
			named(t, pod.Spec, "agent").Ports[0].ContainerPort {
		t.Fatalf("%+v", policy.Spec.Ingress)
	}
	from := policy.Spec.Ingress[0].From
	if len(from) != 1 || from[0].NamespaceSelector == nil ||
		len(from[0].NamespaceSelector.MatchLabels) == 0 {
		t.Errorf("it admits %+v", from)
	}
}

// TestDockerLine: the docker run line of the page for users gives what the manifest gives.
func TestDockerLine(t *testing.T) {
	pod := set(t, decode(t, read(t, "links/ebb.yaml"))).Spec
	root := named(t, pod, "ebb")
	line := regexp.MustCompile(`(?s)docker run .*?/run/ebb/ebb\.prom\n`).Find(
		read(t, "../../docs/kubernetes.md"))
	text := strings.Join(strings.Fields(strings.ReplaceAll(string(line), "\\\n", " ")), " ")
	want := []string{"--cap-drop ALL", "--security-opt no-new-privileges", "--read-only",
		"--network none", root.Image + " " + strings.Join(root.Command, " ")}
	for _, c := range root.SecurityContext.Capabilities.Add {
		want = append(want, "--cap-add "+string(c))
	}
	for _, m := range root.VolumeMounts {
		for _, v := range pod.Volumes {
			if v.Name == m.Name && v.HostPath != nil {
				want = append(want, fmt.Sprintf("-v %s:%s:ro", v.HostPath.Path, m.MountPath))
			}
		}
	}
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("no %q in %q", w, text)
		}
	}
	added := len(root.SecurityContext.Capabilities.Add)
	if got := strings.Count(text, "--cap-add"); got != added {
		t.Errorf("%d capabilities of %d", got, added)
	}
}

// TestKustomize: kubectl puts the manifests of both kinds together; with the API server the agent
// reads no directory of the host's.
func TestKustomize(t *testing.T) {
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skip("kubectl is not installed: ", err)
	}
	for _, kind := range []string{"links", "api", "tenants"} {
		var errs bytes.Buffer
		cmd := exec.CommandContext(t.Context(), kubectl, "kustomize", kind)
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v: %s", kind, err, &errs)
		}
		all := decode(t, out)
		agent := named(t, set(t, all).Spec, "agent")
		links := slices.ContainsFunc(agent.VolumeMounts, func(m corev1.VolumeMount) bool {
			return m.Name == "links"
		})
		if links != (kind == "links") || len(agent.VolumeMounts) == 0 {
			t.Errorf("%s: %v", kind, agent.VolumeMounts)
		}
		// The agent that speaks for pods is nobody else's user, and has the service's socket alone.
		asks := slices.ContainsFunc(agent.VolumeMounts, func(m corev1.VolumeMount) bool {
			return m.Name == "service" && m.ReadOnly
		})
		alone := *agent.SecurityContext.RunAsUser != 65534
		if of := kind == "tenants"; asks != of || alone != of ||
			slices.Contains(agent.Args, "-service") != of ||
			agent.SecurityContext.Capabilities.Add != nil {
			t.Errorf("%s: %v %v", kind, agent.Args, agent.SecurityContext)
		}
		for _, one := range all {
			role, ok := one.(*rbacv1.ClusterRole)
			if ok && (len(role.Rules) != 1 ||
				!slices.Equal(role.Rules[0].Resources, []string{"pods"}) ||
				!slices.Equal(role.Rules[0].Verbs, []string{"list", "watch"})) {
				t.Errorf("the role has more: %v", role.Rules)
			}
		}
	}
}
