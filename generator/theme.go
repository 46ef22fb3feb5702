package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"

	"kubewalk/generator/build/assets"
	"kubewalk/generator/build/embedded"
	"kubewalk/generator/build/output"
	"kubewalk/generator/build/source"
)

// theme is what a site is made of besides the book: styles, scripts, wasm, and
// the pages of source code. In the project's checkout it is made of sources;
// elsewhere the program brings it along.
type theme interface {
	Assets(*output.Tree, assets.Options) (*assets.Set, error)
	Sources(*output.Tree) error
}

// place is where the program runs.
type place struct {
	root     string // the checkout, or the folder of somebody's book
	checkout bool
	theme    theme
}

// checkout is the theme that is made of the project's sources.
type checkout struct {
	assets.Maker
	root    string
	sources source.Pages
}

func (c *checkout) Assets(tree *output.Tree, o assets.Options) (*assets.Set, error) {
	return c.Make(tree, o)
}

func (c *checkout) Sources(tree *output.Tree) error { return c.sources.Put(tree, c.root, "playground") }

// here finds out where the program runs.
func here() (*place, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if root, ok := checkoutAround(dir); ok {
		return &place{root: root, checkout: true, theme: &checkout{root: root}}, nil
	}
	if carries, ok := embedded.Open(); ok {
		return &place{root: dir, theme: carries}, nil
	}
	return nil, errNoTheme
}

// errNoTheme is of a program that `go install` made: what a site needs is built, and no part of the module.
var errNoTheme = errors.New("this kubewalk has no theme, as it was made by go install or go build: run make kubewalk in a checkout of Kubewalk, and use bin/kubewalk")

// checkoutAround looks for the project's folder, here or above. A go.mod of
// somebody else's is none.
func checkoutAround(dir string) (string, bool) {
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(text, []byte("module kubewalk\n")) {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}
