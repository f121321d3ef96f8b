// Package hotspot tells how the frames of code that a HotSpot Java virtual machine compiled are
// walked, from what the machine says of itself to debuggers: gHotSpotVMStructs and its companions
// (src/hotspot/share/runtime/vmStructs.hpp in OpenJDK), which tell where the fields of its
// structures are. The segment map of a part of the code cache leads from an address to the blob
// that it lies in (memory/heap.cpp), and that has its frame's size (code/codeBlob.hpp): code that
// was compiled keeps no frame pointer unless it is asked to.
//
// What is read is a running program's memory. It may change while it is read, and lie: nothing that
// is read is followed without a bound, and what makes no sense is as if it were not there.
package hotspot
