package symbols

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/stacks/unwind"
)

// copiedSource puts its own code into memory of no file, at the same place, and prints the
// addresses of a function, and of memory for code that has none. The first argument says how much
// it copies: a function's page, all of its code, or nothing.
const copiedSource = `
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile int sink;
__attribute__((noinline, aligned(4096))) int copied_function(int n) { return sink += n; }
__attribute__((noinline, aligned(4096))) int left_function(int n) { return sink -= n; }
static char *from, *to;
static int segment(struct dl_phdr_info *info, size_t size, void *none) {
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			from = (char *)(info->dlpi_addr + p->p_vaddr) - p->p_vaddr % 4096;
			to = (char *)((info->dlpi_addr + p->p_vaddr + p->p_memsz + 4095) / 4096 * 4096);
		}
	}
	return 1;
}
static void copy(void) {
	size_t size = to - from;
	char *at = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(at, from, size);
	mprotect(at, size, PROT_READ | PROT_EXEC);
	mremap(at, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, from);
}
int main(int argc, char **argv) {
	char *made = mmap(0, 8192, PROT_READ, MAP_PRIVATE, fileno(fopen(argv[2], "r")), 0);
	made = mmap(made + 4096, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		-1, 0);
	dl_iterate_phdr(segment, 0);
	if (!strcmp(argv[1], "page")) {
		from = (char *)copied_function;
		to = from + 4096;
	}
	if (strcmp(argv[1], "none"))
		copy();
	copied_function(left_function(1));
	printf("%p %p %p\n", (void *)copied_function, (void *)left_function, (void *)made);
	fflush(stdout);
	return getchar() == EOF;
}
`

// TestCopiedCode: code that a program has copied to where it lay, as for huge pages, has its names
// and its unwind tables, whatever linker made the program, and wherever in the segment it lies.
// Memory for code behind another file has no name.
func TestCopiedCode(t *testing.T) {
	dir := t.TempDir()
	source, other := filepath.Join(dir, "copied.c"), filepath.Join(dir, "other")
	for path, text := range map[string]string{source: copiedSource,
		other: strings.Repeat("no code", 2000)} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, options := range map[string][]string{
		"separate": {"-Wl,-z,separate-code"}, "together": {"-Wl,-z,noseparate-code"},
		"fixed": {"-no-pie"}, "gold": {"-fuse-ld=gold"}, "stripped": {"-s"},
	} {
		path := filepath.Join(dir, name)
		tool(t, "gcc", append(options, "-O1", "-rdynamic", "-o", path, source)...)
		for _, how := range []string{"none", "page", "all"} {
			if (name == "together" || name == "gold") && how == "all" {
				continue // nothing of the file is left before its code
			}
			t.Run(name+" "+how, func(t *testing.T) { checkCopied(t, path, how, other) })
		}
	}
}

func checkCopied(t *testing.T, program, how, other string) {
	r, _ := newLocal(t)
	r.checkCopied(t, program, how, other)
}

// TestCopiedElsewhere: a file that was opened for code that a process has copied is the file of
// another process's mappings as well. A file that is deleted meanwhile stays the same file.
func TestCopiedElsewhere(t *testing.T) {
	dir := t.TempDir()
	source, program, other := filepath.Join(dir, "copied.c"), filepath.Join(dir, "copied"),
		filepath.Join(dir, "other")
	if err := errors.Join(os.WriteFile(source, []byte(copiedSource), 0o644),
		os.WriteFile(other, []byte(strings.Repeat("no code", 2000)), 0o644)); err != nil {
		t.Fatal(err)
	}
	tool(t, "gcc", "-Wl,-z,separate-code", "-O1", "-rdynamic", "-o", program, source)
	r, _ := newLocal(t)
	for _, how := range []string{"all", "none"} {
		r.checkCopied(t, program, how, other)
	}
	a := mapping{inode: "08:01 7", Path: "/lib/x.so"}
	b := mapping{inode: "08:01 7", Path: "/lib/x.so (deleted)"}
	if a.key() != b.key() {
		t.Errorf("%q and %q", a.key(), b.key())
	}
}

func (r *resolver) checkCopied(t *testing.T, program, how, other string) {
	cmd := exec.CommandContext(t.Context(), program, how, other)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = in.Close()
		_ = cmd.Wait() // it ends with its input
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	var copied, left, made uint64
	if _, e := fmt.Sscanf(line, "0x%x 0x%x 0x%x", &copied, &left, &made); err != nil || e != nil {
		t.Fatal(line, err, e)
	}
	i := r.image(cmd.Process.Pid)
	r.saw(i, []uint64{copied})
	for addr, want := range map[uint64]string{copied: "copied_function", left: "left_function"} {
		got := r.User(i, addr, false)
		if got.Name != want || got.Kind != kindNative || got.Module != filepath.Base(program) {
			t.Errorf("%s: %+v", want, got)
		}
		if code, _, _ := r.code(r.process(i, 0), addr); code != unwind.Described {
			t.Errorf("%s: it is walked as %v", want, code)
		}
	}
	if got := r.User(i, made, false); got.Name != "[anonymous]" {
		t.Errorf("made code: %+v", got)
	}
	if len(r.Problems) > 0 {
		t.Errorf("%q", r.Problems)
	}
}

// TestBehind: which memory may hold code of a file: that of no file, where a mapping of one ends.
func TestBehind(t *testing.T) {
	got := parseMaps(`1000-2000 r--p 00000000 08:01 1 /a
2000-3000 r-xp 00000000 00:00 0 
3000-4000 r-xp 00000000 00:00 0 
5000-6000 r-xp 00001000 08:01 2 /b
6000-7000 r-xp 00000000 00:0f 9 /anon_hugepage (deleted)
7000-8000 r-xp 00000000 00:00 0 
9000-a000 r-xp 00000000 08:01 3 /c
a000-b000 r-xp 00000000 08:01 4 /d
c000-d000 r-xp 00000000 00:00 0 
d000-e000 rw-p 00000000 00:05 5 /dev/zero (deleted)
e000-f000 r-xp 00000000 00:00 0 
`)
	want := map[uint64]string{0x2000: "/a", 0x6000: "/b"}
	for _, m := range got {
		behind := ""
		if m.behind != nil {
			behind = m.behind.Path
		}
		if behind != want[m.Start] {
			t.Errorf("%x: %q, want %q", m.Start, behind, want[m.Start])
		}
	}
	if len(got) != 8 {
		t.Errorf("%d mappings", len(got))
	}
}

// TestMemoryWithAPath: code in memory that has a path, where PHP and Erlang put it, is called as
// any code that a program made; that of a file that could not be opened has the file's name.
func TestMemoryWithAPath(t *testing.T) {
	r, _ := newLocal(t)
	p := r.process(r.image(os.Getpid()), 0)
	for path, want := range map[string]string{"": "[anonymous]", "[heap]": "[anonymous]",
		"/dev/zero (deleted)": "[anonymous]", "/memfd:vmem (deleted)": "[anonymous]",
		"//anon": "[anonymous]", "/SYSV00000000 (deleted)": "[anonymous]",
		"/anon_hugepage (deleted)": "[anonymous]", "/usr/lib/lost.so": "[lost.so]",
		"/tmp/lost.so (deleted)": "[lost.so]", "/opt/App.dll": "[App.dll]"} {
		p.maps = []mapping{{Start: 0x1000, End: 0x2000, Path: path, module: module(path)}}
		if got := r.user(p, 0x1800); got.Name != want || got.Kind != kindUnresolved {
			t.Errorf("%q: %+v, want %s", path, got, want)
		}
	}
}
