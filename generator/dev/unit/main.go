// Command unit runs the unit tests of the site's TypeScript: esbuild bundles
// each site/**/*.test.ts, and Node's own test runner runs what comes out.
//
//	go run ./generator/dev/unit [NAME …]    tests whose path contains a NAME
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// out is where the bundles go; they are made anew each time.
const out = ".cache/unit"

func main() {
	if err := run(os.Args[1:]); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) { // Node has said it already
			fmt.Fprintln(os.Stderr, "unit:", err)
		}
		os.Exit(1)
	}
}

func run(names []string) error {
	tests, err := find("site", names)
	if err != nil {
		return err
	}
	if len(tests) == 0 {
		return fmt.Errorf("no test in site/**/*.test.ts matches %q", names)
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	result := api.Build(api.BuildOptions{
		EntryPoints:  tests,
		Outbase:      ".",
		Outdir:       out,
		OutExtension: map[string]string{".js": ".mjs"},
		Bundle:       true,
		Write:        true,
		Platform:     api.PlatformNode,
		Format:       api.FormatESModule,
		Target:       api.ES2022,
		Sourcemap:    api.SourceMapInline,
		Loader:       map[string]api.Loader{".css": api.LoaderEmpty, ".svg": api.LoaderText},
		LogLevel:     api.LogLevelInfo,
	})
	if len(result.Errors) > 0 {
		return errors.New("the tests could not be bundled")
	}
	arguments := []string{"--enable-source-maps", "--test"}
	for _, test := range tests {
		arguments = append(arguments, filepath.Join(out, strings.TrimSuffix(test, ".ts")+".mjs"))
	}
	node := exec.Command("node", arguments...)
	node.Stdout, node.Stderr = os.Stdout, os.Stderr
	return node.Run()
}

func find(root string, names []string) (tests []string, err error) {
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".test.ts") {
			return err
		}
		wanted := len(names) == 0
		for _, name := range names {
			wanted = wanted || strings.Contains(file, name)
		}
		if wanted {
			tests = append(tests, file)
		}
		return nil
	})
	return tests, err
}
