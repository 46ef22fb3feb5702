package sitebuild

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	"kubewalk/generator/book/regularfile"
	"kubewalk/generator/build/demos"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/output"
	"kubewalk/generator/build/releases"
	"kubewalk/generator/problem"
	"kubewalk/playground/demo/scenario"
)

// engine is a demo's, with one control plane.
type engine struct{ wasm, name string }

// nameEngines finds what links to the demos say of how they run.
func (b *build) nameEngines() error {
	known := b.cache.engines
	b.engines, b.cache.engines = map[string]string{}, map[*demos.Demo]engine{}
	var problems problem.List
	for name, d := range b.demos { // order: each on its own
		e, ok := known[d]
		if wasm := b.wasmHash(d.CEL); (!ok || e.wasm != wasm) && wasm != "" {
			text, err := d.Text("scenario.json")
			var s scenario.Scenario
			if err == nil {
				err = json.Unmarshal(text, &s)
			}
			if err != nil {
				problems.AddError(fmt.Errorf("demo %q: %w", name, err))
				continue
			}
			e = engine{wasm, releases.Engine(wasm, &s)}
		}
		b.engines[name], b.cache.engines[d] = e.name, e
	}
	return problems.Err()
}

// keptRelease is an archive of content/releases as it was read last.
type keptRelease struct {
	file     string
	modified time.Time
	size     int64
	release  *releases.Release
	files    *output.Tree
}

// readReleases reads the releases that the book keeps; an archive that was not written since the last build is not read again.
func (b *build) readReleases() error {
	known := b.cache.releases
	b.cache.releases = map[string]keptRelease{}
	archives, err := filepath.Glob(filepath.Join(b.options.Content, releases.Folder, "*.zip"))
	if err != nil {
		return err
	}
	var problems problem.List
	fileOf := map[string]string{} // by ID
	for _, file := range archives {
		info, err := os.Stat(file)
		if err != nil {
			problems.AddError(err)
			continue
		}
		k := known[file]
		if k.release == nil || !k.modified.Equal(info.ModTime()) || k.size != info.Size() {
			k = keptRelease{file: filepath.ToSlash(file), modified: info.ModTime(), size: info.Size()}
			data, err := regularfile.Read(b.options.Content, file)
			if err == nil {
				k.release, k.files, err = releases.Read(k.file, data)
			}
			if err != nil {
				problems.AddError(err)
				continue
			}
		}
		if first := fileOf[k.release.ID]; first != "" {
			problems.Add(problem.Problem{File: k.file, Message: fmt.Sprintf("file is the same release as %s", first), Cure: "remove one of them"})
			continue
		}
		fileOf[k.release.ID] = path.Base(k.file)
		b.cache.releases[file] = k
		b.releases = append(b.releases, k)
	}
	return problems.Err()
}

// putReleases puts them into the tree, and the index by which pages find them. What is made of pages, such as the search, knows nothing of them.
func (b *build) putReleases() error {
	if !b.hasDemos() || b.options.Portable {
		return nil
	}
	all := []*releases.Release{}
	for _, k := range b.releases {
		all = append(all, k.release)
		for _, name := range k.files.Paths() {
			data, _ := k.files.Get(name)
			b.tree.Put(path.Join(headers.Releases, k.release.ID, name), data)
		}
	}
	b.tree.Put(headers.ReleasesIndex, releases.Index(all))
	return nil
}
