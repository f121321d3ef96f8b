package bpf

import (
	"fmt"
	"math"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"
)

// TestBirthEndsTheRest: a rest that nothing else would end goes on beside the birth of a process,
// or ends with it where processes are to be met.
func TestBirthEndsTheRest(t *testing.T) {
	spin := compile(t, "../../test/workloads/c/spin.c")
	all := Span{High: math.MaxUint64}
	for births, ends := range map[time.Duration]bool{0: false, 50 * time.Millisecond: true} {
		t.Run(fmt.Sprint(births), func(t *testing.T) {
			tr := openTracer(t, Config{Quantum: restQuantum, Rests: true, Births: births})
			cmd := exec.Command("sh", "-c",
				spin+" 100000 & read x; /bin/true; echo; read y; kill $!")
			to, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := tr.Launch(func() (int, error) { return 0, cmd.Start() }); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = to.Close() // the shell reads no more, and ends what it started
				_ = cmd.Wait()
			}()
			for range 20 { // what began with the start is over
				tick(t, tr)
			}
			rest(tr, 20*time.Second, restQuantum, Work{all, all, all, all})
			checked := func() {
				// The spinning thread's timer has checked some quanta's ends.
				for runs := atomic.LoadUint64(tr.shared.timers); ; time.Sleep(restQuantum) {
					if atomic.LoadUint64(tr.shared.timers) > runs+4 {
						return
					}
				}
			}
			checked()
			if atomic.LoadUint64(tr.shared.restUntil) == 0 {
				t.Fatal("the rest ended by itself")
			}
			if _, err := to.Write([]byte("x\n")); err != nil {
				t.Fatal(err)
			}
			if _, err := out.Read(make([]byte, 16)); err != nil { // it was born, and has ended
				t.Fatal(err)
			}
			checked()
			if ended := atomic.LoadUint64(tr.shared.restUntil) == 0; ended != ends {
				t.Errorf("the rest ended: %v", ended)
			}
		})
	}
}
