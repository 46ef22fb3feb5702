package assets

import (
	"bytes"
	"encoding/binary"
	"flag"
	"os"
	"slices"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the files in testdata anew")

// tabled is something with a table of three functions in it, as Go's linker lays it out, and something behind that is none.
func tabled() []byte {
	head := binary.LittleEndian.AppendUint64([]byte(pcMagic), 3)
	head = slices.Concat(head, make([]byte, pcTable-len(head)))
	head = binary.LittleEndian.AppendUint64(head, pcHead)
	var table []byte
	for _, n := range []uint32{
		4096, 28, 4097, 40, 5000, 48, 5001, // code and record of each, and where the code ends
		4096, 17, 0xffffffff, // code, name, and more
		4097, 5,
		5000, 900, 1, 2, 3,
	} {
		table = binary.LittleEndian.AppendUint32(table, n)
	}
	return slices.Concat([]byte("\x00asm, more or less; "), []byte(pcMagic), []byte("is no table yet, but this is: "), head, table,
		[]byte(pcMagic), bytes.Repeat([]byte{0xff}, 80))
}

// The worker (site/widgets/runs/zstd.test.ts) makes the one file of the other.
func TestPacked(t *testing.T) {
	plain := tabled()
	small := packed(plain)
	if !bytes.HasPrefix(small, []byte(tableMagic)) || len(small) != len(plain)+16 {
		t.Fatalf("no table was found: %q", small)
	}
	at := bytes.Index(small, []byte("this is: ")) + len("this is: ") + pcHead
	want := []uint32{4096, 28, 1, 12, 903, 8, 5001, 0, 17, 0xffffffff, 0, 5 - 17 + 1<<32, 0, 895, 1, 2, 3}
	for i, n := range want {
		if got := binary.LittleEndian.Uint32(small[at+4*i:]); got != n {
			t.Errorf("the number %d is %d, want %d", i, got, n)
		}
	}
	for name, data := range map[string][]byte{"plain": plain, "packed": small} {
		file := "testdata/table." + name
		if *rewrite {
			if err := os.WriteFile(file, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if was, err := os.ReadFile(file); err != nil || !bytes.Equal(was, data) {
			t.Errorf("%s is not what is made now (%v); go test ./generator/build/assets -rewrite", file, err)
		}
	}
}

func TestPackedLeavesOthers(t *testing.T) {
	for n := range tabled() {
		plain := tabled()[:n]
		if small := packed(plain); !bytes.Equal(small, plain) && !bytes.HasPrefix(small, []byte(tableMagic)) {
			t.Fatalf("the first %d bytes become %q", n, small)
		}
	}
	// A record that lies before the one of the function before is in no table of Go's.
	broken := tabled()
	at := bytes.Index(broken, []byte("this is: ")) + len("this is: ") + pcHead
	binary.LittleEndian.PutUint32(broken[at+entryBytes+4:], 28)
	if !bytes.Equal(packed(broken), broken) {
		t.Error("what is no table is taken for one")
	}
}
