package profile

import "fmt"

// commands are the processes of a profile.
type commands struct {
	names map[int32]string // names of the processes' first threads, by the processes' ids
	// count is the number of processes of a name, one the id of the only one.
	count map[string]int
	one   map[string]int32
	// inner has the processes' ids in their own PID namespaces, where these are not the first one
	inner map[int32]int32
}

func commandsOf(p *Profile) *commands {
	c := &commands{names: map[int32]string{}, count: map[string]int{}, one: map[string]int32{},
		inner: map[int32]int32{}}
	for i := range p.Threads {
		if t := &p.Threads[i]; t.TID == t.PID && t.Ended == 0 {
			c.names[t.PID], c.inner[t.PID] = t.Comm, t.InnerTID
		}
	}
	seen := map[int32]bool{}
	for i := range p.Threads {
		switch t := &p.Threads[i]; {
		case t.Ended > 0 && t.PID == 0:
			c.count[t.Comm] += t.Processes
		case !seen[t.PID]:
			seen[t.PID] = true
			name := c.name(t.PID)
			c.count[name]++
			c.one[name] = t.PID
		}
	}
	return c
}

// name returns a process's name. It has none when its first thread was never seen.
func (c *commands) name(pid int32) string {
	if name, ok := c.names[pid]; ok {
		return name
	}
	return "process"
}

// number returns a process's ids as Thread.Number does.
func (c *commands) number(pid int32) string {
	return (&Thread{TID: pid, InnerTID: c.inner[pid]}).Number()
}

// process returns a process's name, that of its first thread, with its id.
func (v *View) process(pid int32) string {
	if v.commands == nil {
		v.commands = commandsOf(v.profile)
	}
	return fmt.Sprintf("%s (%s)", v.commands.name(pid), v.commands.number(pid))
}

// command returns the name of a thread's process with the number of processes of that name: "12 x
// cc1". The only process of its name has its id instead.
func (v *View) command(t *Thread) string {
	if v.commands == nil {
		v.commands = commandsOf(v.profile)
	}
	name := t.Comm
	if t.Ended == 0 || t.PID != 0 {
		name = v.commands.name(t.PID)
	}
	if n := v.commands.count[name]; n != 1 {
		return fmt.Sprintf("%d x %s", n, name)
	}
	if pid := v.commands.one[name]; pid != 0 {
		return fmt.Sprintf("%s (%s)", name, v.commands.number(pid))
	}
	return name
}
