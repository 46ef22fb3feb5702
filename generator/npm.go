package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"kubewalk/generator/build/assets"
	"kubewalk/generator/publish/distribution"
)

// writeModule writes the npm package: a cluster for programs in JavaScript.
func writeModule(_ context.Context, p *place, f flags, _ []string, out io.Writer) error {
	if !p.checkout {
		return errors.New("the npm package is made of the sources: run this in a checkout of Kubewalk")
	}
	dir := cmp.Or(f.out, filepath.Join("release", "npm"))
	tree, err := new(assets.Maker).Module(p.root)
	if err != nil {
		return err
	}
	license, err := os.ReadFile(filepath.Join(p.root, "LICENSE"))
	if err != nil {
		return err
	}
	notices, err := distribution.ModuleNotices(p.root)
	if err != nil {
		return err
	}
	tree.Put("LICENSE", license)
	tree.Put("NOTICES.txt", notices)
	for _, name := range tree.Paths() {
		data, _ := tree.Get(name)
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
	}
	wasm, _ := tree.Get(assets.ModuleWasm)
	fmt.Fprintf(out, "%s: %d files, the control plane %.1f MB\n", filepath.ToSlash(dir), len(tree.Paths()), float64(len(wasm))/1e6)
	return nil
}
