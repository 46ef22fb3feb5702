package demos

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// OnDisk is a Make that keeps what another one made between builds of one
// program, in a folder that may be removed at any time. What cannot be read or
// written is made again: a cache never makes a build fail.
func OnDisk(dir string, run Make) Make {
	return func(name, file string, text []byte, languages []string) (*Demo, error) {
		d := disk{dir: dir, program: thisProgram()}
		key := keyOf(text, languages)
		if known := d.get(name, key); known != nil {
			return known, nil
		}
		made, err := run(name, file, text, languages)
		if err == nil {
			d.put(name, key, made)
		}
		return made, err
	}
}

// disk is a folder of demos. Another program's are not taken.
type disk struct{ dir, program string }

// keptPerDemo is how many versions of a demo stay: an author goes to and fro.
const keptPerDemo = 4

// thisProgram is the hash of what runs: the one thing that surely changes with
// the code of the control plane, and with every other.
var thisProgram = sync.OnceValue(func() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
})

func (d disk) file(name, key string) string {
	sum := sha256.Sum256([]byte(d.program + "\x00" + key))
	return filepath.Join(d.dir, name+"."+hex.EncodeToString(sum[:12])+".gob")
}

func (d disk) get(name, key string) *Demo {
	if d.program == "" {
		return nil
	}
	data, err := os.ReadFile(d.file(name, key))
	if err != nil {
		return nil
	}
	demo := new(Demo)
	if gob.NewDecoder(bytes.NewReader(data)).Decode(demo) != nil || demo.Name != name {
		return nil
	}
	return demo
}

func (d disk) put(name, key string, demo *Demo) {
	if d.program == "" || os.MkdirAll(d.dir, 0o755) != nil {
		return
	}
	var data bytes.Buffer
	if gob.NewEncoder(&data).Encode(demo) != nil {
		return
	}
	fresh, err := os.CreateTemp(d.dir, "."+name+"-")
	if err != nil {
		return
	}
	_, err = fresh.Write(data.Bytes())
	if closing := fresh.Close(); err != nil || closing != nil || os.Rename(fresh.Name(), d.file(name, key)) != nil {
		_ = os.Remove(fresh.Name())
		return
	}
	d.prune(name)
}

// prune removes what was kept longest.
func (d disk) prune(name string) {
	files, err := filepath.Glob(filepath.Join(d.dir, name+".*.gob"))
	if err != nil {
		return
	}
	for len(files) > keptPerDemo {
		oldest, when := 0, int64(0)
		for i, file := range files {
			if info, err := os.Stat(file); err == nil && (when == 0 || info.ModTime().UnixNano() < when) {
				oldest, when = i, info.ModTime().UnixNano()
			}
		}
		_ = os.Remove(files[oldest])
		files = append(files[:oldest], files[oldest+1:]...)
	}
}

// keyOf tells apart what a demo is made of.
func keyOf(text []byte, languages []string) string {
	sum := sha256.Sum256(text)
	return strings.Join(languages, " ") + "\x00" + string(sum[:])
}
