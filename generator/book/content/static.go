package content

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"kubewalk/generator/problem"
)

// StaticFolder holds files that are copied to the site as they are: content/static/web.yaml is the site's /web.yaml.
const StaticFolder = "static"

// wellKnown is the one hidden name of a site (RFC 8615).
const wellKnown = ".well-known"

var (
	// leftover is what editors and systems leave beside files, and nobody means to publish.
	leftover = regexp.MustCompile(`^(\.DS_Store|\._.*|\.#.*|\..*\.sw[a-p]|.*~)$`)
	// untypable is what means something else in an address, or is in no name on some system.
	untypable = regexp.MustCompile(`[\x00-\x20\x7f\\:*?"<>|#%]`)
)

// loadStatic lists the files of the folder, and refuses those that cannot be on a site.
func (b *Book) loadStatic(problems *problem.List) {
	root := filepath.Join(b.Dir, StaticFolder)
	err := filepath.WalkDir(root, func(full string, entry fs.DirEntry, err error) error {
		if err != nil || full == root && entry.IsDir() {
			return err
		}
		if full == root {
			problems.Add(problem.Problem{File: filepath.ToSlash(root), Message: "content folder has a file of this name", Cure: "make it a folder of files for the site"})
			return nil
		}
		base, refused := entry.Name(), ""
		cure := ""
		switch {
		case leftover.MatchString(base):
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case strings.HasPrefix(base, ".") && base != wellKnown:
			refused = fmt.Sprintf("name %q begins with a dot", base)
			cure = "such files may hold passwords or a repository's history: remove it, or rename it; only .well-known is published"
		case untypable.MatchString(base):
			refused = fmt.Sprintf("name %q has the character %q, which an address cannot have", base, untypable.FindString(base))
			cure = "rename it"
		}
		if refused != "" {
			problems.Add(problem.Problem{File: filepath.ToSlash(full), Message: refused, Cure: cure})
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if entry.IsDir() {
			return nil
		}
		relative, err := filepath.Rel(root, full)
		if err == nil {
			b.Static = append(b.Static, filepath.ToSlash(relative))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		problems.AddError(err)
	}
	slices.Sort(b.Static) // a walk goes folder by folder
}

// HasStatic tells whether the folder has a file of that name.
func (b *Book) HasStatic(name string) bool {
	_, found := slices.BinarySearch(b.Static, name)
	return found
}
