package toolchain

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

// growth is how Go's runtime asks for more of WebAssembly's memory: by half a megabyte at a time (heapArenaBytes). For each of
// these calls V8 makes a new ArrayBuffer of all the memory and takes the old one for garbage of that size, so it collects
// its own garbage, wholly: hundreds of times in a run that needs 150 MB. What replaces it asks for a quarter of what there
// is, and 16 MB at least. Memory that nobody has written to takes no room in the machine.
const (
	growth = `		grow := (bl + n - blocMax) / physPageSize
		size := growMemory(int32(grow))
		if size < 0 {
			return nil
		}
		resetMemoryDataView()
		blocMax = bl + n
`
	largerGrowth = `		need := bl + n - blocMax
		step := memRound(max(need, blocMax/4, 16<<20))
		if growMemory(int32(step/physPageSize)) < 0 {
			step = need
			if growMemory(int32(step/physPageSize)) < 0 {
				return nil
			}
		}
		resetMemoryDataView()
		blocMax += step
`
)

// LargerGrowth is the flag with which Go builds a program for js/wasm whose memory grows in larger steps. It lays one changed
// file over the runtime's, which it puts into a folder beside the list of such files. ok is false if the runtime is not
// the one that this knows; then the program works as well, but slower.
func LargerGrowth(folder string) (flag string, ok bool, err error) {
	root, err := Root()
	if err != nil {
		return "", false, err
	}
	original := filepath.Join(root, "src", "runtime", "mem_wasm.go")
	source, err := os.ReadFile(original)
	if err != nil || bytes.Count(source, []byte(growth)) != 1 {
		return "", false, nil
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return "", false, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", false, err
	}
	changed, overlay := filepath.Join(folder, "mem_wasm.go"), filepath.Join(folder, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
	if err != nil {
		return "", false, err
	}
	if err := keep(changed, bytes.Replace(source, []byte(growth), []byte(largerGrowth), 1)); err != nil {
		return "", false, err
	}
	return "-overlay=" + overlay, true, keep(overlay, list)
}

// keep has a file hold this. Another build may be reading it, so it is never there in part.
func keep(file string, data []byte) error {
	if there, err := os.ReadFile(file); err == nil && bytes.Equal(there, data) {
		return nil
	}
	fresh, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	_, err = fresh.Write(data)
	if err = errors.Join(err, fresh.Close()); err == nil {
		err = os.Rename(fresh.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(fresh.Name()))
	}
	return nil
}
