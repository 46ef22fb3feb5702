package assets

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// In the data of a WebAssembly that Go made is a table of all functions, by which the runtime finds what belongs to an
// address: half a megabyte, compressed. Where code, record and name of a function are is told from the beginning. Told from
// the function before, most of these numbers are small or equal, and a sixth of the table is saved. The worker
// undoes that (site/widgets/runs/table.ts): what is run is what Go has made.

// tableMagic begins what is packed so; the place, the number of functions and the size follow, and then the WebAssembly.
const tableMagic = "\x00kw1"

// Of the runtime's pcHeader and moduledata (src/runtime/symtab.go), in bytes.
const (
	pcMagic    = "\xf1\xff\xff\xff\x00\x00\x01\x08" // of Go 1.20 and later, addresses counted by one, with pointers of eight bytes
	pcCount    = 8                                  // the number of functions
	pcTable    = 64                                 // where their table begins
	pcHead     = 72
	entryBytes = 8 // of the table: where the code begins, and where the record
	nameAt     = 4 // in a record, behind where the code begins
	fixedBytes = 8 // of a record that are looked at
)

// packed returns a WebAssembly with its table of functions in differences, or as it is if no such table is found.
func packed(wasm []byte) []byte {
	for at := 0; ; at++ {
		next := bytes.Index(wasm[at:], []byte(pcMagic))
		if next < 0 {
			return wasm
		}
		at += next
		if start, n, size := tableAt(wasm, at); size > 0 {
			out := []byte(tableMagic)
			for _, number := range []int{start, n, size} {
				out = binary.LittleEndian.AppendUint32(out, uint32(number))
			}
			table := slices.Clone(wasm[start : start+size])
			differ(table, n)
			return slices.Concat(out, wasm[:start], table, wasm[start+size:])
		}
	}
}

// tableAt finds the table of a pcHeader. Its size is 0 if that is none.
func tableAt(wasm []byte, at int) (start, n, size int) {
	if at+pcHead > len(wasm) {
		return 0, 0, 0
	}
	count := binary.LittleEndian.Uint64(wasm[at+pcCount:])
	offset := binary.LittleEndian.Uint64(wasm[at+pcTable:])
	rest := uint64(len(wasm) - at)
	if count == 0 || count > rest/entryBytes || offset > rest-count*entryBytes {
		return 0, 0, 0
	}
	start, n = at+int(offset), int(count)
	table := wasm[start:]
	size = n * entryBytes
	for i := range n {
		record := int(binary.LittleEndian.Uint32(table[i*entryBytes+4:]))
		if record < size || record+fixedBytes > len(table) {
			return 0, 0, 0
		}
		size = record + fixedBytes // the next one comes after it
	}
	return start, n, size
}

// differ puts differences in place of numbers.
func differ(table []byte, n int) {
	var code, record, name uint32
	get, put := binary.LittleEndian.Uint32, binary.LittleEndian.PutUint32
	for entry := range slices.Chunk(table[:n*entryBytes], entryBytes) {
		beforeCode, beforeRecord, beforeName := code, record, name
		code, record = get(entry), get(entry[4:])
		name = get(table[record+nameAt:])
		put(table[record:], get(table[record:])-code)
		put(table[record+nameAt:], name-beforeName)
		put(entry, code-beforeCode)
		put(entry[4:], record-beforeRecord)
	}
}
