// Command generator, installed as kubewalk, makes the site of a book.
//
//	go run ./generator build   writes the site into a folder
//	go run ./generator serve   shows it while it is written
//	go run ./generator check   says what is wrong, and writes nothing
//	go run ./generator new     starts a book, a chapter or a demo
//	go run ./generator trace   runs a demo and prints all that happens in it
//	go run ./generator export  writes a demo as one file that opens anywhere
//	go run ./generator keep    keeps the demos as a release that links of today lead to
//	go run ./generator cluster runs a cluster on a port, for the real kubectl
//	go run ./generator talk    writes a talk as a folder that needs no network
//	go run ./generator hosting prints a web server's configuration for the site
//	go run ./generator pack    compiles a kubewalk that needs no checkout
//	go run ./generator dist    compiles it for all systems, and writes archives
//	go run ./generator npm     writes the npm package: a cluster for programs in JavaScript
//
// Its packages, from what the others use to what uses them (playground/check/policy/layers_test.go holds them to it):
//
//	problem    what is wrong with what people wrote: a place, a message, a cure
//	dom        asks parsed pages; diskcache keeps what took long to make
//	book/      what people write: chapters, site.yaml, meetups, claims, words of a translation, the files' history
//	render/    text to HTML, diagrams, formulas, source code and images
//	search     the search's index
//	build/     what a site consists of besides pages: files in memory, assets, demos, headers, redirects, kept releases
//	format/    other forms of the book: EPUB, feeds, Markdown, one page, one file
//	sitebuild  makes the site with all of these, step by step: start there
//	publish/   what is done with a finished site or program: web servers, archives, talks
//	dev/       for those who write: the development server, pages that follow a cluster on a port, scaffolds, benchmarks, generated TypeScript, unit tests
package main

import (
	"bufio"
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
	"strings"
	"syscall"
	"time"

	"kubewalk/generator/book/content"
	"kubewalk/generator/build/demos"
	"kubewalk/generator/dev/scaffold"
	"kubewalk/generator/problem"
	"kubewalk/generator/publish/distribution"
	"kubewalk/generator/publish/precompressed"
	"kubewalk/generator/render/diagram"
	"kubewalk/generator/render/formula"
	"kubewalk/generator/sitebuild"
	"kubewalk/playground/demo/demofile/rehearsal"
	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/demo/scenario"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(os.Stderr, usage(""))
			os.Exit(2)
		}
		fmt.Fprintln(os.Stderr, err)
		if wrong := misuse(""); errors.As(err, &wrong) {
			os.Exit(2)
		}
		if n := len(problem.Of(err)); n > 1 {
			fmt.Fprintf(os.Stderr, "%d problems\n", n)
		}
		os.Exit(1)
	}
}

// flags are those of all commands.
type flags struct {
	content, out, base, addr string
	language                 string
	languages, title         string
	listen, kubeconfig, save string // of cluster, with its numbers as they were typed
	show                     string // likewise: "true" without an address
	nodes, hollow, speed     string
	authorization            string
	who, object, op, from    string // of trace
	json, dev, mark          bool
	drafts, strict, portable bool
	pictures, single         bool
	precompress              bool
	root                     string // of hosting
	targets                  string // of dist
}

// commands are what can be asked for.
var commands = map[string]func(context.Context, *place, flags, []string, io.Writer) error{
	"build":   build,
	"serve":   serve,
	"check":   check,
	"new":     scaffoldNew,
	"schema":  schemas,
	"trace":   traceDemo,
	"release": release,
	"keep":    keep,
	"export":  export,
	"cluster": serveCluster,
	"talk":    writeTalk,
	"hosting": hostSite,
	"pack": func(_ context.Context, p *place, f flags, _ []string, out io.Writer) error {
		return pack(p, cmp.Or(f.out, filepath.Join(p.root, "bin", distribution.Host().Program())), out)
	},
	"dist": distribute,
	"npm":  writeModule,
}

func run(ctx context.Context, arguments []string, out io.Writer) error {
	if len(arguments) == 0 {
		return flag.ErrHelp
	}
	name := arguments[0]
	switch name {
	case "help", "-h", "-help", "--help":
		return help(arguments[1:], out)
	case "version", "-version", "--version":
		return version(out)
	}
	command, ok := commands[name]
	if !ok {
		names := append(slices.Sorted(maps.Keys(commands)), "version", "help")
		return misuse(fmt.Sprintf("unknown command %q (%s; see kubewalk help)", name, problem.DidYouMean(name, names)))
	}
	f, more, err := parse(name, arguments[1:])
	if errors.Is(err, flag.ErrHelp) {
		_, err := io.WriteString(out, usage(name))
		return err
	}
	if err != nil {
		return misused(name, err)
	}
	if !slices.Contains([]string{"new", "trace", "export", "talk", "cluster", "hosting"}, name) && len(more) > 0 {
		return misuse(fmt.Sprintf("unexpected argument %q: flags come after the command, as in %s --content DIR", more[0], name))
	}
	var p *place // some need nothing but the program
	if !slices.Contains([]string{"new", "schema", "trace", "cluster", "hosting"}, name) {
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
	texts := map[string]*string{"content": &f.content, "out": &f.out, "base-url": &f.base, "addr": &f.addr, "languages": &f.languages,
		"language": &f.language, "title": &f.title,
		"listen": &f.listen, "kubeconfig": &f.kubeconfig, "nodes": &f.nodes, "hollow-nodes": &f.hollow,
		"authorization": &f.authorization, "speed": &f.speed, "save": &f.save, "show": &f.show,
		"root": &f.root, "targets": &f.targets, "who": &f.who, "object": &f.object, "op": &f.op, "from": &f.from}
	switches := map[string]*bool{"drafts": &f.drafts, "strict": &f.strict, "portable": &f.portable, "json": &f.json, "pictures": &f.pictures,
		"single-file": &f.single, "mark": &f.mark, "precompress": &f.precompress}
	f.content = "content"
	for _, o := range offered {
		switch {
		case !slices.Contains(o.of, command):
		case strings.HasPrefix(o.value, "["): // it may be left out
			set.Var((*optional)(texts[o.name]), o.name, "")
		case o.value != "":
			set.StringVar(texts[o.name], o.name, *texts[o.name], "")
		default:
			set.BoolVar(switches[o.name], o.name, false, "")
		}
	}
	if command == "check" {
		set.BoolVar(&f.dev, "dev", false, "") // as serve builds it; serve itself asks so
	}
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

// optional is the value of a flag that may stand without one; it is "true" then.
type optional string

func (o *optional) String() string         { return string(*o) }
func (o *optional) Set(given string) error { *o = optional(given); return nil }
func (*optional) IsBoolFlag() bool         { return true }

// options are what all builds of this program have in common.
func options(p *place, f flags) sitebuild.Options {
	cache := filepath.Join(p.root, ".cache")
	diagram.Keep(filepath.Join(cache, "diagrams"))
	formula.Keep(filepath.Join(cache, "formulas"))
	return sitebuild.Options{
		Root: p.root, Content: f.content, Base: f.base, Drafts: f.drafts, Strict: f.strict,
		Demos:   demos.OnDisk(demosIn(p.root), demos.Run),
		Worlds:  demos.WorldsOnDisk(demosIn(p.root), demos.RunWorld),
		Assets:  p.theme.Assets,
		Sources: p.theme.Sources,
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
	if f.portable && f.precompress {
		return misuse("--portable and --precompress exclude each other: a site that opens from a folder has no server")
	}
	if err := outFolder(dir, p, f.content); err != nil {
		return err
	}
	o.Warned, o.Portable = warnings(out), f.portable
	if found, _ := filepath.Glob(filepath.Join(o.Content, demos.Folder, "*.yaml")); len(found) == 0 {
		o.Loaded = saveMemory // clusters take what they need
	}
	tree, err := sitebuild.Build(ctx, o, new(sitebuild.Cache))
	if err != nil {
		return err
	}
	if f.precompress {
		precompressed.Add(tree)
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
	_, err := sitebuild.Build(ctx, o, new(sitebuild.Cache))
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
	kinds := []string{"book", "site", "chapter", "page", "post", "meetup", "demo", "words"}
	if len(arguments) == 1 && !slices.Contains(kinds, arguments[0]) {
		arguments = []string{"book", arguments[0]} // new mybook
	}
	switch {
	case len(arguments) == 0:
		return misuse("new needs to know what to create, as in kubewalk new mybook (see kubewalk help new)")
	case len(arguments) == 1:
		return misuse(fmt.Sprintf("new %s needs a name (see kubewalk help new)", arguments[0]))
	case len(arguments) > 2:
		return misuse(fmt.Sprintf("unexpected argument %q: put a name of several words in quotes (see kubewalk help new)", arguments[2]))
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
	case "page":
		book, loading := content.Load(f.content)
		if len(book.Site.Languages) == 0 {
			return loading
		}
		made, err = scaffold.Page(book, name)
	case "post":
		book, loading := content.Load(f.content)
		if len(book.Site.Languages) == 0 {
			return loading
		}
		made, err = scaffold.Post(book, name, time.Now())
	case "meetup":
		book, loading := content.Load(f.content)
		if len(book.Site.Languages) == 0 {
			return loading
		}
		made, err = scaffold.Meetup(book, name, time.Now().AddDate(0, 0, 28))
	case "demo":
		made, err = scaffold.Demo(f.content, name, languagesOf(f.content))
	case "words":
		made, err = scaffold.Words(f.content, name)
	case "book", "site":
		made, err = scaffold.Book(name, scaffold.BookOptions{Title: f.title, Languages: f.languages})
	default:
		return misuse(fmt.Sprintf("new %q is unknown (%s)", what, problem.DidYouMean(what, kinds)))
	}
	for _, file := range made {
		fmt.Fprintln(out, file)
	}
	if err == nil && (arguments[0] == "book" || arguments[0] == "site") {
		if _, lacking := here(); lacking != nil { // which serve would say next
			fmt.Fprintf(out, "\nThe book is there. Before you can see it: %v\n", lacking)
			return nil
		}
		fmt.Fprintf(out, "\nThe book is there. See it with\n\n  cd %s\n  kubewalk serve\n", arguments[1])
	}
	return err
}

// demoFile is the file of a demo that is given as one, or by its name in a book.
func demoFile(book, given string) (string, error) {
	file := strings.TrimSuffix(given, ".yaml") + ".yaml"
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	folder := filepath.Join(book, demos.Folder)
	found, _ := filepath.Glob(filepath.Join(folder, "*.yaml"))
	var names []string
	for _, one := range found {
		names = append(names, strings.TrimSuffix(filepath.Base(one), ".yaml"))
	}
	name := strings.TrimSuffix(filepath.Base(file), ".yaml")
	if !slices.Contains(names, name) {
		return "", fmt.Errorf("no demo %q in %s (%s)", given, filepath.ToSlash(folder), problem.DidYouMean(name, names))
	}
	return filepath.Join(folder, name+".yaml"), nil
}

// traceDemo prints what happens in a demo, given its file or its name.
func traceDemo(_ context.Context, _ *place, f flags, arguments []string, out io.Writer) error {
	if len(arguments) != 1 {
		return misuse(fmt.Sprintf("trace runs one demo, not %d: kubewalk trace content/demos/NAME.yaml", len(arguments)))
	}
	file, err := demoFile(f.content, arguments[0])
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(out)
	selected := rehearsal.Selection{Match: scenario.Match{Who: f.who, Op: f.op}, Object: f.object, From: f.from}
	if f.mark {
		selected.Languages = languagesOf(f.content)
	}
	err = errors.Join(rehearsal.Print(filepath.ToSlash(file), buffered, selected), buffered.Flush())
	var wrong rehearsal.Problems
	if !errors.As(err, &wrong) {
		return err
	}
	var list problem.List
	for _, p := range wrong {
		list.Add(problem.Problem{File: p.File, Line: p.Line, Column: p.Column, Message: p.Message})
	}
	return list.Err()
}

// languagesOf are those of a book; English when there is none yet.
func languagesOf(dir string) []string {
	if book, _ := content.Load(dir); len(book.Site.Languages) > 0 {
		return book.Site.Codes()
	}
	return []string{"en"}
}
