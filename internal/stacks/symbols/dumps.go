package symbols

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// dump is a jitdump that processes have mapped. It is held open, since it may be removed, and is
// read at the end, since virtual machines gather what they write.
type dump struct {
	file  *os.File
	path  string
	codes *jitCodes // nil until it is read
	read  bool
	// managed are the indexes in codes of those that stand for Java methods; valid once searched is
	// set.
	managed  []uint32
	searched bool
	empty    bool // empty when it was mapped; held because it may become a dump
	size     int64
	again    bool // it was begun anew while the program ran
}

// maxDumps bounds the jitdumps that are held open.
const maxDumps = 128

// isDump reports whether a mapped file marks its process as one that writes a jitdump. The file
// begins as a jitdump does, or it is nearly empty and has the name that perf expects, jit-PID.dump.
// Such a mapping is no library's.
func isDump(f io.ReaderAt, name string) bool {
	var head [4]byte
	n, _ := f.ReadAt(head[:], 0)
	if dumpOrder(head[:n]) != nil {
		return true
	}
	name = path.Base(strings.TrimSuffix(name, " (deleted)"))
	name, one := strings.CutPrefix(name, "jit-")
	name, other := strings.CutSuffix(name, ".dump")
	_, err := strconv.ParseUint(name, 10, 32)
	return one && other && err == nil && n < len(head)
}

// maxMarker bounds the mapping by which a process marks its dump, in bytes. The mapping is one
// page, and pages have up to 64 KiB.
const maxMarker = 64 << 10

// isEmpty reports whether a file's first four bytes are missing or zero, so that its kind is not
// known yet.
func isEmpty(f io.ReaderAt) bool {
	var head [4]byte
	_, err := f.ReadAt(head[:], 0)
	return head == [4]byte{} && (err == nil || err == io.EOF)
}

// openEmpty keeps a file that may become a dump. Where too many are held it closes the file and
// reports a problem.
func (r *Resolver) openEmpty(key string, f *os.File, path string) error {
	if len(r.dumps) >= maxDumps/2 {
		r.problem("the program has mapped more than %d jitdumps and files in which there was "+
			"nothing yet: if one of the others has become a jitdump, its code has no names",
			maxDumps/2)
		return f.Close()
	}
	r.dumps[key] = &dump{file: f, path: printable(path), empty: true}
	return nil
}

// begun reports whether a file has become a dump.
func (d *dump) begun() bool {
	d.empty = d.empty && !isDump(d.file, "")
	return !d.empty
}

// openDump keeps a dump. Where too many are held it closes the file and returns an error.
func (r *Resolver) openDump(key string, f *os.File, path string) error {
	if len(r.dumps) >= maxDumps {
		return errors.Join(fmt.Errorf("read jitdump %s: there are more than %d", path, maxDumps),
			f.Close())
	}
	r.dumps[key] = &dump{file: f, path: printable(path)}
	return nil
}

// adopt notes the dumps in a process's mappings. It returns the other mappings.
func (r *Resolver) adopt(p *process, maps []mapping) []mapping {
	return slices.DeleteFunc(maps, func(m mapping) bool {
		d := r.dumps[m.key()]
		if d == nil {
			return false
		}
		if !slices.Contains(p.dumps, d) {
			p.dumps = append(p.dumps, d)
			if p.inner == 0 {
				p.inner = r.innerID(p.image)
			}
		}
		return d.begun()
	})
}

// innerID returns the id that a process has in its own namespace, which it writes into a dump. It
// returns 0 where that is not known.
func (r *Resolver) innerID(i Image) uint32 {
	f, err := r.source.Status(i)
	if err != nil {
		return 0 // the process has ended
	}
	defer f.Close()
	const most = 64 << 10 // the line stands before that of the groups, which is long
	lines := bufio.NewScanner(io.LimitReader(f, most))
	for lines.Scan() {
		ids, ok := strings.CutPrefix(lines.Text(), "NSpid:")
		if all := strings.Fields(ids); ok && len(all) > 0 {
			id, _ := strconv.ParseUint(all[len(all)-1], 10, 32) // the kernel wrote it
			return uint32(id)
		}
	}
	return 0
}

// readDumps reads the dumps of a process, each once.
func (r *Resolver) readDumps(p *process) {
	for _, d := range p.dumps {
		if !d.read && d.begun() {
			r.readDump(d)
		}
	}
}

func (r *Resolver) readDump(d *dump) {
	d.read = true
	records, err := parseJitdump(d.file, r.budget)
	if err != nil {
		r.problem("read jitdump %s: %v", d.path, err)
	}
	if records.skipped > 0 {
		r.problem("jitdump %s: records without sense: %d", d.path, records.skipped)
	}
	if records.onClock(r.clocksOf(d)); records.foreign {
		r.problem("jitdump %s has times of another clock than the samples: where code took "+
			"the place of other code, it has no name", d.path)
	}
	if d.again {
		r.problem("jitdump %s was begun anew while the program ran: code from before has no names",
			d.path)
	}
	codes := records.arrange()
	codes.again = d.again
	if err := r.budget.keep(codes.size()); err != nil {
		r.problem("read jitdump %s: %v", d.path, err)
		return
	}
	d.codes = codes
}

// keepDumps reads the dumps that a process has begun itself for it alone: the program that takes
// its place has its id, and may begin the same files anew.
func (r *Resolver) keepDumps(p *process) {
	for n, d := range p.dumps {
		d.grown()
		var head [dumpHeader]byte
		_, err := d.file.ReadAt(head[:], 0)
		order := dumpOrder(head[:])
		if d.read || err != nil || order == nil || order.Uint32(head[20:]) != p.inner {
			continue
		}
		p.dumps[n] = &dump{file: d.file, path: d.path, again: d.again}
		r.readDump(p.dumps[n])
		p.dumps[n].file = nil      // the other's to close
		d.size, d.again = 0, false // nothing of it is lost
	}
}

// grown returns a dump's size, and notes whether it was begun anew since the last call.
func (d *dump) grown() int64 {
	info, err := d.file.Stat()
	if err != nil {
		return 0
	}
	d.again = d.again || info.Size() < d.size
	d.size = info.Size()
	return d.size
}

// inDumps returns the name of the code that lay at an address at a time, in ns of CLOCK_MONOTONIC,
// by the process's dumps.
func (p *process) inDumps(addr, at uint64) (name string, ok bool) {
	var list []*jitCodes
	for _, d := range p.dumps {
		if d.codes != nil {
			list = append(list, d.codes)
		}
	}
	return findCode(list, addr, at, p.inner)
}
