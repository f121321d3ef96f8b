// What entry says, and when. Assembly has no other way to share text.
#define RLIMIT_AS 9
#define LEAST (1<<30) // bytes: with less Go's runtime does not begin
#define LENGTH 73
#define F_GETFD 1
#define EBADF 9
#define AT_FDCWD (-100)

DATA text<>+0(SB)/8, $"ebb: uli"
DATA text<>+8(SB)/8, $"mit -v l"
DATA text<>+16(SB)/8, $"eaves to"
DATA text<>+24(SB)/8, $"o little"
DATA text<>+32(SB)/8, $" address"
DATA text<>+40(SB)/8, $" space: "
DATA text<>+48(SB)/8, $"Go's run"
DATA text<>+56(SB)/8, $"time nee"
DATA text<>+64(SB)/8, $"ds 1 GiB"
DATA text<>+72(SB)/8, $"\n\x00\x00\x00\x00\x00\x00\x00"
GLOBL text<>(SB), RODATA|NOPTR, $80

DATA null<>+0(SB)/8, $"/dev/nul"
DATA null<>+8(SB)/8, $"l\x00\x00\x00\x00\x00\x00\x00"
GLOBL null<>(SB), RODATA|NOPTR, $16
