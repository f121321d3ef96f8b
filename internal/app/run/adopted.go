package run

import "github.com/ebb-energy/ebb/internal/linux/proc"

// mostAdopted bounds the processes that are named.
const mostAdopted = 100

// Adopted are processes that the one of the target may have started and left to another parent, as
// far as they can be found: they are not followed.
func (t *Target) Adopted() []int {
	list, err := proc.Adopted(t.PID, mostAdopted)
	if err != nil {
		return nil
	}
	return list
}
