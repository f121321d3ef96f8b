package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestServeAttacked: whatever is sent to the socket, by more than may connect, the loop goes on.
func TestServeAttacked(t *testing.T) {
	s := startFronted(t)
	s.goesOn("at first")
	lateness := func() (late []float64) {
		var d struct {
			Decisions []struct {
				Late float64 `json:"late_ns"`
				Took float64 `json:"took_ns"`
				Busy float64 `json:"busy_ns"`
			}
		}
		until(t, "it answers", func() bool {
			return json.Unmarshal([]byte(s.asked("/v1/decisions")), &d) == nil
		})
		for _, x := range d.Decisions {
			if x.Busy >= x.Took*9/10 { // where it waited for a CPU, nothing was to decide
				late = append(late, x.Late)
			}
		}
		return late
	}
	// Another user's, so that root's connections stay free.
	for dir := filepath.Dir(s.runDir); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	rounds := 1
	if !testing.Short() {
		rounds = 8 // in turns, since other programs' load changes
	}
	var calm, attacked []float64
	for range rounds {
		before := s.decided()
		until(t, "it goes on", func() bool { return s.decided() > before+512 })
		calm = append(calm, lateness()...)
		over, attacks := make(chan struct{}), make(chan struct{})
		done := asUser(4321, func() { attack(s.socket(), attacks, over) })
		<-attacks
		before = s.decided()
		until(t, "it goes on under attack", func() bool { return s.decided() > before+512 })
		attacked = append(attacked, lateness()...)
		close(over)
		<-done
	}
	at := func(late []float64, share float64) float64 {
		slices.Sort(late)
		return late[int(float64(len(late)-1)*share)] / 1e6
	}
	if min(len(calm), len(attacked)) > 100 {
		t.Logf("late, of %d and %d decisions: median %.3f ms, p90 %.3f ms, p99 %.3f ms; under "+
			"attack %.3f, %.3f and %.3f ms", len(calm), len(attacked), at(calm, 0.5), at(calm, 0.9),
			at(calm, 0.99), at(attacked, 0.5), at(attacked, 0.9), at(attacked, 0.99))
	}
	s.goesOn("then")
	if pids := s.fronts(); len(pids) != 1 {
		t.Errorf("front processes: %v", pids)
	} else if files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pids[0])); len(files) > 400 {
		t.Errorf("%d open files", len(files))
	}
	if said := s.ends(); strings.Contains(said, "was lost") {
		t.Error(said)
	}
}

// asUser runs a function on a thread that is another user's, which ends with it.
func asUser(uid uintptr, do func()) (done chan struct{}) {
	done = make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() { // the first thread does not end, and stands for all
			<-asUser(uid, do)
			runtime.UnlockOSThread()
			return
		}
		_, _, _ = unix.RawSyscall(unix.SYS_SETRESGID, uid, uid, uid)
		_, _, _ = unix.RawSyscall(unix.SYS_SETRESUID, uid, uid, uid)
		do()
	}()
	return done
}

// fuzzed are requests of which attack changes some bytes.
var fuzzed = []string{
	"POST /v1/lease HTTP/1.1\r\nHost: x\r\nContent-Length: 34\r\n\r\n" +
		`{"slowdown": "5%", "cgroup": "/a"}`,
	"POST /v1/lease HTTP/1.1\r\nHost: x\r\nContent-Length: 18\r\n\r\n" + `{"slowdown": "5%"}`,
	"GET /v1/tenants HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n\r\n",
	"GET /v1/health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" +
		"4\r\nabcd\r\n0\r\n\r\n",
}

// attack connects 1,100 times and keeps what it gets; then it sends half a header, nonsense, a body
// that is too long, many requests at once and ones with some bytes changed, and reads nothing,
// until it is over.
func attack(socket string, begun, over chan struct{}) {
	var kept []net.Conn
	defer func() {
		for _, c := range kept {
			_ = c.Close()
		}
	}()
	send := func(text string) {
		c, err := net.DialTimeout("unix", socket, 50*time.Millisecond)
		if err != nil {
			return
		}
		_ = c.SetWriteDeadline(time.Now().Add(20 * time.Millisecond))
		_, _ = io.WriteString(c, text) // it may be refused in the middle
		if kept = append(kept, c); len(kept) > 1100 {
			_ = kept[0].Close()
			kept = kept[1:]
		}
	}
	for range 1100 {
		send("GET /v1/ten")
	}
	close(begun)
	noise := rand.New(rand.NewPCG(1, 2))
	for i := 0; ; i++ {
		select {
		case <-over:
			return
		default:
		}
		switch i % 5 {
		case 4:
			b := []byte(fuzzed[noise.IntN(len(fuzzed))])
			for range 1 + noise.IntN(3) {
				b[noise.IntN(len(b))] = byte(noise.Uint32())
			}
			send(string(b))
		case 0:
			var b [200]byte
			for k := range b {
				b[k] = byte(noise.Uint32())
			}
			send(string(b[:]))
		case 1:
			send("POST /v1/lease HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n" +
				strings.Repeat("x", 70000))
		case 2:
			send(strings.Repeat("GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n", 500))
		case 3:
			send("GET /metrics HTTP/1.1\r\nHost:")
			for len(kept) > 32 { // room for others
				_ = kept[0].Close()
				kept = kept[1:]
			}
		}
	}
}
