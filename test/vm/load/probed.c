/* Calls two functions again and again, each with a nop at its begin for a breakpoint; a program with a runtime whose
   collector begins and ends its work as often as it can. */
__asm__(".text\n"
	".globl probe_begin\n.type probe_begin, @function\nprobe_begin: nop\n ret\n"
	".globl probe_end\n.type probe_end, @function\nprobe_end: nop\n ret\n");
void probe_begin(void);
void probe_end(void);

int main(void)
{
	for (;;) {
		probe_begin();
		probe_end();
	}
}
