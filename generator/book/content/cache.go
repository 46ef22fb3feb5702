package content

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"kubewalk/generator/book/regularfile"
	"kubewalk/generator/problem"
)

// Cache keeps chapters whose files stay the same: a file that was not written is
// not read again, and one whose text is as it was leads to the same *Chapter. The
// zero value is ready to use. A chapter that was kept is not to be changed.
type Cache struct {
	mu           sync.Mutex
	files        map[string]*cached
	untranslated map[untranslated]*Chapter // of the last load

	site       *siteRead               // the last one without a problem
	glossary   *Glossary               // the same
	glossaries map[string]glossaryPage // by language
	lists      map[place]*Chapter      // of meetups and posts, of the last load
}

type cached struct {
	modified time.Time
	size     int64
	text     [sha256.Size]byte
	chapter  *Chapter
	err      error
}

// Forget has files read again whatever their time says: two saves within one
// tick of the file system's clock look alike.
func (c *Cache) Forget(files []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range files {
		if known := c.files[f]; known != nil {
			known.modified = time.Time{}
		}
	}
}

// reading is the file of a chapter, of a page outside of all parts, or of a home page, which has neither part nor name.
type reading struct {
	book, name, full, language, part, chapter string
	talk                                      bool
}

// read reads files, several at once. A chapter that could not be read is nil.
func (c *Cache) read(files []reading) ([]*Chapter, error) {
	chapters, errs := make([]*Chapter, len(files)), make([]error, len(files))
	var next atomic.Int64
	var running sync.WaitGroup
	for range min(len(files), runtime.GOMAXPROCS(0)) {
		running.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(files)); i = next.Add(1) - 1 {
				chapters[i], errs[i] = c.chapter(files[i])
			}
		})
	}
	running.Wait()
	var problems problem.List
	for _, err := range errs {
		problems.AddError(err)
	}
	return chapters, problems.Err()
}

func (c *Cache) chapter(r reading) (*Chapter, error) {
	info, err := os.Stat(r.full)
	if errors.Is(err, fs.ErrNotExist) { // removed since the folder was listed
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	known := c.files[r.name]
	c.mu.Unlock()
	if known != nil && !known.modified.IsZero() && known.modified.Equal(info.ModTime()) && known.size == info.Size() {
		return known.chapter, known.err
	}
	text, err := regularfile.Text(r.book, r.full)
	if err != nil { // others may lead to it: it is there
		return &Chapter{File: r.name, Language: r.language, Part: r.part, Name: r.chapter, Talk: r.talk, broken: true}, err
	}
	fresh := &cached{modified: info.ModTime(), size: info.Size(), text: sha256.Sum256(text)}
	if known != nil && known.text == fresh.text {
		fresh.chapter, fresh.err = known.chapter, known.err
	} else {
		fresh.chapter, fresh.err = ParseChapter(r.name, text)
		fresh.chapter.Language, fresh.chapter.Part, fresh.chapter.Name = r.language, r.part, r.chapter
		fresh.chapter.Talk = r.talk
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files == nil {
		c.files = map[string]*cached{}
	}
	c.files[r.name] = fresh
	return fresh.chapter, fresh.err
}
