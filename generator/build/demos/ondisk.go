package demos

import (
	"crypto/sha256"
	"net/url"

	"kubewalk/generator/build/compressed"
	"kubewalk/generator/diskcache"
)

// versionsPerDemo is how many versions of a demo stay: an author goes to and fro, and
// each takes megabytes.
const versionsPerDemo = 4

// OnDisk is a Make that keeps what another one made between builds of one
// program, in a folder that may be removed at any time.
func OnDisk(dir string, run Make) Make {
	disk := diskcache.Cache{Dir: dir, Versions: versionsPerDemo}
	return func(name, file string, text []byte, in Languages) (*Demo, error) {
		key := keyOf(text, in)
		known := new(Demo)
		if disk.Get(name, key, known) {
			return known, nil
		}
		made, err := run(name, file, text, in)
		if err == nil {
			disk.Put(name, key, made)
		}
		return made, err
	}
}

// WorldsOnDisk is likewise an Imagine that keeps what another one made.
func WorldsOnDisk(dir string, run Imagine) Imagine {
	disk := diskcache.Cache{Dir: dir, Versions: versionsPerDemo}
	return func(of *Demo, id string) (*World, error) {
		name := of.Name + "@" + url.PathEscape(id)
		key := string(of.Files["scenario.json"+compressed.Ext])
		known := new(World)
		if disk.Get(name, key, known) {
			return known, nil
		}
		made, err := run(of, id)
		if err == nil {
			disk.Put(name, key, made)
		}
		return made, err
	}
}

// keyOf tells apart what a demo is made of.
func keyOf(text []byte, in Languages) string {
	sum := sha256.Sum256(text)
	return in.key() + "\x00" + string(sum[:])
}
