package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"kubewalk/generator/book/upstream"
	"kubewalk/generator/build/assets"
	"kubewalk/generator/build/embedded"
	"kubewalk/generator/build/output"
	"kubewalk/generator/build/toolchain"
)

// pack compiles a generator for this machine that carries what it makes sites of.
func pack(p *place, out string, told io.Writer) error {
	theme, err := carry(p)
	if err != nil {
		return err
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	if err := theme.compile(out, []string{"CGO_ENABLED=0"}); err != nil {
		return err
	}
	info, err := os.Stat(out)
	if err != nil {
		return err
	}
	fmt.Fprintf(told, "%s: %.1f MB, with %d files of the theme and %d of source code\n", out, float64(info.Size())/1e6, theme.files, theme.sources)
	return nil
}

// carried is a theme as an archive, which is laid over the sources for the compiler (-overlay), so the checkout stays clean.
type carried struct {
	root, overlay  string
	files, sources int // how many there are
}

func carry(p *place) (*carried, error) {
	if !p.checkout {
		return nil, errors.New("a kubewalk that contains its theme is made of the sources: run this in a checkout of Kubewalk")
	}
	made, sources := output.NewTree(), output.NewTree()
	set, err := p.theme.Assets(made, assets.Options{Root: p.root, CEL: true})
	if err != nil {
		return nil, err
	}
	if err := p.theme.Sources(sources); err != nil {
		return nil, err
	}
	folder := filepath.Join(p.root, ".cache", "pack")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	archive := filepath.Join(folder, filepath.Base(embedded.ArchiveFile))
	if err := writeFile(archive, func(w io.Writer) error { return embedded.Write(w, set, made, sources) }); err != nil {
		return nil, err
	}
	overlay := filepath.Join(folder, "overlay.json")
	replace := map[string]map[string]string{"Replace": {filepath.Join(p.root, filepath.FromSlash(embedded.ArchiveFile)): archive}}
	if err := writeFile(overlay, func(w io.Writer) error { return json.NewEncoder(w).Encode(replace) }); err != nil {
		return nil, err
	}
	return &carried{p.root, overlay, len(made.Paths()), len(sources.Paths())}, nil
}

// compile makes the program, which an absolute path names.
func (c *carried) compile(out string, env []string) error {
	return toolchain.Build(c.root, out, "./generator", env, "-ldflags=-s -w", "-tags=embedded", "-overlay="+c.overlay)
}

func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// version says which program this is: what the compiler knows of it.
func version(out io.Writer) error {
	revision, day := "built from a copy without history", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		changed := ""
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				revision = s.Value[:min(12, len(s.Value))]
			case "vcs.time":
				day, _, _ = strings.Cut(s.Value, "T")
			case "vcs.modified":
				if s.Value == "true" {
					changed = ", changed since"
				}
			}
		}
		if day != "" {
			revision += " of " + day + changed
		}
	}
	brings := "uses the theme of the checkout that it runs in"
	if _, ok := embedded.Open(); ok {
		brings = "carries its theme"
	}
	_, err := fmt.Fprintf(out, "kubewalk %s\nKubernetes %s, %s %s/%s; %s\n", revision, upstream.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH,
		brings)
	return err
}
