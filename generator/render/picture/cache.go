package picture

import (
	"crypto/sha256"
	"fmt"
	"path"
	"strings"
	"sync"

	"kubewalk/generator/diskcache"
)

// version changes when what is made of an image does.
const version = 3

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
	ext := strings.ToLower(path.Ext(name))
	double := strings.HasSuffix(strings.TrimSuffix(name, path.Ext(name)), "@2x")
	key := fmt.Sprintf("%x %d %t %s", sha256.Sum256(data), version, double, ext)
	c.mu.Lock()
	p := c.made[key]
	c.mu.Unlock()
	if p != nil {
		return p, nil
	}
	disk := diskcache.Cache{Dir: c.Dir, Any: true}
	if ext == ".svg" || ext == ".avif" {
		disk.Dir = "" // they are read in no time
	}
	p = new(Picture)
	if !disk.Get("picture", key, p) {
		var err error
		if p, err = read(file, data); err != nil {
			return nil, err
		}
		disk.Put("picture", key, p)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		c.made = map[string]*Picture{}
	}
	c.made[key] = p
	return p, nil
}
