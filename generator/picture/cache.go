package picture

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

// version changes when what is made of an image does.
const version = 1

// Cache makes pictures, each once: it keeps them in memory, and in its folder
// between builds. The zero value keeps them in memory only. It may be used by
// several goroutines.
type Cache struct {
	Dir string

	mu   sync.Mutex
	made map[string]*Picture
}

// Make reads an image. File names it in problems, and its ending says what it is.
func (c *Cache) Make(file string, data []byte) (*Picture, error) {
	name := path.Base(file)
	double := strings.HasSuffix(strings.TrimSuffix(name, path.Ext(name)), "@2x")
	sum := sha256.Sum256(data)
	key := fmt.Sprintf("%x-%d-%t%s", sum[:12], version, double, strings.ToLower(path.Ext(name)))
	c.mu.Lock()
	p := c.made[key]
	c.mu.Unlock()
	if p == nil {
		p = c.load(key)
	}
	if p == nil {
		var err error
		if p, err = read(file, data); err != nil {
			return nil, err
		}
		c.save(key, p)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		c.made = map[string]*Picture{}
	}
	c.made[key] = p
	return p, nil
}

func (c *Cache) load(key string) *Picture {
	if c.Dir == "" {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(c.Dir, key))
	if err != nil {
		return nil
	}
	p := new(Picture)
	if gob.NewDecoder(bytes.NewReader(data)).Decode(p) != nil || len(p.Files) == 0 {
		return nil // cut off: it is made again
	}
	return p
}

// save writes what took long to make. A cache that cannot be written is none:
// the build goes on without.
func (c *Cache) save(key string, p *Picture) {
	if c.Dir == "" || strings.HasSuffix(key, ".svg") || strings.HasSuffix(key, ".avif") {
		return
	}
	var out bytes.Buffer
	if gob.NewEncoder(&out).Encode(p) != nil || os.MkdirAll(c.Dir, 0o755) != nil {
		return
	}
	part, err := os.CreateTemp(c.Dir, "part-*")
	if err != nil {
		return
	}
	_, err = part.Write(out.Bytes())
	if part.Close() != nil || err != nil || os.Rename(part.Name(), filepath.Join(c.Dir, key)) != nil {
		_ = os.Remove(part.Name())
	}
}
