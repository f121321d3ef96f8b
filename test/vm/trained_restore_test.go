package vm

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestTrainingRestores: a training that is interrupted, or killed, leaves the clocks as they were.
func TestTrainingRestores(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		before := controls(t)
		c := exec.Command("/bin/ebb", "train", "-o", "/tmp/restored.ebbmodel", "--interval",
			"100ms", "--each", "1m")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lowest := strconv.Itoa(states(t)[len(states(t))-1])
		await(t, "the lowest clock is not set", func() bool {
			b, err := os.ReadFile(policies + "policy0/scaling_setspeed")
			return err == nil && strings.TrimSpace(string(b)) == lowest
		})
		if err := c.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
		await(t, "the run directory is still there", func() bool {
			_, err := os.Stat("/run/ebb")
			return err != nil
		})
		same(t, controls(t), before)
	}
}

// await waits until something holds.
func await(t *testing.T, otherwise string, holds func() bool) {
	t.Helper()
	for try := 0; !holds(); try++ {
		if try > 10000 {
			t.Fatal(otherwise)
		}
		time.Sleep(2 * time.Millisecond)
	}
}
