package assets

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// esbuild puts what two parts of a page share into a file of its own, a chunk, for each set of parts. A browser learns of them
// only from the file that imports them, so a player in thirty chunks comes a journey to the host later than one in a single
// file. join puts chunks back where they are needed first: into the entry what it loads at once, and into each part that the
// entry gets by import("./part") what no other of these parts loads at once; what several of them load is one file, which the
// entry gets together with the part. All others find them there.
//
// files are by their names; meta is esbuild's description of them. What it gives has new names, the entry's among them: they
// are made of all files together, because each may name any other.
func join(files map[string][]byte, meta, entry string) (joined map[string][]byte, renamed string, err error) {
	graph, err := graphOf(meta)
	if err != nil {
		return nil, "", err
	}
	home := graph.homes(entry, !awaits(files[entry]))
	all := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(all, "%s %x\n", name, sha256.Sum256(files[name]))
	}
	hash := all.Sum(nil)
	names := map[string]string{}
	for name := range files {
		if _, ok := home[name]; ok {
			continue
		}
		own := sha256.Sum256(slices.Concat(hash, []byte(name)))
		names[name] = fmt.Sprintf("%s-%x%s", name[:strings.LastIndex(name, "-")], own[:5], path.Ext(name))
	}
	// What others take from a chunk is among its new home's exports, by another name.
	taken := map[string]map[string]bool{} // of each chunk
	for name, text := range files {
		for _, found := range imports.FindAllStringSubmatch(string(text), -1) {
			if chunk := found[2]; home[chunk] != "" && cmp.Or(home[name], name) != home[chunk] {
				if taken[chunk] == nil {
					taken[chunk] = map[string]bool{}
				}
				for _, part := range strings.Split(found[1], ",") {
					from, _, _ := strings.Cut(part, " as ")
					taken[chunk][from] = true
				}
			}
		}
	}
	number := map[string]int{}
	for i, name := range slices.Sorted(maps.Keys(home)) {
		number[name] = i
	}
	joined = map[string][]byte{}
	for name := range files {
		if _, ok := home[name]; ok {
			continue
		}
		text := string(files[name])
		if slices.Contains(slices.Collect(maps.Values(home)), name) {
			if text, err = inOne(files, home, name, taken, number); err != nil {
				return nil, "", err
			}
		}
		text = imports.ReplaceAllStringFunc(text, func(statement string) string {
			found := imports.FindStringSubmatch(statement)
			in, ok := home[found[2]]
			if !ok {
				return statement
			}
			var parts []string
			for _, part := range strings.Split(found[1], ",") {
				from, as, _ := strings.Cut(part, " as ")
				if from != "" {
					parts = append(parts, fmt.Sprintf("%s as %s", outside(number[found[2]], from), cmp.Or(as, from)))
				}
			}
			if len(parts) == 0 {
				return fmt.Sprintf("import%q", "./"+in)
			}
			return fmt.Sprintf("import{%s}from%q", strings.Join(parts, ","), "./"+in)
		})
		if name == entry {
			text = dynamic.ReplaceAllStringFunc(text, func(part string) string { return graph.together(home, entry, dynamic.FindStringSubmatch(part)[1]) })
		}
		for before, after := range names {
			text = strings.ReplaceAll(text, `"./`+before+`"`, `"./`+after+`"`)
		}
		joined[names[name]] = []byte(text)
	}
	return joined, names[entry], nil
}

// imports are the statements with which esbuild's own files, made small, load each other at once.
var imports = regexp.MustCompile(`import(?:\{([^}]*)\}from)?"\./([^"]+)"`)

var dynamic = regexp.MustCompile(`import\("\./([^"]+)"\)`)

// together is the expression that gets a part, and what that loads at once beside it. What fails then fails in the part, too.
func (g graph) together(home map[string]string, entry, part string) string {
	others := map[string]bool{}
	for name := range g.atOnce(part) {
		if name = cmp.Or(home[name], name); name != entry && name != part {
			others[name] = true
		}
	}
	get := fmt.Sprintf("import(%q)", "./"+part)
	for _, name := range slices.Sorted(maps.Keys(others)) {
		get = fmt.Sprintf("import(%q).catch(()=>0),%s", "./"+name, get)
	}
	if len(others) > 0 {
		get = "(" + get + ")"
	}
	return get
}

// outside is what an export of a chunk is called among those of the file that it is in.
func outside(chunk int, export string) string { return fmt.Sprintf("_%d%s", chunk, export) }

// inOne puts a file and the chunks that live in it into one.
func inOne(files map[string][]byte, home map[string]string, name string, taken map[string]map[string]bool, number map[string]int) (string, error) {
	var entry strings.Builder
	fmt.Fprintf(&entry, "export * from %q;\n", "./"+name)
	for _, chunk := range slices.Sorted(maps.Keys(taken)) {
		if home[chunk] != name {
			continue
		}
		for _, export := range slices.Sorted(maps.Keys(taken[chunk])) {
			if export != "" {
				fmt.Fprintf(&entry, "export { %s as %s } from %q;\n", export, outside(number[chunk], export), "./"+chunk)
			}
		}
	}
	result := api.Build(api.BuildOptions{
		Stdin: &api.StdinOptions{Contents: entry.String()}, Bundle: true, Format: api.FormatESModule, Target: api.ES2022, Charset: api.CharsetUTF8,
		LegalComments: api.LegalCommentsEndOfFile, MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, LogLevel: api.LogLevelSilent,
		Plugins: []api.Plugin{{Name: "joined", Setup: func(build api.PluginBuild) {
			build.OnResolve(api.OnResolveOptions{Filter: `^\./`}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
				file := strings.TrimPrefix(args.Path, "./")
				if args.Kind != api.ResolveJSDynamicImport && (file == name || home[file] == name) {
					return api.OnResolveResult{Path: file, Namespace: "joined"}, nil
				}
				return api.OnResolveResult{Path: args.Path, External: true}, nil
			})
			build.OnLoad(api.OnLoadOptions{Filter: ".", Namespace: "joined"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
				text := string(files[args.Path])
				return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
			})
		}}},
	})
	if len(result.Errors) > 0 {
		return "", problems(name, result.Errors)
	}
	return string(result.OutputFiles[0].Contents), nil
}

// graph is which files load which, at once and when they are needed.
type graph struct{ now, later map[string][]string }

func graphOf(meta string) (graph, error) {
	var described struct {
		Outputs map[string]struct {
			Imports []struct {
				Path, Kind string
				External   bool
			}
		}
	}
	if err := json.Unmarshal([]byte(meta), &described); err != nil {
		return graph{}, err
	}
	g := graph{map[string][]string{}, map[string][]string{}}
	for name, output := range described.Outputs {
		for _, i := range output.Imports {
			from, to := path.Base(name), path.Base(i.Path)
			switch {
			case i.External:
			case i.Kind == "dynamic-import":
				g.later[from] = append(g.later[from], to)
			case i.Kind == "import-statement":
				g.now[from] = append(g.now[from], to)
			}
		}
	}
	return g, nil
}

// atOnce is what a file loads before it does anything, itself included.
func (g graph) atOnce(name string) map[string]bool {
	all := map[string]bool{}
	var take func(string)
	take = func(name string) {
		if all[name] {
			return
		}
		all[name] = true
		for _, other := range g.now[name] {
			take(other)
		}
	}
	take(name)
	return all
}

// awaits tells whether a module waits at its top level. If that is for a part that imports the module, neither ever runs.
func awaits(module []byte) bool {
	return len(api.Transform(string(module), api.TransformOptions{Format: api.FormatIIFE, LogLevel: api.LogLevelSilent}).Errors) > 0
}

// homes tells for each chunk that is put into another file, which that is. The entry is only one if it may be imported.
func (g graph) homes(entry string, inEntry bool) map[string]string {
	home := map[string]string{}
	before := g.atOnce(entry)
	var parts []string
	for name := range before {
		if name != entry && inEntry {
			home[name] = entry
		}
		parts = append(parts, g.later[name]...)
	}
	users := map[string][]string{}
	for _, part := range slices.Compact(slices.Sorted(slices.Values(parts))) {
		for name := range g.atOnce(part) {
			if !before[name] {
				users[name] = append(users[name], part)
			}
		}
	}
	first := map[string]string{} // of the chunks that the same parts load
	for _, name := range slices.Sorted(maps.Keys(users)) {
		by := users[name]
		if slices.Contains(parts, name) {
			continue
		}
		if len(by) == 1 {
			home[name] = by[0]
			continue
		}
		key := strings.Join(by, " ")
		if first[key] == "" {
			first[key] = name
		} else {
			home[name] = first[key]
		}
	}
	return home
}
