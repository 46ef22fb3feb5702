package scaffold

import (
	"fmt"
	"path/filepath"
	"strings"

	"kubewalk/generator/content"
	"kubewalk/site/pages"
)

// Words writes the pages' words in English, for somebody to translate.
func Words(contentDir, language string) ([]string, error) {
	if !name.MatchString(language) {
		return nil, fmt.Errorf("language %q is not understood (write its code: lower-case letters, digits and single hyphens)", language)
	}
	if _, ok := pages.WordsOf(language); ok {
		return nil, fmt.Errorf("pages speak %q already", language)
	}
	var text strings.Builder
	text.WriteString("# The words of the pages themselves. What begins with % is replaced; \"date\" is how\n# Go's package time would write 2 January 2006.\n")
	for _, name := range pages.WordNames() {
		fmt.Fprintf(&text, "%s: %q\n", name, pages.Word(name))
	}
	file := filepath.Join(contentDir, content.WordsFolder, language+".yaml")
	if err := write(file, text.String()); err != nil {
		return nil, err
	}
	return []string{filepath.ToSlash(file)}, nil
}
