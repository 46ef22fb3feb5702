// Package assets makes what pages load besides themselves: style, scripts, the
// worker, and the control plane as WebAssembly. All get hashed names.
package assets

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"kubewalk/generator/build/compressed"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/output"
	"kubewalk/generator/build/toolchain"
	"kubewalk/generator/diskcache"
	"kubewalk/generator/problem"
)

// Set is the addresses of the assets: paths in the tree.
type Set struct {
	Styles   []string // in order
	Book     []string // style sheets that the book on one page has besides
	Player   string   // style sheet that comes with the demos' player
	Still    string   // CSS, for pictures in files of their own
	Theme    string   // small, in the head, before anything is drawn
	Frame    string   // what stands around the text
	Gone     string   // leads from a chapter that is gone to the demo of a link, on the page that is not there
	Offline  string   // module: of the page about reading without a connection
	Away     []string // style sheets of that page
	Keeper   []byte   // the service worker, which has no hash in its address
	Embed    []byte   // module for pages elsewhere that show demos; it has none either
	Search   string   // module: the search, loaded when somebody turns to it
	Found    string   // style sheet that comes with it
	Tabs     string   // small, in the head of pages with tabs
	Copy     string   // buttons that copy code, on pages with some
	Worlds   string   // leads sentences about counterfactuals there, on pages with some
	Parts    string   // opens parts in the list of chapters of a large book
	Front    string   // style sheet of home pages and of those that are no part of the text
	Forms    string   // style sheet of tabs, steps, cards and the like, of pages with some
	Listing  string   // style sheet of the same pages
	Drawing  string   // style sheet of pages with formulas and diagrams
	Meetup   string   // style sheet of pages with meetups
	Posts    string   // style sheet of posts and their lists
	Walk     string   // style sheet of pages on which a demo stands beside text
	Links    string   // style sheet of the book's own links in the header
	Meetups  string   // tells which meetups are to come, on those pages
	Blocks   string   // details and terms, on pages with some
	Talk     string   // module: makes a deck of a talk's page
	Slides   string   // style sheet of such pages
	Page     string   // module: gets the demos' players
	Worker   string   // worker of the page script, with Go's own glue for the wasm
	Wasm     string
	Size     int    // of the wasm as it is, bytes
	WasmHash string // likewise, SHA-256: runs are the same as long as it is
	CEL      Second
	Icon     string
}

// Second is the control plane that evaluates CEL, for demos whose clusters do; it is only there if it was asked for.
type Second struct {
	Wasm string
	Size int
	Hash string
}

// Hash is that of the control plane that a demo is run by.
func (s *Set) Hash(cel bool) string {
	if cel {
		return s.CEL.Hash
	}
	return s.WasmHash
}

// Options say how to make them.
type Options struct {
	Root string // of the project
	Dev  bool   // readable, with source maps
	Bare bool   // without the control plane as WebAssembly
	CEL  bool   // also with the one that evaluates CEL
}

// Where the sources are, below the project's root.
const (
	stylesEntry = "site/styles/index.css"
	themeEntry  = "site/scripts/theme.ts"
	frameEntry  = "site/scripts/frame.ts"
	goneEntry   = "site/scripts/gone.ts"
	offEntry    = "site/offline/page.ts"
	keepEntry   = "site/offline/worker.ts"
	embedEntry  = "site/embed/embed.ts"
	searchEntry = "site/search/search.ts"
	tabsEntry   = "site/scripts/tabs.ts"
	copyEntry   = "site/scripts/copy.ts"
	frontEntry  = "site/styles/front.css"
	formsEntry  = "site/styles/forms.css"
	worldsEntry = "site/scripts/worlds.ts"
	partsEntry  = "site/scripts/parts.ts"
	listEntry   = "site/styles/listing.css"
	drawEntry   = "site/styles/drawings.css"
	meetEntry   = "site/styles/meetup.css"
	postsEntry  = "site/styles/posts.css"
	walkEntry   = "site/styles/walk.css"
	linksEntry  = "site/styles/links.css"
	comeEntry   = "site/scripts/meetups.ts"
	talkEntry   = "site/talk/talk.ts"
	blocksEntry = "site/scripts/blocks.ts"
	stillEntry  = "site/styles/still.css"
	bookEntry   = "site/styles/book.css"
	pageEntry   = "site/widgets/index.ts"
	workerEntry = "site/widgets/runs/worker.ts"
	iconFile    = "site/icon.svg"
	wasmPackage = "./wasm"
	wasmCache   = ".cache/kubewalk.wasm"
	celCache    = ".cache/kubewalk-cel.wasm"
	celTag      = "cel" // of wasm/cel.go
	wasmPacked  = ".cache/wasm"
	wasmOverlay = ".cache/overlay"
)

// wasmFlags make the download small. Without inlining in our own packages, and in those of others that are large or
// seldom run, it is an eighth smaller and no slower; without any inlining it would be half as slow again. What debuggers
// read is left out of everything: the linker would drop it, and the compiler takes a sixth of its time for it. Which commit it
// was compiled from is no part of it: links name it by a hash, and most commits change nothing in it.
var wasmFlags = func() []string {
	flags := []string{"-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false"}
	for _, plain := range []string{"kubewalk/...", "bufio", "bytes", "cmp", "container/...", "context", "crypto/...", "encoding/...",
		"errors", "fmt", "hash/...", "internal/bisect", "internal/fmtsort", "internal/godebug", "internal/itoa", "internal/oserror",
		"internal/poll", "internal/reflectlite", "internal/singleflight", "internal/strconv", "internal/syscall/...", "internal/testlog",
		"io/...", "iter", "log/...", "maps", "math/big", "net/...", "os", "path/...", "reflect", "regexp/...", "slices", "sort", "strconv", "strings",
		"syscall/...", "time", "unicode/...", "gopkg.in/...", "google.golang.org/protobuf/...", "github.com/antlr4-go/..."} {
		flags = append(flags, "-gcflags="+plain+"=-l -dwarf=false") // the last pattern that matches says all
	}
	return flags
}()

// Maker makes them, again and again in a server. What is made of Go code it
// makes once: a change of that code restarts the process.
type Maker struct {
	mu              sync.Mutex
	wasm, cel, glue []byte
}

// Compile makes the control plane as WebAssembly, once.
func (m *Maker) Compile(root string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var err error
	if m.wasm == nil {
		if m.glue, err = glue(); err == nil {
			m.wasm, err = compile(root, wasmCache, wasmPackage)
		}
	}
	return err
}

// compileCEL makes the one that evaluates CEL, once.
func (m *Maker) compileCEL(root string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var err error
	if m.cel == nil {
		m.cel, err = compile(root, celCache, wasmPackage, "-tags="+celTag)
	}
	return err
}

// Compiled tells whether it was there when it was asked for last, by whichever process:
// if so, the compiler has little to do.
func Compiled(root string) bool {
	_, err := os.Stat(filepath.Join(root, filepath.FromSlash(wasmCache)))
	return err == nil
}

// compress compresses a control plane. That takes as long as a few demos, so the result is kept on disk.
func compress(root string, wasm []byte) (zst []byte, err error) {
	disk := diskcache.Cache{Dir: filepath.Join(root, filepath.FromSlash(wasmPacked)), Versions: 4, Any: true}
	key := fmt.Sprintf("%x %s %q", sha256.Sum256(wasm), compressed.ZstdMethod, tableMagic)
	if disk.Get("kubewalk", key, &zst) {
		return zst, nil
	}
	if zst, err = compressed.Zstd(packed(wasm)); err == nil {
		disk.Put("kubewalk", key, zst)
	}
	return zst, err
}

// controlPlanes compiles them and puts them into the tree. The larger one comes first: to compress it takes longest, half a minute
// on one processor, in which the smaller one is compiled and compressed on another.
func (m *Maker) controlPlanes(tree *output.Tree, o Options, set *Set) error {
	var problems problem.List
	var compressing sync.WaitGroup
	put := func(name string, wasm []byte) (finish func() string) {
		if o.Dev { // the page takes either, and compressing takes seconds
			return func() string { return tree.PutHashed(headers.Assets+"/"+name+".wasm", wasm) }
		}
		var zst []byte
		var err error
		compressing.Go(func() { zst, err = compress(o.Root, wasm) })
		return func() string {
			problems.AddError(err)
			return tree.PutHashed(headers.Assets+"/"+name+".wasm"+compressed.ZstdExt, zst)
		}
	}
	var second func() string
	if o.CEL {
		if err := m.compileCEL(o.Root); err != nil {
			return err
		}
		second = put("kubewalk-cel", m.cel)
	}
	if err := m.Compile(o.Root); err != nil {
		compressing.Wait()
		return err
	}
	first := put("kubewalk", m.wasm)
	compressing.Wait()
	set.Wasm, set.Size, set.WasmHash = first(), len(m.wasm), fmt.Sprintf("%x", sha256.Sum256(m.wasm))
	if second != nil {
		set.CEL = Second{Wasm: second(), Size: len(m.cel), Hash: fmt.Sprintf("%x", sha256.Sum256(m.cel))}
	}
	return problems.Err()
}

// Make builds all assets into the tree.
func (m *Maker) Make(tree *output.Tree, o Options) (*Set, error) {
	var set Set
	var problems problem.List
	bundle := func(format api.Format, entry string) (script string, styles []string) {
		script, styles, err := o.bundle(tree, format, entry)
		problems.AddError(err)
		return script, styles
	}
	_, set.Styles = bundle(api.FormatDefault, stylesEntry)
	_, set.Book = bundle(api.FormatDefault, bookEntry)
	set.Theme, _ = bundle(api.FormatIIFE, themeEntry)
	set.Frame, _ = bundle(api.FormatIIFE, frameEntry)
	set.Gone, _ = bundle(api.FormatIIFE, goneEntry)
	set.Offline, set.Away = bundle(api.FormatESModule, offEntry)
	apart := func(format api.Format, entry string) []byte {
		own := output.NewTree()
		name, _, err := o.bundle(own, format, entry)
		problems.AddError(err)
		data, _ := own.Get(name)
		return data
	}
	set.Keeper, set.Embed = apart(api.FormatIIFE, keepEntry), apart(api.FormatESModule, embedEntry)
	set.Tabs, _ = bundle(api.FormatIIFE, tabsEntry)
	set.Copy, _ = bundle(api.FormatIIFE, copyEntry)
	set.Worlds, _ = bundle(api.FormatIIFE, worldsEntry)
	set.Parts, _ = bundle(api.FormatIIFE, partsEntry)
	sheet := func(entry string) string {
		if _, styles := bundle(api.FormatDefault, entry); len(styles) == 1 {
			return styles[0]
		}
		return "" // its problems are told
	}
	set.Front, set.Forms, set.Listing, set.Drawing = sheet(frontEntry), sheet(formsEntry), sheet(listEntry), sheet(drawEntry)
	set.Meetup, set.Posts, set.Walk, set.Links = sheet(meetEntry), sheet(postsEntry), sheet(walkEntry), sheet(linksEntry)
	set.Meetups, _ = bundle(api.FormatIIFE, comeEntry)
	set.Blocks, _ = bundle(api.FormatIIFE, blocksEntry)
	var found []string
	if set.Search, found = bundle(api.FormatESModule, searchEntry); len(found) > 0 {
		set.Found = found[0]
	}
	if set.Talk, found = bundle(api.FormatESModule, talkEntry); len(found) > 0 {
		set.Slides = found[0]
	}
	if set.Page, found = bundle(api.FormatESModule, pageEntry); len(found) > 0 {
		set.Player = merge(tree, headers.Assets+"/player.css", found)
	}
	still := output.NewTree()
	_, names, err := o.bundle(still, api.FormatDefault, stillEntry)
	problems.AddError(err)
	for _, name := range names {
		css, _ := still.Get(name)
		set.Still += string(bytes.TrimSpace(css))
	}
	set.Worker, _ = bundle(api.FormatIIFE, workerEntry)
	icon, err := os.ReadFile(filepath.Join(o.Root, iconFile))
	problems.AddError(err)
	set.Icon = tree.PutHashed(headers.Assets+"/icon.svg", icon)
	if o.Bare {
		return &set, problems.Err()
	}
	problems.AddError(m.controlPlanes(tree, o, &set))
	// In one script, so that the worker imports none: Trusted Types would want a policy for that.
	worker, _ := tree.Get(set.Worker)
	tree.Remove(set.Worker)
	larger := ""
	if set.CEL.Wasm != "" {
		larger = fmt.Sprintf("globalThis.kubewalkLarger={wasm:%q,size:%d};\n", path.Base(set.CEL.Wasm), set.CEL.Size)
	}
	set.Worker = tree.PutHashed(headers.Assets+"/worker.js", slices.Concat(worker, []byte("\n"), []byte(larger), m.glue))
	return &set, problems.Err()
}

// merge puts style sheets that are always loaded together into one file, in order.
func merge(tree *output.Tree, name string, sheets []string) string {
	var all []byte
	for _, sheet := range sheets {
		css, _ := tree.Get(sheet)
		all = append(append(all, css...), '\n')
	}
	return tree.PutHashed(name, all)
}

// bundle runs esbuild on one entry point and puts what comes out in the tree.
func (o Options) bundle(tree *output.Tree, format api.Format, entry string) (script string, styles []string, err error) {
	options := api.BuildOptions{
		AbsWorkingDir: o.Root,
		EntryPoints:   []string{entry},
		EntryNames:    "[name]-[hash]",
		AssetNames:    "[name]-[hash]",
		ChunkNames:    "[name]-[hash]",
		Outdir:        headers.Assets,
		Bundle:        true,
		// What a module loads when it is needed, by import("./part"), is a file of its own.
		Splitting:         format == api.FormatESModule,
		Format:            format,
		Target:            api.ES2022,
		Charset:           api.CharsetUTF8,
		LegalComments:     api.LegalCommentsEndOfFile,
		MinifyWhitespace:  !o.Dev,
		MinifyIdentifiers: !o.Dev,
		MinifySyntax:      !o.Dev,
		LogLevel:          api.LogLevelSilent,
		Loader:            map[string]api.Loader{".svg": api.LoaderFile},
		// A style sheet's newest colour functions are meant as they stand.
		Supported: map[string]bool{"nesting": true, "color-functions": true},
	}
	if o.Dev {
		options.Sourcemap = api.SourceMapLinked
	}
	options.Metafile = options.Splitting && !o.Dev
	result := api.Build(options)
	if len(result.Errors) > 0 {
		return "", nil, problems(entry, result.Errors)
	}
	scripts := map[string][]byte{}
	for _, file := range result.OutputFiles {
		name := filepath.Base(file.Path)
		if filepath.Ext(name) == ".js" {
			scripts[name] = file.Contents
			// Beside the script itself there are the parts that it loads when they are needed.
			if strings.HasPrefix(name, strings.TrimSuffix(filepath.Base(entry), ".ts")+"-") {
				script = name
			}
			continue
		}
		name = headers.Assets + "/" + name
		if _, ok := tree.Get(name); !ok {
			tree.Put(name, file.Contents)
		}
		if filepath.Ext(name) == ".css" {
			styles = append(styles, name)
		}
	}
	if options.Metafile {
		if scripts, script, err = join(scripts, result.Metafile, script); err != nil {
			return "", nil, err
		}
	}
	for name, text := range scripts {
		if name = headers.Assets + "/" + name; !tree.Has(name) {
			tree.Put(name, text)
		}
	}
	if script != "" {
		script = headers.Assets + "/" + script
	}
	return script, styles, nil
}

// problems turns esbuild's messages into ours.
func problems(entry string, messages []api.Message) error {
	var out problem.Errors
	for _, m := range messages {
		p := problem.Problem{File: entry, Message: m.Text}
		if m.Location != nil {
			p.File, p.Line, p.Column = m.Location.File, m.Location.Line, m.Location.Column+1
			if m.Location.Suggestion != "" {
				p.Cure = fmt.Sprintf("did you mean %q?", m.Location.Suggestion)
			}
		}
		for _, note := range m.Notes {
			if p.Cure == "" {
				p.Cure = strings.TrimSuffix(note.Text, ".")
			}
		}
		out = append(out, p)
	}
	return out
}

// compile makes a control plane as WebAssembly.
func compile(root, file, pkg string, flags ...string) ([]byte, error) {
	out := filepath.Join(root, filepath.FromSlash(file))
	if err := link(root, out, pkg, append(flags, "-ldflags=-s -w")...); err != nil {
		return nil, err
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	return whole(wasm)
}

// glue is Go's own, which every WebAssembly of Go's needs.
func glue() ([]byte, error) {
	goroot, err := toolchain.Root()
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(goroot, "lib", "wasm", "wasm_exec.js"))
}

// CompileNamed makes the control plane in a file as sites have it, but for the names of functions in it.
func CompileNamed(root, out string) error { return link(root, out, wasmPackage, "-ldflags=-w") }

// WasmEnv is for what the control plane is compiled as.
var WasmEnv = []string{"GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0"}

func link(root, out, pkg string, flags ...string) error {
	flags = append(flags, wasmFlags...)
	larger, ok, err := toolchain.LargerGrowth(filepath.Join(root, filepath.FromSlash(wasmOverlay)))
	if err != nil {
		return err
	}
	if ok {
		flags = append(flags, larger)
	}
	return toolchain.Build(root, out, pkg, WasmEnv, flags...)
}
