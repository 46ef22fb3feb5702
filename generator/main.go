// Command generator, installed as kubewalk, makes the site of a book.
//
//	go run ./generator build   writes the site into a folder
//	go run ./generator serve   shows it while it is written
//	go run ./generator check   says what is wrong, and writes nothing
//	go run ./generator new     starts a book, a chapter or a demo
//	go run ./generator pack    compiles a kubewalk that needs no checkout
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"kubewalk/generator/content"
	"kubewalk/generator/demos"
	"kubewalk/generator/diagram"
	"kubewalk/generator/edition"
	"kubewalk/generator/formula"
	"kubewalk/generator/problem"
	"kubewalk/generator/scaffold"
	"kubewalk/playground/phrase"
)

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
	languages, title         string
	json, dev                bool
	drafts, strict, portable bool
}

// commands are what can be asked for.
var commands = map[string]func(context.Context, *place, flags, []string, io.Writer) error{
	"build":   build,
	"serve":   serve,
	"check":   check,
	"new":     scaffoldNew,
	"schema":  schemas,
	"release": release,
	"pack": func(_ context.Context, p *place, f flags, _ []string, out io.Writer) error {
		return pack(p, cmp.Or(f.out, filepath.Join(p.root, "bin", "kubewalk")), out)
	},
}

func run(ctx context.Context, arguments []string, out io.Writer) error {
	if len(arguments) == 0 {
		return flag.ErrHelp
	}
	name := arguments[0]
	switch name {
	case "help", "-h", "-help", "--help":
		_, err := io.WriteString(out, usage)
		return err
	case "version", "-version", "--version":
		return version(out)
	}
	command, ok := commands[name]
	if !ok {
		names := append(slices.Sorted(maps.Keys(commands)), "version", "help")
		return fmt.Errorf("unknown command %q (%s)", name, problem.DidYouMean(name, names))
	}
	f, more, err := parse(name, arguments[1:])
	if errors.Is(err, flag.ErrHelp) {
		_, err := io.WriteString(out, usage)
		return err
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return flag.ErrHelp
	}
	if name != "new" && len(more) > 0 {
		return fmt.Errorf("unexpected argument %q: flags come behind the command, as in %s --content DIR", more[0], name)
	}
	var p *place // new and schema need nothing but the program
	if name != "new" && name != "schema" {
		if p, err = here(); err != nil {
			return err
		}
	}
	return command(ctx, p, f, more, out)
}

// parse reads flags, which may stand before, between and behind the arguments.
func parse(command string, given []string) (f flags, arguments []string, err error) {
	set := flag.NewFlagSet(command, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&f.content, "content", "content", "")
	set.StringVar(&f.out, "out", "", "")
	set.StringVar(&f.base, "base-url", "", "")
	set.StringVar(&f.addr, "addr", "", "")
	set.StringVar(&f.languages, "languages", "", "")
	set.StringVar(&f.title, "title", "", "")
	set.BoolVar(&f.drafts, "drafts", false, "")
	set.BoolVar(&f.strict, "strict", false, "")
	set.BoolVar(&f.portable, "portable", false, "")
	set.BoolVar(&f.json, "json", false, "")
	set.BoolVar(&f.dev, "dev", false, "") // as serve builds it; serve itself asks so
	for {
		if err := set.Parse(given); err != nil {
			return f, nil, err
		}
		if set.NArg() == 0 {
			return f, arguments, nil
		}
		arguments, given = append(arguments, set.Arg(0)), set.Args()[1:]
	}
}

// options are what all builds of this program have in common.
func options(p *place, f flags) edition.Options {
	cache := filepath.Join(p.root, ".cache")
	diagram.Keep(filepath.Join(cache, "diagrams"))
	formula.Keep(filepath.Join(cache, "formulas"))
	return edition.Options{
		Root: p.root, Content: f.content, Base: f.base, Drafts: f.drafts, Strict: f.strict,
		Demos:   demos.OnDisk(filepath.Join(cache, "demos"), demos.Run),
		Worlds:  demos.WorldsOnDisk(filepath.Join(cache, "demos"), demos.RunWorld),
		Assets:  p.stock.Assets,
		Sources: p.stock.Sources,
		Phrases: phrases,
	}
}

// phrases are the event log's sentences: in English where they are not translated.
func phrases(language string) ([]byte, error) {
	if data, ok := phrase.Files[language]; ok {
		return data, nil
	}
	return phrase.Files["en"], nil
}

func build(ctx context.Context, p *place, f flags, _ []string, out io.Writer) error {
	start, dir, o := time.Now(), cmp.Or(f.out, "public"), options(p, f)
	o.Warned, o.Portable = warnings(out), f.portable
	if found, _ := filepath.Glob(filepath.Join(o.Content, demos.Folder, "*.yaml")); len(found) == 0 {
		o.Loaded = saveMemory // clusters take what they need
	}
	tree, err := edition.Build(ctx, o, new(edition.Kept))
	if err != nil {
		return err
	}
	if err := tree.Write(dir); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %d files in %v\n", dir, len(tree.Paths()), time.Since(start).Round(time.Millisecond))
	return nil
}

// saveMemory has the collector work harder before the program takes more than books
// of that size need: a build's data grows with the pages, its garbage need not.
func saveMemory(pages int) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(max(200<<20, int64(pages)*200<<10))
	}
}

// warnings tells of what is not right and yet no problem.
func warnings(out io.Writer) func(error) {
	return func(err error) {
		all := problem.Of(err)
		for _, p := range all {
			fmt.Fprintln(out, "warning: "+p.Error())
		}
		if n := len(all); n > 1 {
			fmt.Fprintf(out, "%d warnings\n", n)
		}
	}
}

// check builds and throws away. With --json the problems are the output: the
// development server asks a new generator that way.
func check(ctx context.Context, p *place, f flags, _ []string, out io.Writer) error {
	o := options(p, f)
	o.Dev = f.dev
	if !f.json {
		o.Warned = warnings(out)
	}
	_, err := edition.Build(ctx, o, new(edition.Kept))
	if f.json {
		if encoding := json.NewEncoder(out).Encode(problem.Of(err)); encoding != nil {
			return encoding
		}
	}
	return err
}

// schemas writes what editors check YAML against.
func schemas(_ context.Context, _ *place, f flags, _ []string, out io.Writer) error {
	dir := cmp.Or(f.out, ".kubewalk")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	all := content.Schemas()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, all[name], 0o644); err != nil {
			return err
		}
		fmt.Fprintln(out, filepath.ToSlash(file))
	}
	return nil
}

func scaffoldNew(_ context.Context, _ *place, f flags, arguments []string, out io.Writer) error {
	kinds := []string{"book", "site", "chapter", "demo", "words"}
	if len(arguments) == 1 && !slices.Contains(kinds, arguments[0]) {
		arguments = []string{"book", arguments[0]} // new mybook
	}
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
		made, err = scaffold.Demo(f.content, name, languagesOf(f.content))
	case "words":
		made, err = scaffold.Words(f.content, name)
	case "book", "site":
		made, err = scaffold.Book(name, scaffold.BookOptions{Title: f.title, Languages: f.languages})
	default:
		return fmt.Errorf("new %q is unknown (%s)", what, problem.DidYouMean(what, kinds))
	}
	for _, file := range made {
		fmt.Fprintln(out, file)
	}
	if err == nil && (arguments[0] == "book" || arguments[0] == "site") {
		fmt.Fprintf(out, "\nThe book is there. See it with\n\n  cd %s\n  kubewalk serve\n", arguments[1])
	}
	return err
}

// languagesOf are those of a book; English when there is none yet.
func languagesOf(dir string) []string {
	if book, _ := content.Load(dir); len(book.Site.Languages) > 0 {
		return book.Site.Codes()
	}
	return []string{"en"}
}
