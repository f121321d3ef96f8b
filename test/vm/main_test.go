package vm

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestMain is the virtual machine's first process.
func TestMain(m *testing.M) {
	if os.Getpid() != 1 {
		if slices.Contains(os.Args, "-test.list") {
			os.Exit(m.Run()) // it runs none
		}
		fmt.Println("skipped: these tests run in a virtual machine (make test-vm)")
		return
	}
	// The kernel hands on what it does not know itself, before what is meant for the first process.
	os.Args = slices.DeleteFunc(os.Args, func(a string) bool { return a == "nokaslr" })
	devtest.RepeatBy(func(test string, seed uint64) string {
		test, _, _ = strings.Cut(test, "/")
		return fmt.Sprintf("make test-vm RUN=%s SEED=%d", test, seed)
	})
	code := 1
	if err := boot(); err != nil {
		fmt.Println("boot:", err)
	} else {
		code = m.Run()
	}
	fmt.Printf("guest: exit %d\n", code)
	unix.Sync()
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
}

// boot makes the file systems that ebb needs, and loads the drivers named on the kernel's command
// line.
func boot() error {
	for _, m := range []struct{ kind, at string }{
		{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}, {"tmpfs", "/run"},
		{"tmpfs", "/tmp"},
		{"bpf", "/sys/fs/bpf"}, {"tracefs", "/sys/kernel/tracing"},
		{"securityfs", "/sys/kernel/security"},
	} {
		if err := os.MkdirAll(m.at, 0o755); err != nil && !strings.HasPrefix(m.at, "/sys/") {
			return err
		}
		if err := unix.Mount(m.kind, m.at, m.kind, 0, ""); err != nil {
			return fmt.Errorf("mount %s: %w", m.at, err)
		}
	}
	if err := os.WriteFile("/proc/sys/kernel/printk", []byte("3"), 0); err != nil {
		return err
	}
	line, err := os.ReadFile("/proc/cmdline")
	if err != nil {
		return err
	}
	for arg := range strings.FieldsSeq(string(line)) {
		if names, ok := strings.CutPrefix(arg, "modules="); ok {
			for name := range strings.SplitSeq(names, ",") {
				if name == "" {
					continue // of a kernel without the platform
				}
				if err := insert(name, ""); err != nil {
					return err
				}
			}
		}
	}
	return os.Setenv("PATH", "/bin")
}

// insert loads a driver of the initial file system, with parameters.
func insert(name, parameters string) error {
	f, err := os.Open("/lib/" + name + ".ko")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.FinitModule(int(f.Fd()), parameters, 0); err != nil {
		return fmt.Errorf("load %s: %w", name, err)
	}
	return nil
}
