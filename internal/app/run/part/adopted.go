package part

import "github.com/ebb-energy/ebb/internal/linux/proc"

// mostAdopted bounds the processes that Adopted names.
const mostAdopted = 100

// Adopted returns processes that the target's may have started and left to another parent, as far
// as they can be found. They are not followed.
func (t *Target) Adopted() []int {
	list, err := proc.Adopted(t.PID, mostAdopted)
	if err != nil {
		return nil
	}
	return list
}
