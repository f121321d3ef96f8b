package unwind

import (
	"errors"
	"fmt"
	"io"
	"maps"
)

// ErrNoCodeCache says that the machine is still starting, and has no code cache yet.
var ErrNoCodeCache = errors.New("the Java virtual machine has no code cache yet")

const (
	maxHeaps    = 16
	maxSegment  = 16 // log2 of a segment's size in bytes
	maxHops     = 4096
	maxHeap     = 2 << 30 // bytes of code: calls reach no further
	maxFrame    = 1 << 20 // bytes
	maxBlob     = 64 << 20
	maxKept     = 1 << 14 // segments that are kept, and names
	keptForCode = 256     // stacks after which kept code is dropped
)

// layout holds the places of the fields that are read.
type layout struct {
	heaps, length, data                             field // CodeCache, GrowableArray
	heapMemory, heapSegments, heapShift             field // CodeHeap
	low, high                                       field // VirtualSpace
	name, size, begin, offset, frame, frameComplete field // CodeBlob
	blockLength, blockUsed                          field // HeapBlock::Header
	flags, flagCount, flagName, flagAddress         field // JVMFlag
	method                                          field // nmethod, before JDK 23 CompiledMethod
	constMethod, entry                              field // Method
	constants, nameIndex, signatureIndex            field // ConstMethod
	holder, className                               field // ConstantPool, Klass
	symbolLength, symbolBody                        field // Symbol
	block, flagSize, pool                           uint64

	// fields of a compiled method's debug information; version is the JDK's
	version, compileID                                                   field
	placesOffset, dependencies, scopesOffset, metadataOffset, dataOffset field
	scopesBegin, immutable, immutableSize, mutable, relocationSize       field
	placeCode, placeScope                                                field // PcDesc
	place                                                                uint64
}

// heap is a part of the code cache.
type heap struct {
	low, high uint64
	// address of its segment map: for each segment the distance back to the begin of its block
	segments uint64
	shift    uint
}

// HotSpot reads a running Java virtual machine. Only one goroutine may use it.
type HotSpot struct {
	memory
	layout layout
	heaps  []heap
	linked bool               // machine runs with PreserveFramePointer
	kept   map[uint64]blob    // by segment, which never has code of two blobs
	names  map[uint64]species // by the name's address; there are few
	stacks int
	round  int // number of the kept code's generation

	version    int64           // version of the JDK; 0 where it is not known
	everywhere bool            // machine runs with DebugNonSafepoints
	scopes     map[uint64]kept // by address
	keptMarks  int             // marks in scopes
	one        [1]uint64       // what Marks has returned

	threads  threadLayout
	carriers []Carrier // of the list that was read last
	carrying []carrying

	// by address; with the lowest bit set for those that are interpreted
	methods   map[uint64]method
	codes     []JavaCode // by mark
	nameBytes int        // bytes of their names
	marks     map[JavaCode]uint64
}

// OpenHotSpot reads a machine's description of itself. Symbol returns the address, in the machine's
// process, of an object that libjvm exports. After ErrNoCodeCache the caller tries again: with
// Begun if a machine was returned, else with OpenHotSpot.
func OpenHotSpot(from io.ReaderAt, symbol func(name string) (uint64, bool)) (*HotSpot, error) {
	d := describer{memory{from: from, pages: map[uint64][]byte{}}, symbol}
	m := &HotSpot{memory: memory{from: from}, kept: map[uint64]blob{}, names: map[uint64]species{},
		methods: map[uint64]method{}, marks: map[JavaCode]uint64{}, scopes: map[uint64]kept{}}
	l := &m.layout
	wanted := map[string]*field{
		"CodeCache::_heaps": &l.heaps, "GrowableArrayBase::_len": &l.length,
		"GrowableArray<int>::_data": &l.data,
		"CodeHeap::_memory":         &l.heapMemory, "CodeHeap::_segmap": &l.heapSegments,
		"CodeHeap::_log2_segment_size": &l.heapShift,
		"VirtualSpace::_low":           &l.low, "VirtualSpace::_high_boundary": &l.high,
		"CodeBlob::_name": &l.name, "CodeBlob::_size": &l.size, "CodeBlob::_code_begin": &l.begin,
		"CodeBlob::_code_offset": &l.offset,
		"CodeBlob::_frame_size":  &l.frame, "CodeBlob::_frame_complete_offset": &l.frameComplete,
		"HeapBlock::Header::_length": &l.blockLength, "HeapBlock::Header::_used": &l.blockUsed,
		"CompiledMethod::_method": &l.method, "nmethod::_method": &l.method,
		"Method::_constMethod": &l.constMethod, "Method::_i2i_entry": &l.entry,
		"ConstMethod::_constants": &l.constants, "ConstMethod::_name_index": &l.nameIndex,
		"ConstMethod::_signature_index": &l.signatureIndex,
		"ConstantPool::_pool_holder":    &l.holder,
		"Klass::_name":                  &l.className, "Symbol::_length": &l.symbolLength,
		"Symbol::_body":  &l.symbolBody,
		"JVMFlag::flags": &l.flags, "JVMFlag::numFlags": &l.flagCount,
		"JVMFlag::_name": &l.flagName, "JVMFlag::_addr": &l.flagAddress,
		"Abstract_VM_Version::_vm_major_version": &l.version,
		"nmethod::_compile_id":                   &l.compileID,
		"nmethod::_scopes_pcs_offset":            &l.placesOffset,
		"nmethod::_dependencies_offset":          &l.dependencies,
		"nmethod::_scopes_data_offset":           &l.scopesOffset,
		"nmethod::_metadata_offset":              &l.metadataOffset,
		"CodeBlob::_data_offset":                 &l.dataOffset,
		"CompiledMethod::_scopes_data_begin":     &l.scopesBegin,
		"nmethod::_immutable_data":               &l.immutable,
		"nmethod::_immutable_data_size":          &l.immutableSize,
		"CodeBlob::_mutable_data":                &l.mutable,
		"CodeBlob::_relocation_size":             &l.relocationSize,
		"PcDesc::_pc_offset":                     &l.placeCode,
		"PcDesc::_scope_decode_offset":           &l.placeScope,
	}
	maps.Copy(wanted, m.threads.wanted())
	if err := d.fields(wanted); err != nil {
		return nil, err
	}
	if err := d.sizes(map[string]*uint64{"HeapBlock": &l.block, "JVMFlag": &l.flagSize,
		"ConstantPool": &l.pool, "PcDesc": &l.place}); err != nil {
		return nil, err
	}
	for name, f := range map[string]*field{
		"CodeCache::_heaps": &l.heaps, "GrowableArrayBase::_len": &l.length,
		"GrowableArray<int>::_data": &l.data,
		"CodeHeap::_memory":         &l.heapMemory, "CodeHeap::_segmap": &l.heapSegments,
		"CodeHeap::_log2_segment_size": &l.heapShift,
		"VirtualSpace::_low":           &l.low, "VirtualSpace::_high_boundary": &l.high,
		"CodeBlob::_name": &l.name, "CodeBlob::_size": &l.size, "CodeBlob::_frame_size": &l.frame,
		"CodeBlob::_frame_complete_offset": &l.frameComplete,
	} {
		if !f.known {
			return nil, fmt.Errorf("it says nothing of %s", name)
		}
	}
	if !l.begin.known && !l.offset.known || l.block == 0 || l.block > maxStride {
		return nil, errors.New("it does not say where code begins")
	}
	if !m.Begun() {
		return m, ErrNoCodeCache
	}
	return m, nil
}

// Begun reports whether the machine has a code cache. It reads the machine's options as soon as
// there is one.
func (h *HotSpot) Begun() bool {
	if h.Refresh(); len(h.heaps) == 0 {
		return false
	}
	d := describer{memory: memory{from: h.from, pages: map[uint64][]byte{}}}
	d.options(&h.layout, map[string]*bool{"PreserveFramePointer": &h.linked,
		"DebugNonSafepoints": &h.everywhere, "UseCompressedOops": &h.threads.narrow,
		"UseCompressedClassPointers": &h.threads.short,
		"UseCompactObjectHeaders":    &h.threads.compact, "UseZGC": &h.threads.zgc,
		"ZGenerational": &h.threads.generational})
	if f := &h.layout.version; f.known {
		h.version, _ = d.integer(f.offset, 4)
	}
	return true
}

// Refresh reads again where the parts of the code cache are, and drops the kept code. It is called
// when the process has got more memory for code.
func (h *HotSpot) Refresh() {
	l := &h.layout
	h.reads = maxReads
	h.forget()
	array, ok := h.word(l.heaps.offset)
	if !ok {
		return // the machine has ended, and what is known of it stays
	}
	h.heaps = h.heaps[:0]
	clear(h.kept)
	h.round++
	count, ok1 := h.integer(array+l.length.offset, 4)
	data, ok2 := h.word(array + l.data.offset)
	if array == 0 || !ok1 || !ok2 || count < 0 || count > maxHeaps {
		return
	}
	for n := range uint64(count) {
		at, ok := h.word(data + 8*n)
		if !ok || at == 0 {
			continue
		}
		low, ok1 := h.word(at + l.heapMemory.offset + l.low.offset)
		high, ok2 := h.word(at + l.heapMemory.offset + l.high.offset)
		segments, ok3 := h.word(at + l.heapSegments.offset + l.low.offset)
		shift, ok4 := h.integer(at+l.heapShift.offset, 4)
		if !ok1 || !ok2 || !ok3 || !ok4 || low >= high || high-low > maxHeap || shift < 3 ||
			shift > maxSegment {
			continue
		}
		h.heaps = append(h.heaps, heap{low, high, segments, uint(shift)})
	}
}

// Has reports whether an address lies in the code cache.
func (h *HotSpot) Has(addr uint64) bool {
	for i := range h.heaps {
		if addr >= h.heaps[i].low && addr < h.heaps[i].high {
			return true
		}
	}
	return false
}

// Stack prepares the walk of one more stack. From time to time it drops the kept code, because
// other code can take its place.
func (h *HotSpot) Stack() {
	h.reads = maxReads
	h.forget()
	if h.stacks++; h.stacks%keptForCode == 0 || len(h.kept) >= maxKept {
		h.Refresh()
	}
}

// At returns the frame of the code at an address.
func (h *HotSpot) At(addr uint64, exact bool) Frame {
	b := h.find(addr)
	f := Frame{}
	switch {
	case b.kind == leaf:
		f.Kind, f.Size = bySize, 8
	case exact && b.kind != unknown:
		return h.interrupted(&b, addr)
	case b.kind == interpreter:
		f.Kind = interpreted
	case b.kind == sized:
		f.Kind, f.Size, f.Saved = bySize, b.frame, true
	}
	return f
}

// Unlinked reports whether the code at an address keeps no frame pointers.
func (h *HotSpot) Unlinked(addr uint64) bool { return !h.linked && h.Has(addr) }

// Calls reports whether the instruction that ends at addr is a call.
func (h *HotSpot) Calls(addr uint64) bool {
	var b [8]byte
	return addr > 8 && h.read(b[:], addr-8) && calls(b[:])
}
