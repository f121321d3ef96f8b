// Package rivals finds other programs that set this machine's frequencies: power daemons, and schedulers that ask for
// frequencies themselves. Two that do so undo each other's work, and neither gets what it asked for.
//
// They are found by what every Linux shows, processes and attributes, without D-Bus: it works on servers, in containers
// and for every user, and nothing is started by asking.
package rivals

import (
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/ebb-energy/ebb/internal/sysfs"
)

// Rival is another program that sets frequencies.
type Rival struct {
	Name string `json:"name"`
	PID  int    `json:"pid,omitempty"` // 0: not a process
	What string `json:"what"`          // what it does to the frequencies
	Stop string `json:"stop"`          // how it is made to leave them alone
}

func (r Rival) String() string {
	if r.PID == 0 {
		return r.Name
	}
	return fmt.Sprintf("%s (pid %d)", r.Name, r.PID)
}

// daemon is a program that is known to set frequencies, by the file name of its executable or script.
type daemon struct{ file, name, what, stop string }

// daemons are sorted by how common they are. Their own documents: power-profiles-daemon's README, tuned-adm(8), TLP's
// settings, auto-cpufreq's README, thermald(8), intel_lpmd(8), Watt's README, gamemoded(8).
var daemons = []daemon{
	{"power-profiles-daemon", "", "sets energy preference and boost by profile", "systemctl stop power-profiles-daemon"},
	{"tuned", "", "sets governor, limits and energy preference by profile", "systemctl stop tuned"},
	{"tuned-ppd", "", "changes TuneD's profile for desktops", "systemctl stop tuned-ppd"},
	{"tlp-pd", "TLP (tlp-pd)", "sets governor, limits and energy preference by profile", "systemctl stop tlp-pd"},
	{"auto-cpufreq", "", "sets governor, limits and boost every few seconds", "systemctl stop auto-cpufreq"},
	{"thermald", "", "lowers limits when it is hot", "systemctl stop thermald"},
	{"intel_lpmd", "", "sets energy preference and moves work between kinds of cores", "systemctl stop intel_lpmd"},
	{"watt", "Watt", "sets governor, limits and energy preference by rules", "systemctl stop watt"},
	{"gamemoded", "GameMode (gamemoded)", "sets the governor while a game runs", "systemctl --user stop gamemoded"},
}

func (d *daemon) rival(pid int) Rival {
	name := d.name
	if name == "" {
		name = d.file
	}
	return Rival{name, pid, d.what, d.stop}
}

// Where says where to look.
type Where struct {
	Proc string    // the tree at /proc
	Run  string    // the tree at /run
	Sys  *sysfs.FS // the tree at /sys; nil for none
}

// This is this machine, with another tree at /sys.
func This(sys *sysfs.FS) Where { return Where{Proc: "/proc", Run: "/run", Sys: sys} }

// Find returns the rivals that are there, in a fixed order. What can not be read is passed over: processes end while they
// are looked at, and not everything is shown to everybody. An error only when no processes can be listed at all.
func Find(w Where) ([]Rival, error) {
	var found []Rival
	if w.Sys != nil {
		found = append(found, scheduler(w.Sys)...)
	}
	if r, ok := tlp(w.Run); ok {
		found = append(found, r)
	}
	running, err := processes(w.Proc)
	return append(found, running...), err
}

// scheduler is the sched_ext scheduler that is loaded. Those that set frequencies do so through schedutil
// (Documentation/scheduler/sched-ext.rst, scx_bpf_cpuperf_set), and all of them decide what runs where.
func scheduler(sys *sysfs.FS) []Rival {
	state, err := sys.Read("kernel/sched_ext/state")
	if err != nil || state == "" || state == "disabled" {
		return nil
	}
	name, err := sys.Read("kernel/sched_ext/root/ops")
	if name = printable(name); err != nil || name == "" {
		name = "unnamed"
	}
	return []Rival{{
		Name: "sched_ext scheduler " + name, What: "asks for frequencies by its own rules",
		Stop: "stop the program that loaded it, or the service scx",
	}}
}

// tlp runs for a moment at boot and when the charger is plugged in or out, so it is no process. It leaves this file.
func tlp(run string) (Rival, bool) {
	if info, err := os.Stat(path.Join(run, "tlp/last_pwr")); err != nil || !info.Mode().IsRegular() {
		return Rival{}, false
	}
	return Rival{Name: "TLP", What: "sets governor, limits and energy preference when the charger is plugged in or out", Stop: "systemctl disable --now tlp, and remove /run/tlp"}, true
}

// processes finds the daemons that run.
func processes(proc string) ([]Rival, error) {
	root, err := os.OpenRoot(proc)
	if err != nil {
		return nil, fmt.Errorf("look for other governors: %w", err)
	}
	defer root.Close()
	dir, err := root.Open(".")
	if err != nil {
		return nil, fmt.Errorf("look for other governors: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil && len(names) == 0 {
		return nil, fmt.Errorf("look for other governors: %w", err)
	}
	pids := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid > 0 && strconv.Itoa(pid) == name {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	var found []Rival
	for _, d := range running(root, pids) {
		if !slices.ContainsFunc(found, func(r Rival) bool { return r.Name == d.Name }) { // of several processes the first
			found = append(found, d)
		}
	}
	return found, nil
}

func running(root *os.Root, pids []int) []Rival {
	var found []Rival
	for _, pid := range pids {
		dir := strconv.Itoa(pid)
		comm, ok := living(readStart(root, dir+"/stat"))
		if !ok {
			continue
		}
		for i := range daemons {
			if d := &daemons[i]; d.is(root, dir, comm) {
				found = append(found, d.rival(pid))
				break
			}
		}
	}
	return found
}

// maxComm is how much of a name the kernel keeps (TASK_COMM_LEN without the end).
const maxComm = 15

// is says whether a process is the daemon: by its name, and by its executable where that may be read. A script's name is
// the script's, unless its interpreter was called with it; then its command line has it.
func (d *daemon) is(root *os.Root, dir, comm string) bool {
	if comm == d.file[:min(len(d.file), maxComm)] {
		exe, err := root.Readlink(dir + "/exe")
		if err != nil {
			return true // not to be read: the name will do
		}
		file := path.Base(strings.TrimSuffix(exe, " (deleted)"))
		return interpreter(file) || file == d.file || file == "."+d.file+"-wrapped"
	}
	if !interpreter(comm) {
		return false
	}
	args := strings.Split(readStart(root, dir+"/cmdline"), "\x00")
	for _, arg := range args[1:] {
		if strings.HasPrefix(arg, "-") {
			continue
		}
		return path.Base(arg) == d.file // the first that is no option is the script
	}
	return false
}

// interpreter says whether an executable runs scripts of which daemons are made.
func interpreter(file string) bool {
	return strings.HasPrefix(file, "python") || file == "bash" || file == "sh" || file == "dash"
}

// living takes the name from the line of a process's stat (proc_pid_stat(5)), if the process has not ended. The name is in
// brackets and may have brackets itself.
func living(stat string) (comm string, ok bool) {
	open, end := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	if open < 0 || end < open || len(stat) < end+3 || stat[end+1] != ' ' {
		return "", false
	}
	state := stat[end+2]
	return stat[open+1 : end], state != 'Z' && state != 'X'
}

// maxRead bounds what is read of a process's file: a daemon's arguments are at their beginning.
const maxRead = 4096

// readStart reads the beginning of a file; "" when it can not be read.
func readStart(root *os.Root, name string) string {
	f, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxRead))
	if err != nil {
		return ""
	}
	return string(b)
}

// printable keeps what of a name can be shown.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r >= 0x7f {
			return -1
		}
		return r
	}, name[:min(len(name), 128)])
}

// Names lists rivals in a sentence.
func Names(found []Rival) string {
	names := make([]string, len(found))
	for i, r := range found {
		names[i] = r.String()
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
