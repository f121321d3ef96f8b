package stream

import "github.com/ebb-energy/ebb/epochs"

// Bounds of what is looked up.
const (
	mostLooks  = 48 // names for a line
	staleLooks = 16 // lines after which a name is looked up again
)

// look looks up names: of threads that have none, first those with the most energy, then the oldest
// names of these.
func (a *Account) look(
	top, living []numbered, look func(epochs.TID) (int32, string, bool),
) {
	left := mostLooks
	name := func(all []numbered, wanted func(*thread) bool) {
		for _, x := range all {
			if !wanted(x.thread) {
				continue
			}
			if left == 0 {
				return
			}
			left--
			if pid, comm, ok := look(x.id); ok {
				a.Name(x.id, pid, comm)
			}
		}
	}
	none := func(x *thread) bool { return x.pid == 0 }
	name(top, none)
	name(living, none)
	name(top, func(x *thread) bool {
		x.looked++
		return x.looked >= staleLooks
	})
}
