package serve

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/app/serve/board"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/units"
)

// TestLeaseRights: who may have a lease, by what the kernel says of who has connected.
func TestLeaseRights(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		what   string
		user   uint32
		how    string
		budget units.Slowdown
		waited time.Duration
		want   board.Outcome
	}{
		{"a stranger", testUser + 1, "", 0.05, 0, board.NotAllowed},
		{"below the range", testUser, "", 0.005, 0, board.OutOfRange},
		{"above it", testUser, "", 0.2, 0, board.OutOfRange},
		{"root's rights", 0, "setuid", 0.05, 0, board.OthersRights},
		{"a process that has ended", testUser, "leaves", 0.05, 0, board.Ended},
		{"in the range", testUser, "", 0.1, 0, board.Granted},
		{"root, with any", 0, "", 0.5, 0, board.Granted},
	} {
		fd, end := b.accepted(c.user, c.how)
		if err := b.asks(fd, c.budget, c.waited); err != nil {
			t.Fatal(c.what, err)
		}
		a := b.hears(c.what, c.want)
		if c.want == board.Granted {
			x := <-b.g.took
			if x.User != c.user || x.Slowdown != c.budget || x.Name != board.LeaseName(c.user, 1) ||
				a.User != c.user || a.Number != 1 {
				t.Errorf("%s: %+v, %+v", c.what, x, a)
			}
			end()
			if <-b.g.back != x {
				t.Errorf("%s: another is given back", c.what)
			}
			continue
		}
		end()
	}
	if len(b.g.took) > 0 {
		t.Error("a lease that was refused is governed")
	}
}

// TestLeaseOfACgroup: a user has a lease of a cgroup that is the user's, root of any, and nobody of
// one that ebb runs in.
func TestLeaseOfACgroup(t *testing.T) {
	b := newBench(t)
	dir := devtest.Cgroup(t)
	mine := devtest.ChildCgroup(t, dir, "mine")
	for _, path := range []string{mine, filepath.Join(mine, "cgroup.procs")} {
		if err := os.Chown(path, testUser, testUser); err != nil {
			t.Fatal(err)
		}
	}
	root, err := cgroup.Root()
	if err != nil {
		t.Fatal(err)
	}
	below := strings.TrimPrefix(dir, root)
	for _, c := range []struct {
		what, path string
		user       uint32
		want       board.Outcome
	}{
		{"the user's", below + "/mine", testUser, board.Granted},
		{"root's", below, testUser, board.NoCgroup},
		{"none", below + "/none", testUser, board.NoCgroup},
		{"outside", below + "/mine/../../..", testUser, board.NoCgroup},
		{"the user's, asked for by root", below + "/mine", 0, board.Granted},
		{"root's, asked for by root", below, 0, board.Granted},
		{"ebb's own", "/", 0, board.CgroupTaken},
	} {
		fd, end := b.accepted(c.user, "")
		if err := b.asksFor(fd, board.Ask{Slowdown: 0.05, Cgroup: c.path}); err != nil {
			t.Fatal(c.what, err)
		}
		b.hears(c.what, c.want)
		if c.want == board.Granted {
			x := <-b.g.took
			if x.Cgroup == nil || x.Cgroup.Name != c.path || x.User != c.user {
				t.Errorf("%s: %+v", c.what, x)
			}
			end()
			<-b.g.back
			b.gone(c.user)
			if x.Cgroup.FD() >= 0 {
				t.Errorf("%s: it is open yet", c.what)
			}
			continue
		}
		end()
	}
	if len(b.g.took) > 0 {
		t.Error("a lease that was refused is governed")
	}
}

// TestLeaseOfAPod: an agent has leases of pods of the namespaces that root allows, of nothing that
// is no pod's own cgroup, and nobody else has any.
func TestLeaseOfAPod(t *testing.T) {
	b := newBench(t)
	const uid = "74c13223-5a00-11e9-b385-42010a80018d"
	root, err := cgroup.Root()
	if err != nil {
		t.Fatal(err)
	}
	if top := filepath.Join(root, "kubelet"); os.Mkdir(top, 0o755) == nil {
		t.Cleanup(func() { os.Remove(top) })
	}
	top := filepath.Join(root, "kubelet", fmt.Sprintf("kubepods-%d", os.Getpid()))
	pod := filepath.Join(root, "kubelet", "kubepods", "burstable", "pod"+uid)
	for _, dir := range []string{filepath.Dir(filepath.Dir(pod)), filepath.Dir(pod), pod,
		filepath.Join(pod, strings.Repeat("5", 64)), filepath.Join(pod, "init"), top,
		filepath.Join(top, "pod"+uid)} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { os.Remove(dir) })
	}
	below, others := strings.TrimPrefix(pod, root), strings.TrimPrefix(top, root)+"/pod"+uid
	for _, c := range []struct {
		what            string
		user            uint32
		path, namespace string
		budget          units.Slowdown
		want            board.Outcome
	}{
		{"an agent", testAgent, below, "shop", 0.05, board.Granted},
		{"root", 0, below, "batch", 0.05, board.Granted},
		{"another namespace", testAgent, below, "kube-system", 0.05, board.NoNamespace},
		{"another namespace, for root", 0, below, "kube-system", 0.05, board.NoNamespace},
		{"a part of a name", testAgent, below, "sho", 0.05, board.NoNamespace},
		{"two names", testAgent, below, "shop,batch", 0.05, board.NoNamespace},
		{"a user who may take leases", testUser, below, "shop", 0.05, board.NoNamespace},
		{"an agent, of no namespace", testAgent, below, "", 0.05, board.NotAllowed},
		{"beyond the range", testAgent, below, "shop", 0.2, board.OutOfRange},
		{"beyond the range, for root", 0, below, "shop", 0.2, board.OutOfRange},
		{"a container", testAgent, below + "/" + strings.Repeat("5", 64), "shop", 0.05,
			board.NoPod},
		{"a cgroup in a pod", testAgent, below + "/init", "shop", 0.05, board.NoPod},
		{"all pods", testAgent, filepath.Dir(below), "shop", 0.05, board.NoPod},
		{"all that there is", testAgent, "/", "shop", 0.05, board.NoPod},
		{"upwards", testAgent, below + "/..", "shop", 0.05, board.NoPod},
		{"another's cgroup named so", testAgent, others, "shop", 0.05, board.NoPod},
		{"none", testAgent, below + "0", "shop", 0.05, board.NoPod},
	} {
		fd, end := b.accepted(c.user, "")
		if err := b.asksFor(fd, board.Ask{Slowdown: c.budget, Cgroup: c.path,
			Namespace: c.namespace}); err != nil {
			t.Fatal(c.what, err)
		}
		a := b.hears(c.what, c.want)
		if c.want == board.Granted {
			x := <-b.g.took
			if x.Cgroup == nil || x.Cgroup.Name != c.path || x.User != 0 || a.User != c.user {
				t.Errorf("%s: %+v, %+v", c.what, x, a)
			}
			end()
			<-b.g.back
			b.gone(c.user)
			continue
		}
		end()
	}
	if len(b.g.took) > 0 {
		t.Error("a lease that was refused is governed")
	}
}

// TestLeaseForAnother: root asks for another user, by whose rights and among whose leases the lease
// is; what is governed is root's to name. Nobody else may ask so.
func TestLeaseForAnother(t *testing.T) {
	b := newBench(t)
	dir := devtest.Cgroup(t) // root's
	root, err := cgroup.Root()
	if err != nil {
		t.Fatal(err)
	}
	path := strings.TrimPrefix(dir, root)
	users, end := b.accepted(testUser, "")
	defer end()
	for _, c := range []struct {
		what   string
		user   bool // a user asks, and not root
		of     uint32
		budget units.Slowdown
		want   board.Outcome
	}{
		{"root for one who may", false, testUser, 0.05, board.Granted},
		{"root for one who may, beyond the range", false, testUser, 0.5, board.OutOfRange},
		{"root for a stranger", false, testUser + 1, 0.05, board.NotAllowed},
		{"root for root", false, 0, 0.5, board.Granted},
		{"a user for another", true, testUser + 1, 0.05, board.NotRoot},
		{"a user for root", true, 0, 0.05, board.NotRoot},
		{"a user for himself", true, testUser, 0.05, board.NotRoot},
	} {
		fd := users
		if !c.user {
			_, fd = b.connects()
			defer unix.Close(fd)
		}
		a := b.asksAgain(c.what, fd, board.Ask{Slowdown: c.budget, Cgroup: path, For: &c.of},
			c.want)
		if c.want != board.Granted {
			continue
		}
		x := <-b.g.took
		if x.Name != board.LeaseName(c.of, 1) || x.User != 0 || a.User != c.of {
			t.Errorf("%s: %+v, %+v", c.what, x, a)
		}
		x.Lost()
		<-b.g.back
		b.gone(c.of)
	}
	unix.Close(users)
	// They count by that user, and not by root.
	user := uint32(testUser)
	for range board.MostOfUser {
		_, fd := b.connects()
		b.asksAgain("one more", fd, board.Ask{Slowdown: 0.05, Cgroup: path, For: &user},
			board.Granted)
		unix.Close(fd)
	}
	_, fd := b.connects()
	b.asksAgain("one too many", fd, board.Ask{Slowdown: 0.05, For: &user}, board.TooMany)
	b.asksAgain("root for itself", fd, board.Ask{Slowdown: 0.05}, board.Granted)
	unix.Close(fd)
}

// TestLeasesOfAUser: at most 16, also of one who takes and gives them as fast as it can.
func TestLeasesOfAUser(t *testing.T) {
	b := newBench(t)
	first, end := b.accepted(testUser, "")
	ends := []func(){end}
	for i := range board.MostOfUser {
		fd, err := unix.Dup(first)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.asks(fd, 0.05, 0); err != nil {
			t.Fatal(err)
		}
		if a := b.hears("one more", board.Granted); a.Number != i+1 {
			t.Errorf("lease %d has number %d", i, a.Number)
		}
	}
	unix.Close(first)
	refused := func(what string) {
		fd, end := b.accepted(testUser, "")
		if err := b.asks(fd, 0.05, 0); err != nil {
			t.Fatal(err)
		}
		b.hears(what, board.TooMany)
		end()
	}
	refused("one too many")
	fd, end := b.accepted(0, "")
	if err := b.asks(fd, 0.05, 0); err != nil {
		t.Fatal(err)
	}
	b.hears("another user", board.Granted)
	ends = append(ends, end)
	for _, end := range ends {
		end()
	}
	for range board.MostOfUser + 1 {
		<-b.g.back
	}
	b.gone(testUser)
	b.gone(0)

	// The governing refuses: the lease is free again.
	for err, want := range map[error]board.Outcome{errLeaseTaken: board.Taken,
		errLeaseEnded: board.Ended, errServiceEnds: board.NotNow} {
		b.g.err = fmt.Errorf("attach: %w", err)
		fd, end := b.accepted(testUser, "")
		if err := b.asks(fd, 0.05, 0); err != nil {
			t.Fatal(err)
		}
		b.hears(err.Error(), want)
		b.gone(testUser)
		end()
	}
	b.g.err = nil

	// Many short ones, one behind the other: none is refused, and in the long run they have a pace.
	const many, atOnce = 6 * board.MostOfUser, int(savedOfUser / leaseEvery)
	fd, end = b.accepted(testUser, "")
	defer end()
	began := time.Now()
	for range many {
		again, err := unix.Dup(fd)
		if err != nil {
			t.Fatal(err)
		}
		b.g.err = errServiceEnds // it ends at once
		if err := b.asks(again, 0.05, 0); err != nil {
			t.Fatal(err)
		}
		b.hears("one of many", board.NotNow)
		<-b.g.took
		b.gone(testUser)
	}
	unix.Close(fd)
	if took, least := time.Since(began), time.Duration(many-atOnce-3)*leaseEvery; took < least {
		t.Errorf("%d leases in %v, want at least %v", many, took, least)
	}
	if len(b.g.back) > 0 {
		t.Error("one that was not governed is given back")
	}
}
