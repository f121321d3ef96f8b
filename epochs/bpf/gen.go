package bpf

//go:generate go tool -modfile=../../tools/generate/go.mod bpf2go -cc clang-14 -strip llvm-strip-14 -target amd64,arm64 -no-global-types -cflags "-O2 -Wall -Werror -I/usr/include/x86_64-linux-gnu" epochs epochs.bpf.c
