// Package hotspot finds the frames of code that a HotSpot Java virtual machine compiled. It reads
// what the machine says of itself to debuggers: gHotSpotVMStructs and its companions
// (src/hotspot/share/runtime/vmStructs.hpp in OpenJDK), which say where the fields of its
// structures are. The segment map of a part of the code cache leads from an address to the blob
// that it lies in (memory/heap.cpp), and the blob has its frame's size (code/codeBlob.hpp). The
// size is needed because compiled code keeps no frame pointer unless an option asks for it.
//
// The package reads a running program's memory, which may change meanwhile, and may lie. It follows
// nothing without a bound, and treats what makes no sense as absent.
package hotspot
