package assets

import (
	"encoding/binary"
	"errors"
	"slices"
)

// Go's linker leaves zeros out of the data of a WebAssembly, by making a hundred thousand segments of it. Zeros compress to
// nothing; where each segment begins and how long it is, does not: that takes a twentieth of the download.

// Of https://webassembly.github.io/spec/core/binary/modules.html.
const (
	wasmHead    = 8 // the magic number and the version
	wasmData    = 11
	wasmI32     = 0x41
	wasmEnd     = 0x0b
	wasmActive  = 0
	wasmMost    = 64 << 20 // where data may begin
	wasmSevenOf = 0x7f
)

var errWasm = errors.New("the linker made a WebAssembly whose data are laid out in a way that is not known here")

// whole returns a WebAssembly with its data in one segment, with the zeros between.
func whole(wasm []byte) ([]byte, error) {
	if len(wasm) < wasmHead {
		return nil, errWasm
	}
	out := slices.Clone(wasm[:wasmHead])
	for r := (bytesOf{wasm[wasmHead:]}); len(r.rest) > 0; {
		before := r.rest
		id, n := r.byte(), r.number()
		body := r.take(n)
		if body == nil {
			return nil, errWasm
		}
		if id != wasmData {
			out = append(out, before[:len(before)-len(r.rest)]...)
			continue
		}
		from, memory, ok := inMemory(body)
		if !ok {
			return nil, errWasm
		}
		section := append(binary.AppendUvarint(nil, 1), wasmActive, wasmI32)
		section = append(appendSigned(section, int64(from)), wasmEnd)
		section = append(binary.AppendUvarint(section, uint64(len(memory))), memory...)
		out = append(binary.AppendUvarint(append(out, wasmData), uint64(len(section))), section...)
	}
	return out, nil
}

// inMemory is what a section of data makes of memory, from where on. The segments do not overlap, and are in no order.
func inMemory(section []byte) (from int, memory []byte, ok bool) {
	type segment struct {
		at   int
		data []byte
	}
	r := bytesOf{section}
	segments, to := []segment{}, 0
	for range r.number() {
		if r.byte() != wasmActive || r.byte() != wasmI32 {
			return 0, nil, false
		}
		at := r.number() // signed, which is the same below 2³⁰ but for one more byte
		isEnd := r.byte() == wasmEnd
		data := r.take(r.number())
		if !isEnd || data == nil || at < 0 || at > wasmMost {
			return 0, nil, false
		}
		segments, to = append(segments, segment{at, data}), max(to, at+len(data))
	}
	if len(segments) == 0 || len(r.rest) > 0 {
		return 0, nil, false
	}
	from = slices.MinFunc(segments, func(a, b segment) int { return a.at - b.at }).at
	memory = make([]byte, to-from)
	for _, s := range segments {
		copy(memory[s.at-from:], s.data)
	}
	return from, memory, true
}

// appendSigned appends a number as the format has those of instructions.
func appendSigned(to []byte, n int64) []byte {
	for ; n < -64 || n > 63; n >>= 7 {
		to = append(to, byte(n)&wasmSevenOf|^byte(wasmSevenOf))
	}
	return append(to, byte(n)&wasmSevenOf)
}

// bytesOf reads; at the end it reads zeros, and numbers that cannot be.
type bytesOf struct{ rest []byte }

func (b *bytesOf) byte() byte {
	if len(b.rest) == 0 {
		return 0
	}
	out := b.rest[0]
	b.rest = b.rest[1:]
	return out
}

func (b *bytesOf) number() int {
	n, size := binary.Uvarint(b.rest)
	if size <= 0 {
		return -1
	}
	b.rest = b.rest[size:]
	return int(n)
}

// take is nil when there are not so many.
func (b *bytesOf) take(n int) []byte {
	if n < 0 || n > len(b.rest) {
		return nil
	}
	out := b.rest[:n:n]
	b.rest = b.rest[n:]
	return out
}
