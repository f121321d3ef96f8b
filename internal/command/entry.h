// What entry says, and when. Assembly has no other way to share text.
#define LENGTH 81
#define F_GETFD 1
#define EBADF 9
#define AT_FDCWD (-100)

DATA text<>+0(SB)/8, $"ebb: uli"
DATA text<>+8(SB)/8, $"mit leav"
DATA text<>+16(SB)/8, $"es Go's "
DATA text<>+24(SB)/8, $"runtime "
DATA text<>+32(SB)/8, $"too litt"
DATA text<>+40(SB)/8, $"le: it n"
DATA text<>+48(SB)/8, $"eeds -v "
DATA text<>+56(SB)/8, $"1 GiB, -"
DATA text<>+64(SB)/8, $"d 128 Mi"
DATA text<>+72(SB)/8, $"B, -n 16"
DATA text<>+80(SB)/8, $"\n\x00\x00\x00\x00\x00\x00\x00"
GLOBL text<>(SB), RODATA|NOPTR, $88

// limits are those with less than which Go's runtime does not begin: the resource, where getrlimit
// puts the limit that counts, and the least. Memory has RLIMIT_AS and RLIMIT_DATA; of RLIMIT_NOFILE
// the hard limit counts, because the runtime raises the soft one.
#define LIMITS 3
#define SOFT -16
#define HARD -8
DATA limits<>+0(SB)/8, $9
DATA limits<>+8(SB)/8, $SOFT
DATA limits<>+16(SB)/8, $(1<<30)
DATA limits<>+24(SB)/8, $2
DATA limits<>+32(SB)/8, $SOFT
DATA limits<>+40(SB)/8, $(1<<27)
DATA limits<>+48(SB)/8, $7
DATA limits<>+56(SB)/8, $HARD
DATA limits<>+64(SB)/8, $16
GLOBL limits<>(SB), RODATA|NOPTR, $72

DATA null<>+0(SB)/8, $"/dev/nul"
DATA null<>+8(SB)/8, $"l\x00\x00\x00\x00\x00\x00\x00"
GLOBL null<>(SB), RODATA|NOPTR, $16

// OWN begins the subcommands that only ebb itself uses: "__". The others begin variables of the
// environment, and HIDDEN is what their first letter becomes.
#define OWN 0x5f5f
#define GODEBUG 0x3d47554245444f47
#define GOMEMLIM 0x4d494c4d454d4f47
#define GOGC 0x43474f47
#define EQUALS 0x3d
#define HIDDEN 1
