package assets

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"
)

// segmented is a module that exports two pages of memory, with its data in segments that are in no order.
var segmented = slices.Concat([]byte("\x00asm\x01\x00\x00\x00"),
	[]byte{0, 5, 1, 'n', 1, 2, 3},                 // a custom section
	[]byte{5, 3, 1, 0, 2},                         // memory
	[]byte{7, 5, 1, 1, 'm', 2, 0},                 // its export
	[]byte{11, 35, 4},                             // data
	[]byte{0, 0x41, 0xc0, 0x00, 0x0b, 3, 7, 8, 9}, // at 64, in two bytes: its sign
	[]byte{0, 0x41, 0x80, 0x80, 0x04, 0x0b, 2, 5, 6},
	[]byte{0, 0x41, 0x10, 0x0b, 1, 4},
	[]byte{0, 0x41, 0xc3, 0x00, 0x0b, 4, 1, 0, 0, 2}, // next to the first
)

// memory is what a module makes of its own when it begins.
func memory(t *testing.T, wasm []byte) []byte {
	t.Helper()
	runtime := wazero.NewRuntimeWithConfig(context.Background(), wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { runtime.Close(context.Background()) })
	module, err := runtime.Instantiate(context.Background(), wasm)
	if err != nil {
		t.Fatal(err)
	}
	data, _ := module.ExportedMemory("m").Read(0, module.ExportedMemory("m").Size())
	return slices.Clone(data)
}

func TestWhole(t *testing.T) {
	one, err := whole(segmented)
	if err != nil {
		t.Fatal(err)
	}
	before := memory(t, segmented)
	if !bytes.Contains(before, []byte{7, 8, 9, 1, 0, 0, 2}) || before[1<<16] != 5 {
		t.Fatal("the test's module has no data")
	}
	if !bytes.Equal(memory(t, one), before) {
		t.Error("the data are others in one segment")
	}
	head := 8 + 7 + 5 + 7
	if !bytes.Equal(one[:head], segmented[:head]) {
		t.Error("other sections have changed")
	}
	if again, err := whole(one); err != nil || !bytes.Equal(again, one) {
		t.Errorf("what is in one segment changes again: %v", err)
	}
	for n := range segmented {
		if _, err := whole(segmented[:n]); err == nil && n > 8 && n != 15 && n != 20 && n != 27 {
			t.Errorf("the first %d bytes are no module, and nobody says so", n)
		}
	}
}
