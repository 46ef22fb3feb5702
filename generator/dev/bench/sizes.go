package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kubewalk/generator/dev/bench/corpus"
)

// sizes are the books that are built, in chapters.
var sizes = []int{100, 1000, 10_000}

// runs is how often each is built; the median counts.
const runs = 3

// books builds books of several sizes with a kubewalk that was made before, as whole
// processes that find nothing of earlier ones, and beside each, when there is a Hugo
// on this machine, the same text with two bare templates: no list of chapters,
// no search, no checks. One run of one follows one of the other, so that the machine
// is the same for both. Then it tells how long a save takes to the open page.
func books(table io.Writer) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	kubewalk := filepath.Join(dir, "kubewalk")
	pack := exec.Command("go", "run", "./generator", "pack", "--out", kubewalk)
	if text, err := pack.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", pack.Args, err, text)
	}
	hugo, _ := exec.LookPath("hugo")
	if hugo == "" {
		fmt.Fprintf(table, "hugo\tnot installed\tput it on the PATH to have it run beside\n")
	}
	for _, n := range sizes {
		book := filepath.Join(dir, fmt.Sprint(n), "content")
		if err := corpus.Write(book, n); err != nil {
			return err
		}
		var ours, theirs []cost
		for i := range runs {
			// Each into a folder of its own: ext4 is slow to make files for some seconds after as many were removed.
			public := fmt.Sprintf("public-%d", i)
			c, err := measure(filepath.Dir(book), kubewalk, "build", "--out", public)
			if err != nil {
				return err
			}
			ours = append(ours, c)
			if hugo == "" {
				continue
			}
			bare := filepath.Join(filepath.Dir(book), "hugo")
			if err := bareHugo(bare, book); err != nil {
				return err
			}
			if c, err = measure(bare, hugo, "--quiet", "--destination", public); err != nil {
				return err
			}
			if _, err := os.Stat(filepath.Join(bare, public, "part-001", "chapter-00001", "index.html")); err != nil {
				return fmt.Errorf("Hugo built no pages: %w", err)
			}
			theirs = append(theirs, c)
		}
		us := median(ours)
		more := fmt.Sprintf("%v of processor, %d MB, %.2f ms a page", us.cpu.Round(10*time.Millisecond), us.memory>>20,
			float64(us.wall.Microseconds())/1000/float64(n))
		if len(theirs) > 0 {
			them := median(theirs)
			more += fmt.Sprintf("; bare Hugo %v, %v of processor, %d MB: %.2f times ours", them.wall.Round(10*time.Millisecond),
				them.cpu.Round(10*time.Millisecond), them.memory>>20, them.wall.Seconds()/us.wall.Seconds())
		}
		fmt.Fprintf(table, "book of %d pages\t%v\t%s\n", n, us.wall.Round(10*time.Millisecond), more)
		if n == 1000 {
			page := filepath.Join(filepath.Dir(book), "public-0", corpus.Language, "part-001", "chapter-00001", "index.html")
			text, err := os.ReadFile(page)
			if err != nil {
				return err
			}
			fmt.Fprintf(table, "a page of it, HTML alone\t%s\tgzip %s, with %d links in the list of chapters\n", kilo(len(text)), kilo(gzipped(text)),
				bytes.Count(text[:bytes.Index(text, []byte("<main"))], []byte("<li><a ")))
			if err := save(table, kubewalk, book); err != nil {
				return err
			}
		}
	}
	return nil
}

// cost is what a process took.
type cost struct {
	wall, cpu time.Duration
	memory    int64 // at most, bytes
}

func median(all []cost) cost {
	slices.SortFunc(all, func(a, b cost) int { return int(a.wall - b.wall) })
	return all[len(all)/2]
}

// measure runs a program in a folder.
func measure(dir, program string, arguments ...string) (c cost, err error) {
	run := exec.Command(program, arguments...)
	run.Dir = dir
	start := time.Now()
	if text, err := run.CombinedOutput(); err != nil {
		return c, fmt.Errorf("%v: %w\n%s", run.Args, err, text)
	}
	c.wall = time.Since(start)
	c.cpu = run.ProcessState.UserTime() + run.ProcessState.SystemTime()
	c.memory = peak(run.ProcessState)
	return c, nil
}

// bareHugo writes the same chapters for Hugo.
func bareHugo(dir, book string) error {
	files := map[string]string{
		"hugo.toml": "baseURL = \"https://example.org/\"\ntitle = \"A book for measuring\"\ndisableKinds = [\"taxonomy\", \"term\", \"RSS\", \"sitemap\"]\n" +
			"[markup.highlight]\nnoClasses = false\n",
		"layouts/_default/single.html": "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{{ .Title }}</title></head><body><main><h1>{{ .Title }}</h1>{{ .Content }}</main></body></html>\n",
		"layouts/_default/list.html":   "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{{ .Title }}</title></head><body><ul>{{ range .Pages }}<li><a href=\"{{ .RelPermalink }}\">{{ .Title }}</a></li>{{ end }}</ul></body></html>\n",
	}
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "resources")); err != nil { // what it keeps between builds
		return err
	}
	content := filepath.Join(dir, "content")
	if _, err := os.Stat(content); err == nil {
		return nil // it is there from the run before
	}
	if err := os.CopyFS(content, os.DirFS(filepath.Join(book, corpus.Language))); err != nil {
		return err
	}
	// As index.md it would be a page without any below it, and nothing would be built.
	return os.Rename(filepath.Join(content, "index.md"), filepath.Join(content, "_index.md"))
}

// save tells how long it takes from a save to the page that is open in a browser.
func save(table io.Writer, kubewalk, book string) error {
	run := exec.Command("node", "site/tests/bench-serve.mjs", book, corpus.Language+"/part-001/chapter-00001")
	run.Env = append(os.Environ(), "GENERATOR="+kubewalk)
	run.Stderr = os.Stderr
	text, err := run.Output()
	fmt.Fprint(table, strings.TrimSpace(string(text))+"\n")
	return err
}
