# refused.py NUMBER ERROR COMMAND...: runs COMMAND, whose system calls of that number fail with ERROR.
import ctypes, os, struct, sys

number, error = int(sys.argv[1]), int(sys.argv[2])
ALLOW, ERRNO = 0x7FFF0000, 0x50000
program = b"".join(struct.pack("HBBI", *i) for i in [
    (0x20, 0, 0, 0),  # load the number
    (0x15, 0, 1, number), (6, 0, 0, ERRNO | error), (6, 0, 0, ALLOW)])
kept = ctypes.create_string_buffer(program)
filters = struct.pack("@HP", 4, ctypes.addressof(kept))
PR_SET_SECCOMP, FILTER = 22, 2
if ctypes.CDLL(None).prctl(PR_SET_SECCOMP, FILTER, ctypes.c_char_p(filters), 0, 0):
    sys.exit("no filter")
os.execvp(sys.argv[3], sys.argv[3:])
