package cpufreq

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/cpufreq/internal/fakekernel"
	"github.com/ebb-energy/ebb/internal/devtest"
)

func TestAKillAtAnyMomentIsRestored(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	rnd := devtest.Rand(t)
	machines := []fakekernel.Spec{acpi(3), hwp(3), acpi(3), hwp(3)}
	machines[2].Governor, machines[2].Speed = "userspace", 2500000
	machines[3].Late, machines[3].Table = 200*time.Microsecond, fakekernel.Ladder(1000000, 4200000,
		100000)
	var dirty, foreign, writes, round int
	// On until the kills have hit what they are for.
	hit := func() bool { return dirty >= rounds/2 && foreign >= rounds/10 }
	for ; round < rounds || round < 10*rounds && !hit(); round++ {
		k := fakekernel.New(t, machines[round%len(machines)])
		run := filepath.Join(t.TempDir(), "run")
		before := k.Controls()
		how := killing{atWrite: 1 + rnd.IntN(40), applied: rnd.IntN(2) == 0}
		if rnd.IntN(3) == 0 {
			how = killing{delay: time.Duration(rnd.Int64N(int64(30 * time.Millisecond)))}
		}
		writes += runVictim(t, k, run, rnd.Uint64(), how)

		if others := changeByOthers(t, k, run, before, rnd); others != "" {
			foreign++
		}
		if !sameControls(k.Controls(), before) {
			dirty++
		}
		r, err := Restore(run, k.FS(t))
		if err != nil || !r.Complete {
			t.Fatalf("round %d, %+v: %+v, %v", round, how, r, err)
		}
		same(t, k, before)
		if _, err := os.Stat(run); !os.IsNotExist(err) {
			t.Errorf("round %d: the run directory is still there: %v", round, err)
		}
		k.Writes()
		if r, err := Restore(run, k.FS(t)); err != nil || len(r.Controls) != 0 ||
			len(k.Writes()) != 0 {
			t.Errorf("round %d: restored twice: %+v, %v", round, r, err)
		}
		if t.Failed() {
			t.Fatalf("round %d, %+v", round, how)
		}
	}
	t.Logf("%d rounds, %d writes; %d left the machine changed, %d with another program's change",
		round, writes, dirty, foreign)
	if !hit() {
		t.Errorf("the kills hit nothing: %d changed machines and %d changes by others in %d rounds",
			dirty, foreign, round)
	}
}

// changeByOthers lets another program change one control in one of two rounds, to a value that
// cannot be the victim's, and notes in before that it is to stay. It returns the control.
func changeByOthers(
	t *testing.T, k *fakekernel.Kernel, run string, before map[string]string, rnd *rand.Rand,
) string {
	t.Helper()
	if rnd.IntN(2) == 0 {
		return ""
	}
	data, err := os.ReadFile(filepath.Join(run, snapshotFile))
	if err != nil {
		return "" // it died before its snapshot
	}
	s, err := decode(data)
	if err != nil {
		t.Fatal(err)
	}
	e := s.Controls[rnd.IntN(len(s.Controls))]
	value := "performance"
	if e.Control != governorFile {
		var free []string
		for _, v := range []string{"1000000", "1500000", "2000000", "2500000", "3000000"} {
			if !e.ours(v) {
				free = append(free, v)
			}
		}
		value = free[rnd.IntN(len(free))]
	}
	now := k.Controls()
	if e.Control == speedFile || now[e.path()] == value+"\n" {
		return ""
	}
	if errno := k.Write(e.path(), value); errno != 0 {
		return "" // such as a minimum above the maximum
	}
	// It need not show yet: a minimum is bent below the maximum that the victim left.
	before[e.path()] = value + "\n"
	if e.Control == governorFile { // and without the userspace governor there is no speed
		before[e.Domain.Dir()+"/"+speedFile] = "<unsupported>\n"
	}
	// A speed shows within the limits.
	speed, lo, hi := e.Domain.Dir()+"/"+speedFile, e.Domain.Dir()+"/"+minFile, e.Domain.Dir()+"/"+
		maxFile
	if f := parseKHz(strings.TrimSpace(before[speed])); f != 0 {
		f = min(max(f, parseKHz(strings.TrimSpace(before[lo]))),
			parseKHz(strings.TrimSpace(before[hi])))
		before[speed] = fmt.Sprintln(int64(f / kHz))
	}
	return e.path()
}

func sameControls(a, b map[string]string) bool {
	for path := range a {
		if a[path] != b[path] {
			return false
		}
	}
	return len(a) == len(b)
}

// Another program changes a limit between two writes of the victim, which sees it, gives that
// domain up and dies later.
func TestAnotherProgramsChangeSurvivesAKill(t *testing.T) {
	k := fakekernel.New(t, hwp(3))
	before := k.Controls()
	a := start(t, k, Clamp)
	run := a.(*session).dir.path
	set2 := slices.Repeat([]Kind{Written}, 3)
	set(t, a, 2000*mhz, set2...)
	k.Write(policy("1", maxFile), "1300000")
	before[policy("1", maxFile)] = "1300000\n"
	set(t, a, 3000*mhz, Written, Yielded, Written)
	set(t, a, 900*mhz, Written, Yielded, Written)
	// As a killed process leaves it: the snapshot, and a lock that the kernel has released.
	a.(*session).dir.lock.Close()
	r, err := Restore(run, k.FS(t))
	if err != nil || r.Count(Kept) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	same(t, k, before)
	a.(*session).closed = true
}
