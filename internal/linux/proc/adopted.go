package proc

import (
	"os"
	"slices"
	"strconv"
)

// Adopted returns the processes that a process may have started and that others are the parents of:
// its child started them and ended right afterwards, which left them to the system. They are of its
// session and younger than it, and their parent is of another session. Most bounds their number;
// the lowest ids come first.
func Adopted(pid, most int) ([]int, error) {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	all := map[int]Stat{}
	for _, n := range names {
		id, err := strconv.Atoi(n.Name())
		if err != nil {
			continue // the entry is no process
		}
		if s, err := ReadStat(id); err == nil && !s.Ended() {
			all[id] = s
		}
	}
	return adopted(all, pid, most), nil
}

func adopted(all map[int]Stat, pid, most int) (out []int) {
	of, ok := all[pid]
	if !ok || of.Session == 0 {
		return nil
	}
	for id, s := range all {
		parent, seen := all[s.Parent]
		if id != pid && id != s.Session && s.Session == of.Session && s.Began >= of.Began &&
			s.Parent != pid && (!seen || parent.Session != s.Session) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out[:min(len(out), most)]
}
