package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"kubewalk/generator/book/content"
	"kubewalk/generator/book/i18n"
	"kubewalk/site/pages"
)

// plain is a name that YAML reads without quotes.
var plain = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]*$`)

// Words writes the theme's words in English, for somebody to translate; those that
// a file lacks are added to it.
func Words(contentDir, language string) ([]string, error) {
	if !name.MatchString(language) {
		return nil, fmt.Errorf("language %q is not understood (write its code: lower-case letters, digits and single hyphens)", language)
	}
	if _, ok := pages.WordsOf(language); ok {
		return nil, fmt.Errorf("pages speak %q already", language)
	}
	file := filepath.Join(contentDir, content.WordsFolder, language+".yaml")
	known := content.WordsFile{}
	before, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		before = []byte(head)
	case err != nil:
		return nil, err
	default:
		if known, err = content.ReadWords(file, before); err != nil {
			return nil, err
		}
	}
	missing := slices.DeleteFunc(i18n.Missing(known.Table), func(name string) bool {
		_, isThere := known.Table[name] // left empty by its author
		return isThere
	})
	if len(missing) == 0 {
		return nil, fmt.Errorf("%s has all words already", filepath.ToSlash(file))
	}
	text := strings.Builder{}
	text.Write(before)
	group := ""
	for _, word := range i18n.Words() {
		if !slices.Contains(missing, word.Name) {
			continue
		}
		if word.Group != group {
			group = word.Group
			fmt.Fprintf(&text, "\n# %s\n", group)
		}
		key := word.Name
		if !plain.MatchString(key) {
			key = fmt.Sprintf("%q", key)
		}
		fmt.Fprintf(&text, "%s: %q\n", key, word.English)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, err
	}
	return []string{filepath.ToSlash(file)}, os.WriteFile(file, []byte(text.String()), 0o644)
}

const head = `# What a site says by itself: its pages, the scripts in them, the event log. Whatever is left
# out here stays English. Keep {names} and what begins with %: something is put there. "date" is
# how Go's package time would write 2 January 2006.
`
