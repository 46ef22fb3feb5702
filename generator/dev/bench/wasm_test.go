package main

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// sized is bytes behind their number.
func sized(parts ...string) string {
	all := strings.Join(parts, "")
	return string(binary.AppendUvarint(nil, uint64(len(all)))) + all
}

// small is a module that imports two functions and has three, of 1, 200 and 3 bytes.
func small(names string) string {
	return "\x00asm\x01\x00\x00\x00" +
		"\x02" + sized("\x02", sized("go"), sized("a"), "\x00\x05", sized("go"), sized("b"), "\x00\x05") +
		"\x0a" + sized("\x03", sized("1"), sized(strings.Repeat("2", 200)), sized("333")) +
		"\x0b" + sized("\x01data") +
		"\x00" + sized(sized("producers"), "x") +
		"\x00" + sized(sized("name"), "\x00", sized(sized("module")), "\x01", sized(names))
}

func TestReadModule(t *testing.T) {
	wasm := small("\x03" + "\x00" + sized("imported") + "\x02" + sized("first") + "\x03" + sized("second"))
	m, err := readModule([]byte(wasm))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.bodies) != 3 || len(m.bodies[1]) != 200 || string(m.bodies[2]) != "333" || string(m.data) != "\x01data" {
		t.Errorf("%q, data %q", m.bodies, m.data)
	}
	if !slices.Equal(m.names, []string{"first", "second", ""}) {
		t.Errorf("%q", m.names)
	}
	for _, broken := range []string{"", "asm", wasm[:20], wasm[:len(wasm)-3]} {
		if _, err := readModule([]byte(broken)); err == nil {
			t.Errorf("%.30q is a module", broken)
		}
	}
}

const packagesOfTest = "std runtime\nstd internal/abi\nstd encoding/json\n gopkg.in/evanphx/json-patch.v4\n" +
	" kubewalk/playground/sim\n kubewalk/playground/sim/x-y\n kubewalk/wasm\n"

func TestOwners(t *testing.T) {
	owners := newOwners(packagesOfTest)
	for name, want := range map[string]string{
		"kubewalk_playground_sim.__Kernel_.Run":            "kubewalk/playground/sim",
		"kubewalk_playground_sim_x_y.Run.func1.2":          "kubewalk/playground/sim/x-y",
		"gopkg.in_evanphx_json_patch_2ev4.Patch.Apply":     "gopkg.in/evanphx/json-patch.v4",
		"type_.eq._3_kubewalk_playground_sim.Event":        "kubewalk/playground/sim",
		"type_.eq.kubewalk_playground_sim.Event":           "kubewalk/playground/sim",
		"encoding_json.sliceEncoder_go.shape.struct___.x_": "encoding/json",
		"main.main":                          "wasm",
		"internal_abi.Name.IsExported":       "runtime",
		"memeqbody":                          "runtime",
		"":                                   "runtime",
		"kubewalk_playground_simulation.Run": "runtime",
	} {
		if got := owners.of(name); got != want {
			t.Errorf("%q is of %q, not %q", name, got, want)
		}
	}
}

func TestPrintCosts(t *testing.T) {
	m := &module{
		bodies: [][]byte{make([]byte, 3000), make([]byte, 2000), make([]byte, 1000), make([]byte, 500)},
		names:  []string{"kubewalk_playground_sim.A", "encoding_json.B", "kubewalk_playground_sim.C", "gopkg.in_evanphx_json_patch_2ev4.D"},
		data:   make([]byte, 1e6),
	}
	var out bytes.Buffer
	printCosts(&out, m, newOwners(packagesOfTest))
	for _, want := range []string{"wasm: code of Kubewalk\t4.0 kB\t\n", "wasm: code of other modules\t0.5 kB\t\n",
		"wasm: code of the standard library\t2.0 kB\t\n",
		"wasm: data\t1000.0 kB\tbrotli 0.0 kB\nwasm: kubewalk/playground/sim\t4.0 kB\tbrotli 0.0 kB\nwasm: encoding/json\t2.0 kB", "wasm: 0 smaller ones\t0.0 kB"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
