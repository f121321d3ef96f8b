package attribution

import (
	"testing"

	"github.com/ebb-energy/ebb/epochs"
)

// TestWhole: a virtual machine's name of a thread holds only where the kernel's is its beginning.
func TestWhole(t *testing.T) {
	for _, c := range []struct{ comm, name, want string }{
		{"pool-1-thread-1", "pool-1-thread-17", "pool-1-thread-17"},
		{"pool-1-thread-1", "pool-1-thread-1", ""}, {"pool-1-thread-1", "pool-2-thread-17", ""},
		{"java", "main", ""}, {"java", "java-worker-thread-1", ""}, {"pool-1-thread-1", "", ""},
		{"", "pool-1-thread-17", ""}, {"pool-1-thread-1", "pool", ""},
	} {
		if got := whole(c.comm, c.name); got != c.want {
			t.Errorf("%q of which the kernel has %q: %q, want %q", c.name, c.comm, got, c.want)
		}
	}
}

// TestInherited: a name that the kernel does not have is believed if it is text.
func TestInherited(t *testing.T) {
	for _, c := range []struct{ comm, name, want string }{
		{"java", "main", "main"}, {"python3", "worker of a JVM", "worker of a JVM"},
		{"java", "java", ""}, {"", "main", ""}, {"java", "", ""}, {"java", "a\x00b", ""},
		{"java", "a\ufffdb\u0007", ""},
	} {
		if got := inherited(c.comm, c.name); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.name, c.comm, got, c.want)
		}
	}
}

// TestNamesInAContainer: a virtual machine names its threads by their ids in its own PID namespace.
// Another thread has that id outside.
func TestNamesInAContainer(t *testing.T) {
	s := newScript(t, 0)
	s.reader.threads = map[uint32]string{7: "a-thread-with-a-long-name-inside",
		12: "a-thread-with-a-long-name"}
	s.runs(999999999, 0, 50*ms, epochs.Preempted, true)
	s.runs(7, 50*ms, 60*ms, epochs.Preempted, true)
	s.tick(100 * ms)
	const pid, comm = 999999999, "a-thread-with-a"
	p := s.finish(100*ms, Named{TID: pid, PID: pid, InnerTID: 1, Comm: "java"},
		Named{TID: 7, PID: pid, InnerTID: 12, Comm: comm})
	if len(p.Threads) != 2 || p.Threads[0].Title() != "a-thread-with-a-long-name" ||
		p.Threads[0].Number() != "7, inside 12" || p.Threads[1].Number() != "999999999, inside 1" {
		t.Errorf("%+v", p.Threads)
	}
}
