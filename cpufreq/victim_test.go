package cpufreq

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/cpufreq/internal/fakekernel"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// victimEnv holds the arguments of the process that is going to be killed: tree, run directory,
// seed.
const victimEnv = "CPUFREQ_TEST_VICTIM"

// remote is a control of the victim. A write goes to the test, where the fake kernel is: like a
// real one it outlives whoever writes, and it takes a write wholly or not at all.
type remote struct {
	sysfs.File
	path    string
	replies *bufio.Reader
}

func (r remote) Pwrite(b []byte, _ int64) (int, error) {
	if _, err := fmt.Fprintf(os.Stdout, "%s %s\n", r.path, b); err != nil {
		return 0, err
	}
	var errno syscall.Errno
	if _, err := fmt.Fscanln(r.replies, (*uintptr)(&errno)); err != nil {
		return 0, err
	}
	if errno != 0 {
		return 0, errno
	}
	return len(b), nil
}

// victim sets random frequencies until it is killed, or for ten seconds.
func victim() int {
	var tree, run string
	var seed uint64
	if _, err := fmt.Sscan(os.Getenv(victimEnv), &tree, &run, &seed); err != nil {
		return 3
	}
	replies := bufio.NewReader(os.Stdin)
	sys, err := sysfs.OpenIntercepted(tree,
		func(path string, f sysfs.File) sysfs.File { return remote{f, path, replies} })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 4
	}
	a, err := Start(sys, Config{RunDir: run})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 5
	}
	rnd := rand.New(rand.NewPCG(seed, 1))
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		a.Set(a.States()[rnd.IntN(len(a.States()))])
		if rnd.IntN(3) == 0 {
			a.Check()
		}
	}
	return 6
}

// killing is one round: when the victim dies and what another program does meanwhile.
type killing struct {
	atWrite int           // at its nth write, 0: after delay
	applied bool          // the write it dies in is done, but it never learns so
	delay   time.Duration // after it started
}

// runVictim starts the victim, serves its writes and kills it. It returns how many writes it did.
func runVictim(
	t *testing.T, k *fakekernel.Kernel, run string, seed uint64, how killing,
) (writes int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %d", victimEnv, k.Dir, run, seed))
	var complaints strings.Builder
	cmd.Stderr = &complaints
	requests, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	replies, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if how.atWrite == 0 {
		time.AfterFunc(how.delay, func() { cmd.Process.Kill() })
	}
	for lines := bufio.NewScanner(requests); lines.Scan(); {
		path, value, _ := strings.Cut(lines.Text(), " ")
		writes++
		last := writes == how.atWrite
		if last && !how.applied {
			break
		}
		errno := k.Write(path, value)
		if last {
			break
		}
		if _, err := fmt.Fprintln(replies, uint(errno)); err != nil {
			break // it is dead
		}
	}
	cmd.Process.Kill()
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() >= 0 {
		t.Fatalf("the victim ended by itself: %v\n%s", err, complaints.String())
	}
	return writes
}
