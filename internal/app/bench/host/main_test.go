package host

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/predictor/power"
)

const policy = "devices/system/cpu/cpufreq/policy0/"

// bed is a tree with a runner on it.
type bed struct {
	*Runner
	tree, runDir string
}

// lay makes a tree and opens a runner on it. The command is a shell script, in which $P is the
// policy's directory.
func lay(t *testing.T, tree, script string, change func(*Config), between sysfs.Interceptor) *bed {
	t.Helper()
	b := &bed{tree: devtest.Tree(t, tree), runDir: filepath.Join(t.TempDir(), "run")}
	fs, err := sysfs.OpenIntercepted(b.tree, between)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { fs.Close() })
	c := Config{
		Command: []string{"sh", "-c",
			"P=" + filepath.Join(b.tree, policy) + "; S=" + b.tree + "\n" +
				script}, Sysfs: fs, RunDir: b.runDir, Power: power.Table2(),
	}
	if change != nil {
		change(&c)
	}
	if b.Runner, err = Open(c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// read is a file of the tree.
func (b *bed) read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(b.tree, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

// asFound fails unless the machine is as the tree began and no snapshot is left.
func (b *bed) asFound(t *testing.T) {
	t.Helper()
	for file, want := range map[string]string{"scaling_governor": "schedutil",
		"scaling_min_freq": "1000000", "scaling_max_freq": "4000000"} {
		if got := b.read(t, policy+file); got != want {
			t.Errorf("%s is %s afterwards, want %s", file, got, want)
		}
	}
	if _, err := os.Stat(b.runDir); !os.IsNotExist(err) {
		t.Errorf("the run directory is still there (%v)", err)
	}
}

// capped is a kernel that delivers at most 3 GHz, whatever the request, once on is set.
type capped struct {
	sysfs.File
	on *bool
}

// Pwrite implements sysfs.File.
func (c capped) Pwrite(p []byte, at int64) (int, error) {
	if v, err := strconv.Atoi(strings.TrimSpace(string(p))); err == nil && v > 3000000 && *c.on {
		if _, err := c.File.Pwrite([]byte("3000000"), at); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	return c.File.Pwrite(p, at)
}

// soon is a context that ends when something is in the file.
func soon(t *testing.T, file string) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() {
		for ctx.Err() == nil {
			if info, err := os.Stat(file); err == nil && info.Size() > 0 {
				cancel()
			}
		}
	}()
	return ctx
}
