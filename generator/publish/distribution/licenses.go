package distribution

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"kubewalk/generator/build/assets"
	"kubewalk/generator/build/toolchain"
)

// patterns are of files whose text goes with a program that contains the code beside them.
var patterns = []string{"*LICENSE*", "COPYING*", "NOTICE*", "PATENTS*", "licenses/*", "fonts/OFL.txt"}

// Notices are the licences of all that a target's program contains besides Kubewalk itself: Go, the modules, and what packages
// of ours carry of others. root is the checkout. The go command says what there is, so none is forgotten; a module without
// a licence is an error.
func Notices(root string, t Target) ([]byte, error) {
	return notices(root, map[string][]string{"./generator": t.Environment(), "./wasm": assets.WasmEnv})
}

// ModuleNotices are those for the npm package.
func ModuleNotices(root string) ([]byte, error) {
	return notices(root, map[string][]string{"./wasm/cluster": assets.WasmEnv})
}

// own is this project's module, whose licence the archive has as LICENSE.
const own = "kubewalk"

// notices are the licences of what packages need, each in its environment.
func notices(root string, packages map[string][]string) ([]byte, error) {
	golang, err := toolchain.Root()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := add(&out, "Go", filepath.Join(golang, "LICENSE")); err != nil {
		return nil, err
	}
	files := map[string][]string{}   // by module
	for pkg, env := range packages { // order: files are sorted
		if err := licenses(root, pkg, env, files); err != nil {
			return nil, err
		}
	}
	for _, module := range slices.Sorted(maps.Keys(files)) {
		slices.Sort(files[module])
		list := slices.Compact(files[module])
		if len(list) == 0 && module != own {
			return nil, fmt.Errorf("module %s has no file with a licence, so no program that contains it can be handed out", module)
		}
		for _, name := range list {
			if err := add(&out, module+": "+filepath.Base(name), name); err != nil {
				return nil, err
			}
		}
	}
	return out.Bytes(), nil
}

// licenses finds the files with licences, for each module of which a package needs something. They lie in the folders of
// packages and above, up to the module's.
func licenses(root, pkg string, env []string, files map[string][]string) error {
	command := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.Module.Path}}\t{{.Module.Dir}}\t{{.Dir}}{{end}}", pkg)
	command.Dir, command.Env = root, append(os.Environ(), env...)
	var said bytes.Buffer
	command.Stderr = &said
	text, err := command.Output()
	if err != nil {
		return fmt.Errorf("go list %s: %w\n%s", pkg, err, bytes.TrimSpace(said.Bytes()))
	}
	for line := range strings.Lines(string(text)) {
		of := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(of) != 3 {
			continue
		}
		module, top := of[0], of[1]
		files[module] = append(files[module], found(root, top, of[2])...)
	}
	return nil
}

func found(root, top, dir string) (out []string) {
	for dir != root { // whose licence the archive has as LICENSE
		for _, pattern := range patterns {
			names, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
			out = append(out, slices.DeleteFunc(names, func(name string) bool { return filepath.Ext(name) == ".go" })...)
		}
		if dir == top {
			break
		}
		dir = filepath.Dir(dir)
	}
	return out
}

// add puts a text below a line that says whose it is.
func add(out *bytes.Buffer, whose, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "==== %s ====\n\n%s\n\n\n", whose, bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))))
	return nil
}
