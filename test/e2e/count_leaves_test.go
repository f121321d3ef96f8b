package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// leaves are the first instructions of leaf functions, as GCC and Clang make them at -O2, with the
// rest of the function. Each takes a number in edi and in rsi, and leaves one in eax.
var leaves = [][2]string{
	{"imul", "imul $1000003,%edi,%eax"},
	{"imul_register", "imul %esi,%edi\nmov %edi,%eax"},
	{"lea", "lea 7(,%rdi,4),%rax"},
	{"lea_mul", "lea 3(%rdi),%eax\nmul %esi"},
	{"mul", "mov %edi,%eax\nmul %esi"},
	{"lea_imul", "lea (%rdi,%rdi,2),%eax\nimul %esi,%eax"},
	{"lea_here", "lea leaf_number(%rip),%rax\nmov (%rax),%eax\nadd %edi,%eax"},
	{"mov_here", "mov leaf_number(%rip),%eax\nadd %edi,%eax"},
	{"add_here", "addl $1,leaf_number(%rip)\nmov %edi,%eax"},
	{"mov", "mov %edi,%eax\nshl $5,%eax"},
	{"movzx", "movzbl %dil,%eax"},
	{"movsx", "movslq %edi,%rax"},
	{"cvtsi2sd", "cvtsi2sd %edi,%xmm0\ncvttsd2si %xmm0,%eax"},
	{"pxor", "pxor %xmm0,%xmm0\ncvtsi2sd %edi,%xmm0\ncvttsd2si %xmm0,%eax"},
	{"cmp", "cmp %esi,%edi\nsetl %al\nmovzbl %al,%eax"},
	{"test", "test %edi,%edi\nsetne %al\nmovzbl %al,%eax"},
	{"xor", "xor %eax,%eax\nadd %edi,%eax"},
	{"sub", "sub $24,%rsp\nmov %edi,%eax\nadd $24,%rsp"},
	{"popcnt", "popcnt %edi,%eax"},
	{"nop5", "nopl 0(%rax,%rax,1)\nmov %edi,%eax"},
	{"none", ""},
	{"endbr_lea", "endbr64\nlea 7(,%rdi,4),%rax"},
	{"endbr_imul", "endbr64\nimul $31,%edi,%eax"},
	{"push", "push %rbx\nmov %edi,%eax\npop %rbx"},
	{"endbr_push", "endbr64\npush %rbx\nmov %edi,%eax\npop %rbx"},
}

// leafProgram calls each leaf a number of times of its own, and prints the sum of what they leave.
func leafProgram(t *testing.T) string {
	t.Helper()
	var code, calls strings.Builder
	for i, l := range leaves {
		fmt.Fprintf(&code, ".globl leaf_%s\n.type leaf_%[1]s,@function\nleaf_%[1]s:\n%s\nret\n"+
			".size leaf_%[1]s,.-leaf_%[1]s\n", l[0], l[1])
		fmt.Fprintf(&calls, "int leaf_%s(int, long);\nstatic void call_%[1]s(void) "+
			"{ for (int i = 0; i < %d; i++) sum += leaf_%[1]s(i, 7); }\n", l[0], 100+i)
	}
	program := filepath.Join(t.TempDir(), "leaves")
	write(t, program+".s", ".data\n.globl leaf_number\nleaf_number: .long 5\n.text\n"+code.String()+
		".section .note.GNU-stack,\"\",@progbits\n")
	write(t, program+".c", "#include <stdio.h>\nstatic long sum;\n"+calls.String()+
		"int main(void) {\n"+called(leaves)+"printf(\"%ld\\n\", sum); return 0; }\n")
	run(t, "gcc", "-O1", program+".c", program+".s", "-o", program)
	return program
}

func called(leaves [][2]string) (text string) {
	for _, l := range leaves {
		text += "call_" + l[0] + "();\n"
	}
	return text
}

// TestCountLeaves: calls of small functions are exact whatever these begin with, and the program
// comes to the same result. A function that the kernel would step is refused with its bytes.
func TestCountLeaves(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("the instructions are of x86-64")
	}
	program := leafProgram(t)
	var names []string
	for _, l := range leaves {
		names = append(names, "leaf_"+l[0])
	}
	out, err := exec.CommandContext(t.Context(), program).Output()
	if err != nil {
		t.Fatal(err)
	}
	alone := string(out)
	c, r, _ := count(t, strings.Join(names, ","), "--count-stepped", "--", program)
	if r.code != 0 || c == nil || len(c.List) != len(leaves) || r.stdout != alone {
		t.Fatalf("exit status %d, %q, alone %q, %+v\n%s", r.code, r.stdout, alone, c, r.stderr)
	}
	for i := range c.List {
		x, emulated := &c.List[i], strings.HasSuffix(leaves[i][0], "push")
		if x.Calls != uint64(100+i) || x.Stepped == emulated {
			t.Errorf("%s: %d calls, stepped %t; want %d, %t", leaves[i][0], x.Calls, x.Stepped,
				100+i, !emulated)
		}
	}
	for _, l := range [][2]string{{"imul", "69 c7"}, {"lea", "48 8d"}, {"lea_mul", "8d 47"},
		{"endbr_imul", "f3 0f 1e"}} {
		if _, r, _ := count(t, "leaf_"+l[0], "--", program); r.code != 2 || r.stdout != "" ||
			!strings.Contains(r.stderr, "twice at each call") ||
			!strings.Contains(r.stderr, "bytes "+l[1]) {
			t.Errorf("%s: exit status %d\n%s%s", l[0], r.code, r.stdout, r.stderr)
		}
	}
}
