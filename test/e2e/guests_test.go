package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/app/machine"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
)

// TestTwoGuests: two virtual machines of QEMU read their own joules from a directory that the host
// shares with them read-only. The host's meter goes by a log of watts. The guests' shares and all
// other parts add up to it, and each guest's ebb counted what the host wrote while it ran.
func TestTwoGuests(t *testing.T) {
	devtest.Long(t)
	needRoot(t)
	kernel := guestKernel(t)
	h, err := cgroup.OpenHierarchy(cgroup.Version2)
	if err != nil {
		t.Skip(err)
	}
	h.Close()
	root, now := loggedMeter(t)
	dir, initrd := t.TempDir(), guestFiles(t)
	out, err := os.Create(filepath.Join(t.TempDir(), "lines"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	host := exec.Command(ebbPath(t), "energy", "--machine", "--json", "--hierarchy", "v2",
		"--meter-root", root, "--guests", dir)
	host.Stdout, host.Stderr = out, os.Stderr
	before := now()
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = host.Process.Kill() // it may have ended
		_ = host.Wait()
	}()
	names := []string{"one", "two"}
	var guests []*guestMachine
	for i, name := range names {
		g := startGuest(t, h.Root, i+1, name, kernel, initrd, filepath.Join(dir, name))
		guests = append(guests, g)
	}
	since := now() // the host wrote files, so it has begun
	for _, g := range guests {
		g.wait(t)
	}
	until := now()
	if err := host.Process.Signal(unix.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := host.Wait(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var last machine.Report
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	z, sum := last.Zones[0], int64(0)
	had := map[string]int64{}
	for _, g := range last.Groups {
		sum += g.Energy[0].EnergyNJ
		if g.Kind == "vm" {
			had[g.Name] = g.Energy[0].EnergyNJ
		}
	}
	if all := sum + z.OthersNJ + z.IdleNJ + z.UnattributedNJ; all != z.MeasuredNJ ||
		z.MeasuredNJ > now()-before || z.MeasuredNJ < until-since {
		t.Errorf("all parts are %d nJ of %d, and the log has %d to %d", all, z.MeasuredNJ,
			until-since, now()-before)
	}
	for i, name := range names {
		g := guests[i]
		t.Logf("%s: %d nJ by the host's table, %d to %d in its file, %d counted", name, had[name],
			g.begin.EnergyNJ, g.end.EnergyNJ, g.counted)
		wrote := g.end.EnergyNJ - g.begin.EnergyNJ
		if g.end.Guest != name || g.end.EnergyNJ > had[name] || wrote <= 0 {
			t.Errorf("%s: %d nJ by the host, its file says %+v", name, had[name], g.end)
		}
		// The file also has the time in which the guest's ebb begins and ends.
		if g.counted > wrote || g.counted < wrote/2 {
			t.Errorf("%s counted %d nJ of %d", name, g.counted, wrote)
		}
	}
}

// guestKernel is a kernel for virtual machines.
func guestKernel(t *testing.T) string {
	t.Helper()
	for _, tool := range []string{"qemu-system-x86_64", "/usr/lib/qemu/virtiofsd", "cpio"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	const dir = "../../build/vm/kernel"
	version, err := os.ReadFile(dir + "/ready")
	if err != nil {
		t.Skip("make test-vm unpacks a kernel: ", err)
	}
	return dir + "/boot/vmlinuz-" + strings.TrimSpace(string(version))
}

// guestFiles is an initial file system with ebb and testdata/guest.
func guestFiles(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(root, "init"), "./testdata/guest")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	initrd := filepath.Join(t.TempDir(), "initrd")
	pack := exec.Command("sh", "-c", "mkdir bin && cp \"$0\" bin/ebb && find . | "+
		"cpio -o -H newc --quiet >\"$1\"", ebbPath(t), initrd)
	pack.Dir = root
	if out, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return initrd
}

// loggedMeter is a meter that goes by a log of watts: t,watts, twice a second. now is what it
// shows, in nJ.
func loggedMeter(t *testing.T) (root string, now func() int64) {
	t.Helper()
	var log strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&log, "%.1f,%d\n", float64(i)/2, 20+i*7%40)
	}
	root = devtest.Tree(t, `dir class/powercap
file 0444 devices/system/cpu/online
	0-1
file 0444 class/powercap/intel-rapl:0/name
	package-0
file 0444 class/powercap/intel-rapl:0/max_energy_range_uj
	262143328850
file 0644 class/powercap/intel-rapl:0/energy_uj
	0
`)
	file := filepath.Join(root, "class/powercap/intel-rapl:0/energy_uj")
	stop, stopped := make(chan bool), make(chan bool)
	var uj atomic.Int64
	go func() {
		defer close(stopped)
		for row := range strings.Lines(log.String()) {
			_, watts, _ := strings.Cut(strings.TrimSpace(row), ",")
			w, _ := strconv.ParseInt(watts, 10, 64)
			for range 10 {
				select {
				case <-stop:
					return
				case <-time.After(50 * time.Millisecond):
				}
				if err := replace(file, fmt.Sprintln(uj.Add(w*50_000))); err != nil {
					t.Error(err)
				}
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		<-stopped
	})
	return root, func() int64 { return uj.Load() * 1000 }
}

// replace writes a text over one that is not longer: no reader finds an empty file.
func replace(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteAt([]byte(text), 0)
	return err
}

// guestMachine is a virtual machine and what it said.
type guestMachine struct {
	name, console string
	qemu          *exec.Cmd
	begin, end    wattmeter.Share
	counted       int64
}

// startGuest starts a virtual machine in a cgroup as libvirt makes it, once the host has a file for
// it: a loop in the same cgroup is what the host sees before.
func startGuest(
	t *testing.T, hierarchy string, number int, name, kernel, initrd, shared string,
) *guestMachine {
	t.Helper()
	slice := filepath.Join(hierarchy, "machine.slice")
	group := filepath.Join(slice, fmt.Sprintf(`machine-qemu\x2d%d\x2d%s.scope`, number, name))
	if err := os.MkdirAll(group, 0o755); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		os.Remove(group)
		os.Remove(slice) // stays where it has more
	})
	in, err := os.Open(group)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	start := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.Stderr = os.Stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(in.Fd()),
			Pdeathsig: unix.SIGKILL}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill() // it may have ended
			_ = cmd.Wait()
		})
		return cmd
	}
	loop := start("sh", "-c", "while :; do :; done")
	for end := time.Now().Add(devtest.Hung); ; time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(shared, "energy.json")); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("no file in %s", shared)
		}
	}
	_ = loop.Process.Kill()
	_ = loop.Wait()
	dir, state := t.TempDir(), t.TempDir() // dir is what the guest sees
	g := &guestMachine{name: name, console: filepath.Join(state, "console")}
	socket := filepath.Join(state, "fs")
	for _, flags := range []uintptr{unix.MS_BIND, unix.MS_BIND | unix.MS_REMOUNT | unix.MS_RDONLY} {
		if err := unix.Mount(shared, dir, "", flags, ""); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	start("/usr/lib/qemu/virtiofsd", "--socket-path="+socket, "-o",
		"source="+dir+",sandbox=chroot,cache=none", "-f")
	for end := time.Now().Add(devtest.Hung); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(socket); err == nil {
			break
		}
	}
	// Without cx16: tools/test-vm.sh says why.
	g.qemu = start("qemu-system-x86_64", "-M", "q35", "-accel", "tcg", "-cpu", "max,-cx16",
		"-m", "384",
		"-object", "memory-backend-memfd,id=m,size=384M,share=on", "-numa", "node,memdev=m",
		"-chardev", "socket,id=c,path="+socket, "-device", "vhost-user-fs-pci,chardev=c,tag=ebb",
		"-nodefaults", "-display", "none", "-no-reboot", "-serial", "file:"+g.console,
		"-kernel", kernel, "-initrd", initrd, "-append", "console=ttyS0 quiet panic=-1 "+
			"mitigations=off tsc=reliable nokaslr")
	return g
}

// wait waits for the machine's end and reads what it said.
func (g *guestMachine) wait(t *testing.T) {
	t.Helper()
	_ = g.qemu.Wait() // the console says more
	text, err := os.ReadFile(g.console)
	if err != nil {
		t.Fatal(err)
	}
	said := func(what string) []byte {
		m := regexp.MustCompile(`(?m)^` + what + ` (.*?)\r*$`).FindSubmatch(text)
		if m == nil {
			t.Fatalf("%s says no %s: %s", g.name, what, text)
		}
		return m[1]
	}
	if strings.Contains(string(text), "FAIL") {
		t.Fatalf("%s: %s", g.name, text)
	}
	var meters []struct {
		Kind     string
		EnergyNJ int64 `json:"energy_nj"`
	}
	if err := json.Unmarshal(said("METER"), &meters); err != nil || len(meters) != 1 ||
		meters[0].Kind != "share" {
		t.Fatalf("%s: %v, %+v", g.name, err, meters)
	}
	g.counted = meters[0].EnergyNJ
	for what, share := range map[string]*wattmeter.Share{"BEGIN": &g.begin, "END": &g.end} {
		s, err := wattmeter.ParseShare(said(what))
		if err != nil {
			t.Fatalf("%s: %v", g.name, err)
		}
		*share = *s
	}
}
