package deploy

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	corev1 "k8s.io/api/core/v1"
)

// hung is a time that only a hang takes.
const hung = 2 * time.Minute

// image builds the image twice, and is its root directory.
func image(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin") + "/"
	for _, build := range [][]string{
		{"-C", "../..", "build", "-buildvcs=false", "-o", bin, "./cmd/ebb"},
		{"-C", "..", "build", "-buildvcs=false", "-o", bin, "./cmd/ebb-agent", "./cmd/image"},
	} {
		cmd := exec.CommandContext(t.Context(), "go", build...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath") // as make builds
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %q: %v\n%s", build, err, out)
		}
	}
	var digests []string
	for _, at := range []string{"a", "b"} {
		cmd := exec.CommandContext(t.Context(), bin+"image", "localhost/ebb:test",
			filepath.Join(dir, at), bin+"ebb", bin+"ebb-agent")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("image: %v\n%s", err, out)
		}
		docker := read(t, filepath.Join(dir, at+"-docker-"+runtime.GOARCH+".tar"))
		digests = append(digests, fmt.Sprintf("%s%x", read(t, filepath.Join(dir, at, "index.json")),
			sha256.Sum256(docker)))
	}
	if digests[0] != digests[1] {
		t.Errorf("two images of the same binaries differ:\n%s\n%s", digests[0], digests[1])
	}
	root := filepath.Join(dir, "root")
	unpack(t, filepath.Join(dir, "a"), root)
	return root
}

// unpack writes the files of a layout's image for this processor.
func unpack(t *testing.T, directory, root string) {
	t.Helper()
	index, err := layout.ImageIndexFromPath(directory)
	fatal(t, err)
	manifest, err := index.IndexManifest()
	fatal(t, err)
	index, err = index.ImageIndex(manifest.Manifests[0].Digest)
	fatal(t, err)
	manifest, err = index.IndexManifest()
	fatal(t, err)
	var found *v1.Descriptor
	for i, m := range manifest.Manifests {
		if m.Platform.Architecture == runtime.GOARCH && m.Platform.OS == "linux" {
			found = &manifest.Manifests[i]
		}
	}
	if found == nil {
		t.Fatalf("no image for %s", runtime.GOARCH)
	}
	of, err := index.Image(found.Digest)
	fatal(t, err)
	layers, err := of.Layers()
	fatal(t, err)
	for _, layer := range layers {
		text, err := layer.Uncompressed()
		fatal(t, err)
		for r := tar.NewReader(text); ; {
			h, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			fatal(t, err)
			to := filepath.Join(root, h.Name)
			if h.Typeflag == tar.TypeDir {
				fatal(t, os.MkdirAll(to, 0o755))
				continue
			}
			b, err := io.ReadAll(r)
			fatal(t, err)
			fatal(t, os.WriteFile(to, b, os.FileMode(h.Mode)))
		}
	}
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bundle is a container of the manifest's as runc takes it: its command, user, capabilities and
// mounts, in namespaces of its own as Kubernetes has them. The map has other places of the host
// than the manifest's.
func bundle(t *testing.T, root string, pod corev1.PodSpec, name string,
	places map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "runc", "spec", "--bundle", dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("runc spec: %v: %s", err, out)
	}
	file := filepath.Join(dir, "config.json")
	var spec map[string]any
	fatal(t, json.Unmarshal(read(t, file), &spec))
	c := named(t, pod, name)
	caps := []string{}
	for _, one := range c.SecurityContext.Capabilities.Add {
		caps = append(caps, "CAP_"+string(one))
	}
	process := spec["process"].(map[string]any)
	args := slices.Concat(c.Command, c.Args)
	for i, arg := range args {
		if arg == ":9102" { // a test speaks on the loopback interface alone
			args[i] = "127.0.0.1:0"
		}
	}
	process["terminal"], process["args"] = false, args
	process["noNewPrivileges"] = !*c.SecurityContext.AllowPrivilegeEscalation
	process["capabilities"] = map[string]any{"bounding": caps, "effective": caps, "permitted": caps}
	process["user"] = map[string]any{"uid": *c.SecurityContext.RunAsUser,
		"gid": *c.SecurityContext.RunAsUser}
	spec["root"] = map[string]any{"path": root, "readonly": true}
	namespaces := []any{}
	for _, kind := range []string{"pid", "ipc", "uts", "mount", "cgroup"} {
		namespaces = append(namespaces, map[string]any{"type": kind})
	}
	spec["linux"].(map[string]any)["namespaces"] = namespaces
	var mounts []any
	for _, m := range spec["mounts"].([]any) {
		if at := m.(map[string]any)["destination"]; at != "/sys" && at != "/sys/fs/cgroup" {
			mounts = append(mounts, m)
		}
	}
	// Without a network namespace of its own runc refuses a sysfs, which would be the host's.
	mounts = append(mounts, map[string]any{"destination": "/sys", "type": "bind", "source": "/sys",
		"options": []string{"bind", "ro"}})
	for _, m := range c.VolumeMounts {
		source := places[m.Name]
		for _, v := range pod.Volumes {
			if v.Name == m.Name && source == "" {
				source = v.HostPath.Path
			}
		}
		options := []string{"rbind", "rw"}
		if m.ReadOnly {
			options[1] = "ro"
		}
		mounts = append(mounts, map[string]any{"destination": m.MountPath, "type": "bind",
			"source": source, "options": options})
	}
	spec["mounts"] = mounts
	text, err := json.Marshal(spec)
	fatal(t, err)
	fatal(t, os.WriteFile(file, text, 0o600))
	return dir
}

// contain runs a container until the test's end, and is the file that has what it says.
func contain(t *testing.T, bundle, id string) string {
	t.Helper()
	state := filepath.Join(bundle, "state")
	out, err := os.Create(filepath.Join(bundle, "said"))
	fatal(t, err)
	defer out.Close()
	cmd := exec.Command("runc", "--root", state, "run", "--bundle", bundle, id)
	cmd.Stdout, cmd.Stderr = out, out
	fatal(t, cmd.Start())
	t.Cleanup(func() {
		_ = exec.Command("runc", "--root", state, "kill", id, "TERM").Run()
		end := time.AfterFunc(hung, func() {
			t.Error("a container does not end")
			_ = exec.Command("runc", "--root", state, "kill", id, "KILL").Run()
			_ = cmd.Process.Kill()
		})
		defer end.Stop()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s said: %s", id, read(t, out.Name()))
		}
	})
	return out.Name()
}

// node is what a node has for the manifest: a meter that goes on, the kubelet's links and cgroups
// of two pods that work, one named as each driver names it.
func node(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	fatal(t, os.Chmod(dir, 0o755))
	write := func(name, text string) {
		file := filepath.Join(dir, name)
		fatal(t, os.MkdirAll(filepath.Dir(file), 0o755))
		fatal(t, os.WriteFile(file, []byte(text+"\n"), 0o644))
	}
	meter := "class/powercap/intel-rapl:0/energy_uj"
	for name, text := range map[string]string{
		"devices/system/cpu/online":                            "0-1",
		"devices/system/cpu/cpu0/topology/physical_package_id": "0",
		"devices/system/cpu/cpu1/topology/physical_package_id": "0",
		"class/powercap/intel-rapl:0/name":                     "package-0",
		"class/powercap/intel-rapl:0/max_energy_range_uj":      "262143328850",
		"bus/event_source/devices/none/type":                   "0",
		meter:                                                  "0",
	} {
		write(name, text)
	}
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for uj := 0; ; uj += 1_000_000 {
			_ = os.WriteFile(filepath.Join(dir, meter), []byte(strconv.Itoa(uj)+"\n"), 0o644)
			select {
			case <-ended:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() { close(ended); <-done })
	places := map[string]string{}
	for _, name := range []string{"devices", "class", "bus", "run", "links"} {
		places[name] = filepath.Join(dir, name)
		fatal(t, os.MkdirAll(places[name], 0o755))
	}
	fatal(t, os.Chmod(places["run"], 0o777)) // as the kubelet makes an emptyDir
	for path, link := range map[string]string{
		"kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod74c13223_5a00.slice/" +
			"cri-containerd-" + idA + ".scope": "web-7d4b9c-x2_shop_nginx-" + idA + ".log",
		"kubepods/besteffort/pod0123456789abcdef0123456789abcdef/" +
			idB: "etcd-node1_kube-system_etcd-" + idB + ".log",
	} {
		fatal(t, os.Symlink("/nowhere", filepath.Join(places["links"], link)))
		busy(t, path)
	}
	return places
}

var idA, idB = strings.Repeat("a", 64), strings.Repeat("b", 64)

// busy has a process compute in a cgroup until the test's end.
func busy(t *testing.T, path string) {
	t.Helper()
	hierarchy := "/sys/fs/cgroup"
	if _, err := os.Stat(hierarchy + "/cgroup.controllers"); err != nil {
		hierarchy += "/memory"
	}
	if _, err := os.Stat(filepath.Join(hierarchy, strings.Split(path, "/")[0])); err == nil {
		t.Skip("this machine has pods of its own")
	}
	if err := os.MkdirAll(filepath.Join(hierarchy, path), 0o755); err != nil {
		t.Skip("no cgroup can be made here: ", err)
	}
	cmd := exec.Command("sh", "-c", "while :; do :; done")
	fatal(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		for ; path != "."; path = filepath.Dir(path) {
			remove(t, filepath.Join(hierarchy, path))
		}
	})
	fatal(t, os.WriteFile(filepath.Join(hierarchy, path, "cgroup.procs"),
		[]byte(strconv.Itoa(cmd.Process.Pid)), 0o644))
}

// remove removes a cgroup, which is busy for a moment after its last process.
func remove(t *testing.T, cgroup string) {
	for end := time.Now().Add(hung); ; time.Sleep(10 * time.Millisecond) {
		err := os.Remove(cgroup)
		if err == nil || errors.Is(err, os.ErrNotExist) {
			return
		}
		if time.Now().After(end) {
			t.Errorf("left: %v", err)
			return
		}
	}
}
