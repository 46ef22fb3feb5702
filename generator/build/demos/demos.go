// Package demos gives pages the book's demos: what each is called, the pictures
// and texts of its storyboard, and the files that its player loads.
//
// A demo is made by running it, natively, when the book is built. That takes
// time, so a Cache keeps what was made of a file for as long as the file's text
// is the same; the code that runs it cannot change while a process lives.
package demos

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"kubewalk/generator/book/regularfile"
	"kubewalk/generator/build/compressed"
	"kubewalk/generator/problem"
	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/demo/scene"
)

// Demo is a demo that was run. Texts are by language.
type Demo struct {
	Name      string
	Title     map[string]string
	Marks     []Still   // the storyboard
	Controls  []Control // what the reader may change
	Exercises []Exercise
	// IsLarge is true of a cluster so large that not all is kept of its run: thousands of Pods.
	IsLarge bool
	// CEL is true of a cluster that evaluates CEL, for which the page loads another control plane.
	CEL bool
	// Files are written to public/demos/NAME/, compressed: wide.json.gz, narrow.json.gz,
	// details.json.gz, managers.json.gz, scenario.json.gz, and wide.rest.json.gz and
	// narrow.rest.json.gz of a demo that is long.
	Files map[string][]byte
	// Record is what the chapters' claims are held against: a claim.Record, encoded.
	Record []byte
}

// Still is a moment that the author points at. It is all that a reader without
// script, or on paper, sees of it.
type Still struct {
	ID      string
	Caption map[string]string
	At      time.Duration                      // virtual time since the epoch
	Frame   int                                // of the recording
	SVG     map[string]map[scene.Layout]string // an <svg> by language, with classes and without styles
	Text    []LogLine                          // what happened since the still before
}

// LogLine is one event in words.
type LogLine struct {
	At       time.Duration
	Who      string // the component; "" outside any
	Sentence map[string]string
}

// Control is something that the reader may change, in words: the page lists it
// for readers who cannot.
type Control struct {
	Label map[string]string // "replicas of web"
	Range map[string]string // "0 to 10"; may be nil
}

// Version changes when any of the demo's files does.
func (d *Demo) Version() string {
	hash := sha256.New()
	for _, name := range d.FileNames() {
		fmt.Fprintf(hash, "%s %d\n", name, len(d.Files[name]))
		hash.Write(d.Files[name])
	}
	return hex.EncodeToString(hash.Sum(nil))[:10]
}

// Put compresses a file: "wide.json".
func (d *Demo) Put(name string, data []byte) { d.Files[name+compressed.Ext] = compressed.Gzip(data) }

// Text is a file of Put; nil if there is none.
func (d *Demo) Text(name string) ([]byte, error) {
	data, ok := d.Files[name+compressed.Ext]
	if !ok {
		return nil, nil
	}
	text, err := compressed.Gunzip(data)
	if err != nil {
		return nil, fmt.Errorf("demo %q: %s: %w", d.Name, name, err)
	}
	return text, nil
}

// FileNames lists the demo's files in order.
func (d *Demo) FileNames() []string {
	names := make([]string, 0, len(d.Files))
	for name := range d.Files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ErrPending is what a Make says of a demo that is being recorded: pages show that it
// is, until a later build finds it.
var ErrPending = errors.New("demo is being recorded")

// Make runs the demo that a file describes. Errors are problems with a place in
// the file, or ErrPending.
type Make func(name, file string, text []byte, in Languages) (*Demo, error)

// Cache keeps demos between builds of one process. The zero value is ready to use.
type Cache struct {
	mu   sync.Mutex
	made map[string]outcome // by file and hash
}

type outcome struct {
	demo *Demo
	err  error
}

// Folder is where a book's demos are, below its content folder.
const Folder = "demos"

// Load makes all demos of a book, as many at once as there are processors. It
// returns what could be made, sorted by name, together with the problems, and
// the names of all files, so that a demo that fails is not unknown as well. Those that
// are pending are no problem.
func Load(contentDir string, in Languages, run Make, cache *Cache) (made []*Demo, pending, names []string, err error) {
	files, err := filepath.Glob(filepath.Join(contentDir, Folder, "*.yaml"))
	if err != nil {
		return nil, nil, nil, err
	}
	var problems problem.List
	outcomes := runAll(files, in, run, cache)
	for i, file := range files {
		names = append(names, nameOf(file))
		switch {
		case outcomes[i].err == nil:
			made = append(made, outcomes[i].demo)
		case errors.Is(outcomes[i].err, ErrPending):
			pending = append(pending, nameOf(file))
		default:
			problems.AddError(outcomes[i].err)
		}
		if slices.Contains(in.Codes, nameOf(file)) {
			problems.Add(problem.Problem{File: filepath.ToSlash(file), Message: "demo has the name of a language",
				Cure: "rename it: /embed/ja/ contains the demos in Japanese"})
		}
	}
	return made, pending, names, problems.Err()
}

func nameOf(file string) string { return strings.TrimSuffix(filepath.Base(file), ".yaml") }

func runAll(files []string, in Languages, run Make, cache *Cache) []outcome {
	out := make([]outcome, len(files))
	for _, language := range slices.Concat(phrase.Languages(), in.Codes) { // pictures are measured in all that there are
		phrase.Table(language) // read on first use, which must not be several at once
	}
	var running sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, file := range files {
		running.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			out[i] = cache.get(file, in, run)
		})
	}
	running.Wait()
	return out
}

func (c *Cache) get(file string, in Languages, run Make) outcome {
	shown := filepath.ToSlash(file)
	text, err := regularfile.Text(filepath.Dir(filepath.Dir(file)), file)
	if errors.Is(err, fs.ErrNotExist) { // removed since the folder was listed
		return outcome{err: problem.Problem{File: shown, Message: "file is gone", Cure: "save it again"}}
	}
	if err != nil {
		return outcome{err: err}
	}
	key := file + "\x00" + keyOf(text, in)
	c.mu.Lock()
	known, ok := c.made[key]
	c.mu.Unlock()
	if ok {
		return known
	}
	known.demo, known.err = run(nameOf(file), shown, text, in)
	if errors.Is(known.err, ErrPending) {
		return known
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		c.made = map[string]outcome{}
	}
	for old := range c.made { // one entry a file: an author saves often
		if strings.HasPrefix(old, file+"\x00") {
			delete(c.made, old)
		}
	}
	c.made[key] = known
	return known
}
