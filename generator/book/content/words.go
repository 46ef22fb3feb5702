package content

import (
	"errors"
	"io/fs"
	"path/filepath"

	"kubewalk/generator/book/regularfile"
	"kubewalk/generator/book/schema"
	"kubewalk/generator/problem"
)

// WordsFolder holds the theme's own words (generator/book/i18n) in languages that it
// does not speak: words/fr.yaml, below the book's folder.
const WordsFolder = "words"

// WordsFile is such a file.
type WordsFile struct {
	Table map[string]string // by name

	document *schema.Document
}

// At makes a problem that points at a word.
func (f *WordsFile) At(name, message, cure string) problem.Problem {
	return f.document.AtKey("["+name+"]", message, cure)
}

// loadWords reads those that the book's languages have.
func (b *Book) loadWords(problems *problem.List) {
	b.Words = map[string]*WordsFile{}
	for _, code := range b.Site.Codes() {
		file := b.WordsOf(code)
		text, err := regularfile.Text(b.Dir, filepath.FromSlash(file))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			problems.AddError(err)
			continue
		}
		words, err := ReadWords(file, text)
		problems.AddError(err)
		b.Words[code] = &words
	}
}

// ReadWords reads such a file's text.
func ReadWords(file string, text []byte) (WordsFile, error) {
	words := WordsFile{document: &schema.Document{File: filepath.ToSlash(file), Text: text}}
	err := words.document.Decode(&words.Table)
	return words, err
}

// WordsOf is where the words of a language are, or would be.
func (b *Book) WordsOf(language string) string {
	return filepath.ToSlash(filepath.Join(b.Dir, WordsFolder, language+".yaml"))
}
