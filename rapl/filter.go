package rapl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// packageControls is the register IA32_MISC_PACKAGE_CTLS. Its bit 0 makes the processor add noise
// to its meters against spying by power (ENERGY_FILTERING_ENABLE; set by firmware, and always while
// SGX is on).
const packageControls = 0xbc

// ErrUnknown says that ebb cannot find out whether the meters are filtered.
var ErrUnknown = errors.New("cannot find out whether the energy meters are filtered")

// Filtered reports whether the processor adds noise to its meters: over a second it averages out,
// over a millisecond it can be larger than what is measured. It reads the register through device,
// as /dev/cpu/0/msr, which the kernel module msr makes; without that the answer is ErrUnknown.
func Filtered(device string) (bool, error) {
	f, err := os.Open(device)
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	defer f.Close()
	var b [8]byte
	if _, err := f.ReadAt(b[:], packageControls); err != nil {
		return false, fmt.Errorf("%w: read register %#x: %w", ErrUnknown, packageControls, err)
	}
	return binary.LittleEndian.Uint64(b[:])&1 != 0, nil
}
