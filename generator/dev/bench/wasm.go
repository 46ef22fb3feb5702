package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"kubewalk/generator/build/assets"
)

// shownPackages is how many packages are listed.
const shownPackages = 40

// packageCosts prints what each Go package adds to the control plane's WebAssembly: the bodies of its functions, and what
// those are compressed alone. Data (types, strings, the tables by which the runtime finds functions) cannot be told apart.
func packageCosts(table io.Writer, root string) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "named.wasm")
	if err := assets.CompileNamed(root, file); err != nil {
		return err
	}
	wasm, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	list := exec.Command("go", "list", "-deps", "-f", "{{if .Standard}}std{{end}} {{.ImportPath}}", "./wasm")
	list.Dir, list.Env = root, append(os.Environ(), assets.WasmEnv...)
	text, err := list.Output()
	if err != nil {
		return fmt.Errorf("%v: %w", list.Args, err)
	}
	m, err := readModule(wasm)
	if err != nil {
		return err
	}
	printCosts(table, m, newOwners(string(text)))
	return nil
}

func printCosts(table io.Writer, m *module, owners *owners) {
	code := map[string][]byte{} // by package
	for i, body := range m.bodies {
		owner := owners.of(m.names[i])
		code[owner] = append(code[owner], body...)
	}
	groups := map[string]int{}
	for name, bodies := range code { // order: sums
		groups[owners.group(name)] += len(bodies)
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		fmt.Fprintf(table, "wasm: code of %s\t%s\t\n", group, kilo(groups[group]))
	}
	fmt.Fprintf(table, "wasm: data\t%s\tbrotli %s\n", kilo(len(m.data)), kilo(brotlied(m.data)))
	heaviest := func(a, b string) int { return cmp.Or(cmp.Compare(len(code[b]), len(code[a])), cmp.Compare(a, b)) }
	names := slices.SortedFunc(maps.Keys(code), heaviest)
	for _, name := range names[:min(shownPackages, len(names))] {
		fmt.Fprintf(table, "wasm: %s\t%s\tbrotli %s\n", name, kilo(len(code[name])), kilo(brotlied(code[name])))
	}
	rest := 0
	for _, name := range names[min(shownPackages, len(names)):] {
		rest += len(code[name])
	}
	fmt.Fprintf(table, "wasm: %d smaller ones\t%s\t\n", max(len(names)-shownPackages, 0), kilo(rest))
}

// module is what a WebAssembly module holds, as far as its size is asked for.
type module struct {
	bodies [][]byte // of the functions
	names  []string // of those; "" for one that has none
	data   []byte   // the section
}

var errModule = errors.New("not a WebAssembly module")

// readModule reads the sections of a module: https://webassembly.github.io/spec/core/binary/modules.html, and the names of
// functions in the custom section "name" (appendix/custom.html).
func readModule(wasm []byte) (m *module, err error) {
	defer func() { // whatever is missing is missed by an index
		if recover() != nil {
			m, err = nil, errModule
		}
	}()
	if !bytes.HasPrefix(wasm, []byte("\x00asm\x01\x00\x00\x00")) {
		return nil, errModule
	}
	m = &module{}
	imported, names := 0, map[int]string{}
	for r := reader(wasm[8:]); len(r) > 0; {
		id := r.take(1)[0]
		section := reader(r.sized())
		switch id {
		case 0:
			if string(section.sized()) == "name" {
				names = functionNames(section)
			}
		case 2:
			imported = importedFunctions(section)
		case 10:
			for range section.number() {
				m.bodies = append(m.bodies, section.sized())
			}
		case 11:
			m.data = section
		}
	}
	m.names = make([]string, len(m.bodies))
	for i := range m.names {
		m.names[i] = names[imported+i]
	}
	return m, nil
}

// importedFunctions come first when functions are counted.
func importedFunctions(section reader) (n int) {
	for range section.number() {
		section.sized() // module
		section.sized() // name
		if kind := section.take(1)[0]; kind != 0 {
			panic(errModule) // Go imports nothing but functions
		}
		section.number() // type
		n++
	}
	return n
}

func functionNames(section reader) map[int]string {
	out := map[int]string{}
	for len(section) > 0 {
		id := section.take(1)[0]
		part := reader(section.sized())
		if id != 1 {
			continue
		}
		for range part.number() {
			index := part.number()
			out[index] = string(part.sized())
		}
	}
	return out
}

// reader is what is left to read.
type reader []byte

func (r *reader) take(n int) []byte {
	out := (*r)[:n]
	*r = (*r)[n:]
	return out
}

// number is in LEB128.
func (r *reader) number() int {
	n, size := binary.Uvarint(*r)
	r.take(size)
	return int(n)
}

// sized is what follows its own size.
func (r *reader) sized() []byte { return r.take(r.number()) }

// owners tells of which package a function is, by the name that the linker gave it.
type owners struct {
	packages   map[string]string // by the name as linked
	isStandard map[string]bool
}

// newOwners reads a list of packages, each with "std" in front when it is of the standard library.
func newOwners(list string) *owners {
	o := &owners{map[string]string{}, map[string]bool{}}
	for line := range strings.Lines(list) {
		kind, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		o.packages[linked(path)] = path
		o.isStandard[path] = kind == "std"
	}
	o.packages["main"] = "wasm"
	return o
}

var unnamed = regexp.MustCompile(`[^\w.]`)

// linked is a package's path in the names of functions: dots in its last part are escaped (cmd/internal/objabi/path.go,
// PathToPrefix), and what WebAssembly's tools do not like is "_" (cmd/link/internal/wasm/asm.go, nameRegexp).
func linked(path string) string {
	folder, last := "", path
	if at := strings.LastIndexByte(path, '/'); at >= 0 {
		folder, last = path[:at+1], path[at+1:]
	}
	return unnamed.ReplaceAllString(folder+strings.ReplaceAll(last, ".", "%2e"), "_")
}

// ofTypes is in front of functions that the compiler makes for types, and for arrays of them.
var ofTypes = regexp.MustCompile(`^type_\.\.?(eq|hash)\.(_\d+_)*`)

// of is the package of a function. Those in assembler, and the linker's own, count as the runtime's; so does what the runtime consists of.
func (o *owners) of(function string) string {
	name := ofTypes.ReplaceAllString(function, "")
	for at := len(name); at >= 0; at = strings.LastIndexByte(name[:at], '.') {
		path, ok := o.packages[name[:at]]
		switch {
		case !ok:
		case path == "runtime" || strings.HasPrefix(path, "runtime/") || strings.HasPrefix(path, "internal/"):
			return "runtime"
		default:
			return path
		}
	}
	return "runtime"
}

// group is what a package belongs to.
func (o *owners) group(path string) string {
	switch {
	case path == "runtime" || o.isStandard[path]:
		return "the standard library"
	case path == "wasm" || strings.HasPrefix(path, "kubewalk/"):
		return "Kubewalk"
	}
	return "other modules"
}
