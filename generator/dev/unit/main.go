// Command unit runs the unit tests of the site's TypeScript: esbuild bundles
// each site/**/*.test.ts, and Node runs what comes out.
//
//	go run ./generator/dev/unit [NAME …]    tests whose path contains a NAME
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/evanw/esbuild/pkg/api"
)

// out is where the bundles go; they are made anew each time.
const out = ".cache/unit"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "unit:", err)
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
	return runAll(tests)
}

// longest is how long a file may take: the slowest take seconds.
const longest = 10 * time.Minute

// runAll runs each file in a process of its own, as many at once as there are processors, and prints what those print that fail. It does without
// node --test, which reads its files' reports in a loop that never ends when one stops in the middle of a message.
func runAll(tests []string) error {
	var (
		group  sync.WaitGroup
		mu     sync.Mutex
		failed []string
		turn   = make(chan struct{}, runtime.NumCPU())
	)
	for _, test := range tests {
		turn <- struct{}{}
		group.Go(func() {
			defer func() { <-turn }()
			ctx, cancel := context.WithTimeout(context.Background(), longest)
			defer cancel()
			began := time.Now()
			text, err := exec.CommandContext(ctx, "node", "--enable-source-maps", filepath.Join(out, strings.TrimSuffix(test, ".ts")+".mjs")).CombinedOutput()
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				fmt.Printf("ok   %s %.1fs\n", test, time.Since(began).Seconds())
				return
			}
			fmt.Printf("%s\nFAIL %s: %v\n", text, test, err)
			failed = append(failed, test)
		})
	}
	group.Wait()
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d files fail: %s", len(failed), len(tests), strings.Join(failed, ", "))
	}
	return nil
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
