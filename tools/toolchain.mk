# The Go that builds ebb, first in PATH. The Makefile includes this for targets that need one.

NEWER_GO := $(shell tools/toolchain.sh)
ifneq ($(.SHELLSTATUS),0)
$(error no Go that can build ebb)
endif
ifneq ($(NEWER_GO),)
export PATH := $(NEWER_GO):$(PATH)
export GOTOOLCHAIN := local
endif
