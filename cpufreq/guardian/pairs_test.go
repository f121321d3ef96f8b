package guardian

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

var pairs = flag.Int("pairs", 0, "kill so many pairs of ebb's processes; 0: 50, with -short 8")

// tried is the number of pairs to kill.
func tried() int {
	if *pairs > 0 {
		return *pairs
	}
	return devtest.Cases(50, 8)
}

// wardEnv holds the arguments of the process that sets frequencies and is going to be killed: the
// tree and the run directory.
const wardEnv = "GUARDIAN_TEST_WARD"

// leakEnv has such a process start another one that holds all of its descriptors open.
const leakEnv = "GUARDIAN_TEST_LEAK"

// leak starts a program that keeps what this process has open, as a child does until its exec, and
// prints its process id.
func leak() error {
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, n := range names {
		if fd, err := strconv.Atoi(n.Name()); err == nil && fd > 2 {
			_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0) // it may be closed by now
		}
	}
	cmd := exec.Command("sleep", "300")
	err = cmd.Start()
	if err == nil {
		fmt.Println(cmd.Process.Pid)
	}
	return err
}

// TestMain runs the test binary as what it was started for.
func TestMain(m *testing.M) {
	if Asked(os.Args) {
		os.Exit(Serve(os.Args))
	}
	if os.Getenv(wardEnv) != "" {
		if err := govern(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// govern sets frequencies until its standard input ends.
func govern() (err error) {
	var tree, run string
	if _, err := fmt.Sscan(os.Getenv(wardEnv), &tree, &run); err != nil {
		return err
	}
	sys, err := sysfs.Open(tree)
	if err != nil {
		return err
	}
	a, err := cpufreq.Start(sys, cpufreq.Config{RunDir: run, Guard: Over})
	if err != nil {
		return err
	}
	over := make(chan struct{})
	go func() {
		_, _ = io.ReadAll(os.Stdin)
		close(over)
	}()
	fmt.Println(a.Name())
	if os.Getenv(leakEnv) != "" {
		if err := leak(); err != nil {
			return err
		}
	}
	if os.Getenv(beginEnv) != "" {
		<-over
		fmt.Println(a.Set(a.States()[0])[0].Err)
	}
	for states, i := a.States(), 0; ; i++ {
		select {
		case <-over:
			_, err := a.Close()
			return err
		case <-time.After(time.Millisecond):
			a.Set(states[i%len(states)])
		}
	}
}

// driver is one whose clock ebb sets by the actuator of that name.
type driver struct{ actuator, machine string }

// drivers: one that takes requests, and one that has limits alone.
var drivers = []driver{{cpufreq.SetSpeed, devtest.Desktop}, {cpufreq.Clamp, strings.NewReplacer(
	"acpi-cpufreq", "intel_pstate", "userspace schedutil", "performance powersave",
	"\tschedutil", "\tpowersave",
	"file 0644 devices/system/cpu/cpufreq/policy0/scaling_setspeed\n\t4000000\n", "",
).Replace(devtest.Desktop)}}

// ward is such a process, as its test sees it.
type ward struct {
	driver
	cmd    *exec.Cmd
	stdin  io.Closer
	stdout *bufio.Reader
	stderr strings.Builder
	tree   string
	run    string
	before string
}

func startWard(t *testing.T, d driver) *ward {
	t.Helper()
	w := &ward{driver: d, tree: devtest.Tree(t, d.machine),
		run: filepath.Join(t.TempDir(), "run")}
	w.before = w.controls(t)
	w.cmd = exec.Command("/proc/self/exe")
	w.cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s", wardEnv, w.tree, w.run))
	w.cmd.Stderr = &w.stderr
	stdin, err := w.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.stdin, w.stdout = stdin, bufio.NewReader(stdout)
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *ward) controls(t *testing.T) (all string) {
	t.Helper()
	for _, name := range []string{"scaling_governor", "scaling_min_freq", "scaling_max_freq"} {
		b, err := os.ReadFile(filepath.Join(w.tree, "devices/system/cpu/cpufreq/policy0", name))
		if err != nil {
			t.Fatal(err)
		}
		all += strings.TrimSpace(string(b)) + " "
	}
	return all
}

// sentries are the processes in a role that the ward has started.
func (w *ward) sentries(t *testing.T, role string) (found []int) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	begin := fmt.Sprintf("ebb\x00%s\x00%d\x00", role, w.cmd.Process.Pid)
	for _, line := range lines {
		if b, err := os.ReadFile(line); err == nil && strings.HasPrefix(string(b), begin) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(line)))
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, pid)
		}
	}
	return found
}

// governs waits until the ward sets frequencies.
func (w *ward) governs(t *testing.T) {
	t.Helper()
	line, err := w.stdout.ReadString('\n')
	if err != nil || line != w.actuator+"\n" {
		_ = w.cmd.Wait()
		t.Fatalf("the ward says %q, %v: %s", line, err, &w.stderr)
	}
}

// hung is so long that only what waits for ever takes it.
const hung = 2 * time.Minute

// left waits until nothing is left of the ward, and says what is if that does not come.
func (w *ward) left(t *testing.T) string {
	t.Helper()
	_ = w.stdin.Close()
	_ = w.cmd.Wait() // it was killed, in most rounds
	var what string
	for end := time.Now().Add(hung); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		what = ""
		if now := w.controls(t); now != w.before {
			what += fmt.Sprintf("the controls are %s, were %s; ", now, w.before)
		}
		if entries, err := os.ReadDir(w.run); !errors.Is(err, fs.ErrNotExist) {
			what += fmt.Sprintf("the run directory has %v (%v); ", entries, err)
		}
		running := append(w.sentries(t, command), w.sentries(t, deputyCommand)...)
		if what == "" && len(running) == 0 {
			return ""
		}
		what += fmt.Sprintf("processes %v", running)
	}
	return what
}

// The victims of a pair, by their roles; the ward's is "".
var pairOrders = [][2]string{
	{command, ""}, {"", command}, {command, ""}, {"", command}, {deputyCommand, ""},
	{"", deputyCommand}, {command, deputyCommand}, {deputyCommand, command},
}

// TestPairs: whichever two of the three processes are killed, in either order and with any gap, the
// third puts everything back.
func TestPairs(t *testing.T) {
	var mu sync.Mutex
	rnd := devtest.Rand(t)
	t.Run("kill", func(t *testing.T) {
		for i := range tried() {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				mu.Lock()
				own := rand.New(rand.NewPCG(rnd.Uint64(), 0))
				mu.Unlock()
				gap := time.Duration(own.Int64N(int64(20 * time.Millisecond)))
				if own.IntN(3) == 0 {
					gap = time.Duration(own.Int64N(int64(500 * time.Millisecond)))
				}
				killPair(t, drivers[(i/2+i/8)%2], pairOrders[i%len(pairOrders)], gap)
			})
		}
	})
}

func killPair(t *testing.T, d driver, order [2]string, gap time.Duration) {
	w := startWard(t, d)
	w.governs(t)
	var victims []int
	for _, role := range order {
		pid := w.cmd.Process.Pid
		if role != "" {
			found := w.sentries(t, role)
			if len(found) != 1 {
				t.Fatalf("%s: %v", role, found)
			}
			pid = found[0]
		}
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		victims = append(victims, fd)
	}
	for i, fd := range victims {
		if i > 0 {
			time.Sleep(gap)
		}
		// A guardian has ended by itself if it has put everything back by now.
		if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil &&
			!(i > 0 && errors.Is(err, unix.ESRCH)) {
			t.Fatal(err)
		}
	}
	if left := w.left(t); left != "" {
		t.Errorf("%s: %q killed, %q %v later: %s", d.actuator, order[0], order[1], gap, left)
	}
}

// TestChildHoldsDescriptors: a child that holds ebb's descriptors open does not keep the
// frequencies from being put back, by the guardian or, where that is killed as well, by the deputy.
func TestChildHoldsDescriptors(t *testing.T) {
	t.Setenv(leakEnv, "1")
	for i, guardianToo := range []bool{false, true} {
		w := startWard(t, drivers[i])
		w.governs(t)
		line, err := w.stdout.ReadString('\n')
		child, wrong := strconv.Atoi(strings.TrimSpace(line))
		if err != nil || wrong != nil {
			t.Fatalf("the child is %q: %v", line, err)
		}
		if guardianToo {
			for _, pid := range w.sentries(t, command) {
				if err := unix.Kill(pid, unix.SIGSTOP); err != nil { // else it would be replaced
					t.Fatal(err)
				}
			}
		}
		guardians := w.sentries(t, command)
		if err := w.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_, _ = w.cmd.Process.Wait()
		held := time.Now()
		for _, pid := range guardians {
			if guardianToo {
				_ = unix.Kill(pid, unix.SIGKILL)
			}
		}
		for w.controls(t) != w.before {
			if time.Since(held) > hung {
				t.Fatalf("guardian killed %t: the controls are %s, were %s", guardianToo,
					w.controls(t), w.before)
			}
			time.Sleep(5 * time.Millisecond)
		}
		t.Logf("guardian killed %t: back after %v", guardianToo, time.Since(held))
		if err := unix.Kill(child, unix.SIGKILL); err != nil {
			t.Fatalf("the child held nothing any more: %v", err)
		}
		if left := w.left(t); left != "" {
			t.Errorf("guardian killed %t: %s", guardianToo, left)
		}
	}
}

// TestKilledWhileItStarts: a ward that is killed before it has set any frequency leaves no file.
func TestKilledWhileItStarts(t *testing.T) {
	rnd := devtest.Rand(t)
	var after []time.Duration
	for range max(tried()/2, 1) {
		after = append(after, time.Duration(rnd.Int64N(int64(30*time.Millisecond))))
	}
	t.Run("kill", func(t *testing.T) {
		for i, d := range after {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				w := startWard(t, drivers[0])
				// In most rounds it is killed when it has just made the directory, or the snapshot:
				// then it hands over what it holds to processes that may not run yet.
				switch i % 4 {
				case 0, 1:
					d /= 8
					w.makes(t, "")
				case 2:
					d /= 16
					w.makes(t, "snapshot.json")
				}
				time.Sleep(d)
				if err := w.cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				if left := w.left(t); left != "" {
					t.Errorf("killed %v later: %s", d, left)
				}
			})
		}
	})
}

// makes waits until the ward has made a file in its run directory; "" is the directory.
func (w *ward) makes(t *testing.T, name string) {
	t.Helper()
	for end := time.Now().Add(hung); ; {
		if _, err := os.Stat(filepath.Join(w.run, name)); err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("there is no %q in the run directory: %s", name, &w.stderr)
		}
	}
}
