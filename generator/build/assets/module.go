package assets

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"kubewalk/generator/build/compressed"
	"kubewalk/generator/build/output"
	"kubewalk/generator/problem"
)

// Where the module's sources are, and what is made of them on the way.
const (
	moduleFolder  = "site/npm"
	modulePackage = "./wasm/cluster"
	moduleCache   = ".cache/kubewalk-cluster.wasm"
	// ModuleWasm is the control plane in the module's folder.
	ModuleWasm = "kubewalk.wasm" + compressed.ZstdExt
)

// moduleEntries are the module's scripts; the workers have Go's own glue for the wasm in them.
var moduleEntries = []struct {
	entry, file string
	isWorker    bool
}{{"browser.ts", "browser.js", false}, {"node.ts", "node.js", false}, {"worker.ts", "worker.js", true}, {"worker.node.ts", "worker.node.js", true}}

// Module makes the module for programs in JavaScript, but for its licences: an npm package.
func (m *Maker) Module(root string) (*output.Tree, error) {
	tree := output.NewTree()
	glue, err := glue()
	if err != nil {
		return nil, err
	}
	var problems problem.List
	for _, e := range moduleEntries {
		script, err := moduleScript(root, e.entry)
		problems.AddError(err)
		if e.isWorker {
			script = slices.Concat(script, []byte("\n"), glue)
		}
		tree.Put(e.file, script)
	}
	problems.AddError(declarations(tree, root))
	for name, from := range map[string]string{"package.json": moduleFolder + "/package.json", "README.md": "docs/npm.md"} {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(from)))
		problems.AddError(err)
		tree.Put(name, data)
	}
	if problems.Err() != nil {
		return nil, problems.Err()
	}
	wasm, err := compile(root, moduleCache, modulePackage)
	if err != nil {
		return nil, err
	}
	zst, err := compress(root, wasm)
	tree.Put(ModuleWasm, zst)
	return tree, err
}

// moduleScript bundles one of the module's scripts, readable.
func moduleScript(root, entry string) ([]byte, error) {
	entry = moduleFolder + "/" + entry
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: root,
		EntryPoints:   []string{entry},
		Outfile:       "out.js",
		Bundle:        true,
		Format:        api.FormatESModule,
		Target:        api.ES2022,
		Charset:       api.CharsetUTF8,
		LegalComments: api.LegalCommentsEndOfFile,
		External:      []string{"node:*"},
		LogLevel:      api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		return nil, problems(entry, result.Errors)
	}
	return result.OutputFiles[0].Contents, nil
}

const moduleTypes = `export type * from "./types/api.js";
export declare const createCluster: import("./types/api.js").CreateCluster;
`

var (
	imported = regexp.MustCompile(`(?m)^((?:import|export) type [^;]* from )"(\.[^"]+)";$`)
	constant = regexp.MustCompile(`(?ms)^export const (\w+) = ([\[{].*?^[\]}]) as const;$`)
	value    = regexp.MustCompile(`(?m)^export const (\w+) = (\S+);`)
)

// declarations puts the module's types: its own, and those that they import, each file beside the others. What they hold besides types,
// lists and numbers, becomes the type of it.
func declarations(tree *output.Tree, root string) error {
	tree.Put("index.d.ts", []byte(moduleTypes))
	var add func(file string) error
	add = func(file string) error {
		name := "types/" + strings.TrimSuffix(path.Base(file), ".ts") + ".d.ts"
		if _, ok := tree.Get(name); ok {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return err
		}
		var needs []string
		text := imported.ReplaceAllStringFunc(string(data), func(line string) string {
			found := imported.FindStringSubmatch(line)
			needs = append(needs, path.Join(path.Dir(file), found[2]+".ts"))
			return fmt.Sprintf("%s\"./%s.js\";", found[1], path.Base(found[2]))
		})
		text = constant.ReplaceAllStringFunc(text, func(whole string) string {
			found := constant.FindStringSubmatch(whole)
			if strings.HasPrefix(found[2], "[") {
				found[2] = "readonly " + found[2]
			}
			return fmt.Sprintf("export declare const %s: %s;", found[1], found[2])
		})
		text = value.ReplaceAllString(text, "export declare const $1: $2;")
		tree.Put(name, []byte(text))
		for _, need := range needs {
			if err := add(need); err != nil {
				return err
			}
		}
		return nil
	}
	return add(moduleFolder + "/api.ts")
}
