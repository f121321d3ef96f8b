// A virtual machine that runs one function after another in the same place, and writes its jitdump
// at the end, which it removes.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
static const unsigned char loop[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3}; // dec; jne; ret
#else
static const uint32_t loop[] = {0xf1000400, 0x54ffffe1, 0xd65f03c0}; // subs; b.ne; ret
#endif

static unsigned char dump[4096];
static size_t used;

static void put(const void *what, size_t size) {
	memcpy(dump + used, what, size);
	used += size;
}

static uint64_t now(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void record(uint32_t kind, const void *body, size_t size, const char *name) {
	size_t length = name ? strlen(name) + 1 : 0;
	uint32_t head[] = {kind, 16 + size + length};
	uint64_t at = now(CLOCK_MONOTONIC);
	put(head, 8);
	put(&at, 8);
	put(body, size);
	put(name, length);
}

static void load(unsigned char *code, const char *name) {
	uint64_t body[] = {getpid() * 0x100000001ull, (uintptr_t)code, (uintptr_t)code, sizeof loop, 1};
	record(0, body, sizeof body, name);
}

static void run(unsigned char *code) {
	memcpy(code, loop, sizeof loop);
	__builtin___clear_cache((char *)code, (char *)code + sizeof loop);
	for (uint64_t end = now(CLOCK_PROCESS_CPUTIME_ID) + 400000000; now(CLOCK_PROCESS_CPUTIME_ID) < end;)
		((void (*)(uint64_t))(void *)code)(100000);
}

int main(void) {
	char path[64];
	uint32_t header[] = {0x4A695444, 1, 40, 62, 0, getpid(), 0, 0, 0, 0};
	snprintf(path, sizeof path, "jit-%d.dump", getpid());
	int file = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);
	void *mark = mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	unsigned char *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		-1, 0);
	if (file < 0 || mark == MAP_FAILED || code == MAP_FAILED)
		return 1;
	put(header, sizeof header);
	load(code, "first");
	run(code);
	load(code, "second");
	run(code);
	load(code + 512, "moved");
	uint64_t move[] = {getpid() * 0x100000001ull, (uintptr_t)code, (uintptr_t)code + 512,
		(uintptr_t)code, sizeof loop, 1};
	record(1, move, sizeof move, 0);
	run(code);
	return write(file, dump, used) != (ssize_t)used || unlink(path) != 0;
}
