// Command generator makes the site of the book.
//
//	go run ./generator build   writes the site into a folder
//	go run ./generator serve   shows it while it is written
//	go run ./generator check   says what is wrong, and writes nothing
//	go run ./generator new     begins a chapter or a demo
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"kubewalk/generator/assets"
	"kubewalk/generator/content"
	"kubewalk/generator/demos"
	"kubewalk/generator/edition"
	"kubewalk/generator/problem"
	"kubewalk/generator/scaffold"
	"kubewalk/playground/phrase"
)

const usage = `usage: go run ./generator COMMAND [FLAGS]

  build [--content DIR] [--out DIR] [--base-url URL]    write the site
  serve [--content DIR] [--base-url URL] [--addr ADDR]  show it, rebuild on save; PORT also sets the port
  check [--content DIR] [--base-url URL] [--json]       say what is wrong
  new   [--content DIR] chapter PART/NAME               begin a chapter, in all languages
  new   [--content DIR] demo NAME                       begin a demo
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(os.Stderr, usage)
			os.Exit(2)
		}
		fmt.Fprintln(os.Stderr, err)
		if n := len(problem.Of(err)); n > 1 {
			fmt.Fprintf(os.Stderr, "%d problems\n", n)
		}
		os.Exit(1)
	}
}

// flags are those of all commands.
type flags struct {
	content, out, base, addr string
	json, dev                bool
}

func run(ctx context.Context, arguments []string, out io.Writer) error {
	if len(arguments) == 0 {
		return flag.ErrHelp
	}
	root, err := projectRoot()
	if err != nil {
		return err
	}
	var f flags
	set := flag.NewFlagSet(arguments[0], flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&f.content, "content", "content", "")
	set.StringVar(&f.out, "out", "public", "")
	set.StringVar(&f.base, "base-url", "", "")
	set.StringVar(&f.addr, "addr", "", "")
	set.BoolVar(&f.json, "json", false, "")
	set.BoolVar(&f.dev, "dev", false, "") // as serve builds it; serve itself asks so
	if err := set.Parse(arguments[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, err)
		}
		return flag.ErrHelp
	}
	command := arguments[0]
	if command != "new" && set.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: flags come behind the command, as in %s --content DIR", set.Arg(0), command)
	}
	switch command {
	case "build":
		return build(ctx, root, f, out)
	case "serve":
		return serve(ctx, root, f, out)
	case "check":
		return check(ctx, root, f, out)
	case "new":
		return scaffoldNew(f, set.Args(), out)
	}
	return fmt.Errorf("unknown command %q (%s)", command, problem.DidYouMean(command, []string{"build", "serve", "check", "new"}))
}

// options are what all builds of this program have in common.
func options(root string, f flags) edition.Options {
	return edition.Options{
		Root: root, Content: f.content, Base: f.base,
		Demos:   demos.OnDisk(filepath.Join(root, ".cache", "demos"), demos.Run),
		Assets:  new(assets.Maker).Make,
		Phrases: phrases,
	}
}

// phrases are the event log's sentences.
func phrases(language string) ([]byte, error) {
	data, ok := phrase.Files[language]
	if !ok {
		return nil, fmt.Errorf("the event log does not speak %q: add playground/phrase/%s.json", language, language)
	}
	return data, nil
}

func build(ctx context.Context, root string, f flags, out io.Writer) error {
	start := time.Now()
	tree, err := edition.Build(ctx, options(root, f), new(edition.Kept))
	if err != nil {
		return err
	}
	if err := tree.Write(f.out); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %d files in %v\n", f.out, len(tree.Paths()), time.Since(start).Round(time.Millisecond))
	return nil
}

// check builds and throws away. With --json the problems are the output: the
// development server asks a new generator that way.
func check(ctx context.Context, root string, f flags, out io.Writer) error {
	o := options(root, f)
	o.Dev = f.dev
	_, err := edition.Build(ctx, o, new(edition.Kept))
	if f.json {
		if encoding := json.NewEncoder(out).Encode(problem.Of(err)); encoding != nil {
			return encoding
		}
	}
	return err
}

func scaffoldNew(f flags, arguments []string, out io.Writer) error {
	if len(arguments) != 2 {
		return flag.ErrHelp
	}
	var made []string
	var err error
	switch what, name := arguments[0], arguments[1]; what {
	case "chapter":
		// A book with problems can still grow; only its site.yaml is needed.
		book, loading := content.Load(f.content)
		if len(book.Site.Languages) == 0 {
			return loading
		}
		made, err = scaffold.Chapter(book, name)
	case "demo":
		made, err = scaffold.Demo(f.content, name)
	default:
		return fmt.Errorf("new %q is unknown (%s)", what, problem.DidYouMean(what, []string{"chapter", "demo"}))
	}
	for _, file := range made {
		fmt.Fprintln(out, file)
	}
	return err
}

// projectRoot is the folder of go.mod, here or above. Everything is named relative to it.
func projectRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod here or above: run the generator in the project's folder")
		}
		dir = parent
	}
}
