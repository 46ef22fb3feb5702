package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"kubewalk/generator/build/output"
)

// browser prints what a browser takes for the largest demos: site/tests/bench.mjs,
// on the book that was built. Where there is no browser it says so.
func browser(table io.Writer, tree *output.Tree) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	site := filepath.Join(dir, "site")
	if err := tree.Write(site); err != nil {
		return err
	}
	command := exec.Command("node", "site/tests/bench.mjs")
	command.Env = append(os.Environ(), "SITE="+site)
	command.Stderr = os.Stderr
	text, err := command.Output()
	if _, printed := table.Write(text); printed != nil {
		return printed
	}
	if err != nil {
		fmt.Fprintf(table, "in a browser\tnot measured\t%v\n", err)
	}
	return nil
}
