package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ManifestFile is where a build says what it wrote into a folder. Hosts don't publish
// it, for its name begins with a dot.
const ManifestFile = ".kubewalk-manifest.json"

// unfinished stands in a folder that was never in the place of the site: all that is in
// it is a build's own.
const unfinished = ".kubewalk-unfinished"

// manifest is what a build wrote, by path with slashes. The next build removes that and
// nothing else.
type manifest map[string]entry

// entry is a file as it was written.
type entry struct {
	Size int    `json:"size"`
	Hash string `json:"hash"`
}

func entryOf(data []byte) entry { return entry{len(data), Hash(data)} }

// manifestForm is the file's form.
type manifestForm struct {
	About string   `json:"about"`
	Files manifest `json:"files"`
}

const aboutManifest = "What kubewalk build wrote here. The next build removes these files, and leaves all others."

func (m manifest) write(dir string) error {
	data, err := json.Marshal(manifestForm{aboutManifest, m})
	if err != nil {
		panic("output: " + err.Error())
	}
	return writeFile(filepath.Join(dir, ManifestFile), append(data, '\n'), 0o644)
}

// readManifest reads the one of a folder. The error is fs.ErrNotExist where there is none.
func readManifest(dir string) (manifest, error) {
	name := filepath.Join(dir, ManifestFile)
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	var form manifestForm
	if !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	} else if data, reading := os.ReadFile(name); reading != nil {
		return nil, reading
	} else if err = json.Unmarshal(data, &form); err == nil && form.Files == nil {
		err = errors.New("it lists no files")
	}
	if err != nil {
		return nil, fmt.Errorf("file %s, which tells what a build wrote, is damaged (%w): "+
			"restore it, or move what is yours out of the folder and remove it", name, err)
	}
	return form.Files, nil
}

// publishing are the files of which a fresh checkout of a branch that is published
// consists: a first build may go there.
var publishing = map[string]bool{".git": true, ".gitattributes": true, ".gitignore": true, ".nojekyll": true, "CNAME": true}

// manifestOf is what builds wrote into a folder, and refuses folders of others.
func manifestOf(dir string) (manifest, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out, err := readManifest(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return out, err
	}
	for _, e := range entries {
		if publishing[e.Name()] {
			continue
		}
		if info, err := os.Lstat(filepath.Join(dir, MarkerFile)); err == nil && info.Mode().IsRegular() {
			headers, err := os.ReadFile(filepath.Join(dir, MarkerFile))
			if err == nil && bytes.HasPrefix(headers, []byte("# Written by the generator of Kubewalk")) {
				return nil, fmt.Errorf("folder %s was written by an older kubewalk, which left no list of its files (%s is missing): "+
					"move what is yours out of it and remove it once, or give another one with --out", dir, ManifestFile)
			}
		}
		return nil, fmt.Errorf("folder %s contains files that no build wrote, %s among them: give another one with --out, or remove it yourself", dir, e.Name())
	}
	return nil, nil
}
