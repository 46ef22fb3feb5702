package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"kubewalk/generator/publish/archive"
	"kubewalk/generator/publish/distribution"
)

// sumsFile has the checksums of the archives of one run.
const sumsFile = "SHA256SUMS"

// distribute compiles what pack compiles for one system or all, and writes archives. The same commit and the same version of Go
// make the same bytes, wherever they do.
func distribute(_ context.Context, p *place, f flags, _ []string, told io.Writer) error {
	targets, err := distribution.Parse(f.targets)
	if err != nil {
		return err
	}
	theme, err := carry(p)
	if err != nil {
		return err
	}
	license, err := os.ReadFile(filepath.Join(p.root, "LICENSE"))
	if err != nil {
		return err
	}
	dir := cmp.Or(f.out, "release")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	written := map[string][]byte{}
	for _, t := range targets {
		fmt.Fprintf(told, "compiling kubewalk for %s\n", t)
		notices, err := distribution.Notices(p.root, t)
		if err != nil {
			return err
		}
		program := filepath.Join(p.root, ".cache", "pack", t.OS+"-"+t.Arch, t.Program())
		if err := theme.compile(program, t.Environment()); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		data, err := os.ReadFile(program)
		if err != nil {
			return err
		}
		if written[t.Archive()], err = t.Pack(data, license, notices); err != nil {
			return err
		}
		file := filepath.Join(dir, t.Archive())
		if err := os.WriteFile(file, written[t.Archive()], 0o644); err != nil {
			return err
		}
		fmt.Fprintf(told, "%s (%.1f MB)\n", filepath.ToSlash(file), float64(len(written[t.Archive()]))/1e6)
	}
	file := filepath.Join(dir, sumsFile)
	if err := os.WriteFile(file, archive.Sums(written), 0o644); err != nil {
		return err
	}
	fmt.Fprintln(told, filepath.ToSlash(file))
	return nil
}
