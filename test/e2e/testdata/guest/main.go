// Command guest is the first process of a virtual machine that reads what its host says that it
// used. It prints the first and the last line of its time as BEGIN and END, and as METER what ebb
// made of the lines between.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"
)

const share = "/mnt/energy.json"

func main() {
	if len(os.Args) > 1 && os.Args[1] == "busy" {
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		}
		return
	}
	if err := follow(); err != nil {
		fmt.Println("FAIL", err)
	}
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
}

func follow() error {
	for _, m := range []struct{ kind, from, at string }{
		{"proc", "proc", "/proc"}, {"sysfs", "sysfs", "/sys"}, {"devtmpfs", "dev", "/dev"},
		{"tmpfs", "run", "/run"}, {"tmpfs", "tmp", "/tmp"}, {"tracefs", "t", "/sys/kernel/tracing"},
		{"virtiofs", "ebb", "/mnt"},
	} {
		err := os.MkdirAll(m.at, 0o755)
		if err := errors.Join(err, unix.Mount(m.from, m.at, m.kind, 0, "")); err != nil {
			return fmt.Errorf("mount %s: %w", m.at, err)
		}
	}
	if err := os.WriteFile(share+".own", nil, 0o600); err == nil {
		fmt.Println("FAIL the guest writes the host's files")
	}
	if err := say("BEGIN"); err != nil {
		return err
	}
	cmd := exec.Command("/bin/ebb", "run", "--report", "/tmp/r.json", "--host-share", share, "--",
		"/init", "busy")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	text, err := os.ReadFile("/tmp/r.json")
	if err != nil {
		return err
	}
	var report struct {
		Meters json.RawMessage `json:"machine_meters"`
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return err
	}
	var line bytes.Buffer
	if err := json.Compact(&line, report.Meters); err != nil {
		return err
	}
	fmt.Println("METER", line.String())
	return say("END")
}

// say prints the host's line.
func say(what string) error {
	line, err := os.ReadFile(share)
	fmt.Print(what, " ", string(line))
	return err
}
