//go:build race

package workload

func init() { underRace = true }
