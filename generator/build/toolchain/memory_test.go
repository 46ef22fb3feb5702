package toolchain

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A program that comes to need 64 MB, and prints it when its memory has grown.
const hungry = `package main

import "fmt"

func main() {
	var all [][]byte
	sum := 0
	for range 1024 {
		piece := make([]byte, 64<<10)
		for i := range piece {
			piece[i] = 1
		}
		all = append(all, piece)
	}
	for _, piece := range all {
		sum += len(piece)
	}
	fmt.Println(sum)
}
`

// The runtime's text may change with a new version of Go: then this says so, and growth and largerGrowth have to be said anew.
func TestMemoryGrowsInLargerSteps(t *testing.T) {
	dir := t.TempDir()
	flag, ok, err := LargerGrowth(filepath.Join(dir, "overlay"))
	if err != nil || !ok {
		t.Fatalf("this version of Go asks for memory in another way: %v", err)
	}
	for name, text := range map[string]string{"go.mod": "module x\n\ngo 1.26\n", "main.go": hungry} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	// Go's own glue for Node, with a count of how often it is told that the memory has grown.
	glue, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec_node.js"))
	if err != nil {
		t.Fatal(err)
	}
	counting := strings.Replace(string(glue), "const go = new Go();", `const go = new Go();
let grown = 0;
const told = go.importObject.gojs["runtime.resetMemoryDataView"];
go.importObject.gojs["runtime.resetMemoryDataView"] = (sp) => { grown++; told(sp); };
process.on("exit", () => console.log(grown));`, 1)
	counting = strings.ReplaceAll(counting, `require("./wasm_exec")`, `require(`+strconv.Quote(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))+`)`)
	program := filepath.Join(dir, "run.js")
	if err := os.WriteFile(program, []byte(counting), 0o644); err != nil {
		t.Fatal(err)
	}
	times := func(flags ...string) int {
		t.Helper()
		out := filepath.Join(dir, "x.wasm")
		if err := Build(dir, out, ".", []string{"GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0"}, flags...); err != nil {
			t.Fatal(err)
		}
		text, err := exec.Command("node", program, out).CombinedOutput()
		said := strings.Fields(string(text))
		if err != nil || len(said) != 2 || said[0] != strconv.Itoa(64<<20) {
			t.Fatalf("%v: %s", err, text)
		}
		n, err := strconv.Atoi(said[1])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if before, after := times(), times(flag); after > 8 || before < 10*after {
		t.Errorf("the memory grew %d times, and %d times in larger steps", before, after)
	}
}

// Builds beside each other share the folder: what one reads is never half written by another.
func TestOverlayIsNeverThereInPart(t *testing.T) {
	folder := t.TempDir()
	if _, ok, err := LargerGrowth(folder); err != nil || !ok {
		t.Fatal(ok, err)
	}
	file := filepath.Join(folder, "mem_wasm.go")
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var builds sync.WaitGroup
	for range 8 {
		builds.Go(func() {
			for range 20 {
				if _, _, err := LargerGrowth(folder); err != nil {
					t.Error(err)
				}
				if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%d bytes of %d (%v)", len(got), len(want), err)
					return
				}
			}
		})
	}
	builds.Wait()
}
