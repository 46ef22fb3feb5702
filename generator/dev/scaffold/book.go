package scaffold

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"kubewalk/generator/book/content"
	"kubewalk/playground/demo/demofile"
)

// texts are the files of a new book, and of a new demo.
//
//go:embed book demo.yaml.tmpl
var texts embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{"quote": strconv.Quote}).ParseFS(texts, "book/*.tmpl", "demo.yaml.tmpl"))

// BookOptions say what a new book is like.
type BookOptions struct {
	Title     string // "" for one that is made of the folder's name
	Languages string // "en,ja", or with names, "sw=Kiswahili"; "" for English
}

// SchemaFolder is where a book keeps the schemas that its editor reads.
const SchemaFolder = ".kubewalk"

// A book's files for machines that build it.
const (
	WorkflowFile = ".github/workflows/publish.yaml"
	InstallFile  = SchemaFolder + "/install.sh"
)

// names are languages in themselves.
var names = map[string]string{
	"ar": "العربية", "cs": "Čeština", "da": "Dansk", "de": "Deutsch", "el": "Ελληνικά", "en": "English", "es": "Español", "fi": "Suomi",
	"fr": "Français", "he": "עברית", "hi": "हिन्दी", "hu": "Magyar", "id": "Bahasa Indonesia", "it": "Italiano", "ja": "日本語", "ko": "한국어",
	"nl": "Nederlands", "no": "Norsk", "pl": "Polski", "pt": "Português", "pt-br": "Português (Brasil)", "ro": "Română", "ru": "Русский", "sv": "Svenska",
	"th": "ไทย", "tr": "Türkçe", "uk": "Українська", "vi": "Tiếng Việt", "zh": "中文", "zh-cn": "简体中文", "zh-tw": "繁體中文",
}

// values are what the templates of a book and of a demo are filled with.
type values struct {
	Title     string
	Titles    map[string]string // by language, where it is another
	Languages []content.Language
	Schema    string // of a demo; "" for none
}

// Book starts a book in a new folder, or in an empty one. It returns the files
// that it made.
func Book(dir string, o BookOptions) ([]string, error) {
	languages, err := languagesOf(o.Languages)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("folder %s for the book: %w", dir, err)
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("folder %s is not empty: a new book needs a folder of its own", dir)
	}
	whole, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	v := values{Title: o.Title, Languages: languages}
	if strings.TrimSpace(v.Title) == "" {
		v.Title = titleOf(filepath.Base(whole))
	}
	if strings.ContainsFunc(v.Title, func(r rune) bool { return r < ' ' }) {
		return nil, fmt.Errorf("title %q contains characters that cannot be shown", v.Title)
	}
	demo := v
	demo.Title, demo.Titles = "A first loop", map[string]string{"ja": "最初のループ"}
	demo.Schema = "../../" + SchemaFolder + "/" + demofile.SchemaFile
	files := map[string]string{
		"README.md":                     fill("README.md", v),
		".gitignore":                    fill("gitignore", v),
		"netlify.toml":                  fill("netlify.toml", v),
		WorkflowFile:                    fill("publish.yaml", v),
		InstallFile:                     fill("install.sh", v),
		"content/site.yaml":             fill("site.yaml", v),
		"content/demos/first-loop.yaml": fill("demo.yaml", demo),
	}
	for _, l := range languages {
		files["content/"+l.Code+"/index.md"] = fill(inLanguage("index", l.Code), v)
		files["content/"+l.Code+"/start/first-loop.md"] = fill(inLanguage("first-loop", l.Code), v)
	}
	for name, text := range content.Schemas() {
		files[path.Join(SchemaFolder, name)] = string(text)
	}
	var made []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := write(file, files[name]); err != nil {
			return made, err
		}
		made = append(made, filepath.ToSlash(file))
	}
	return made, nil
}

func fill(name string, v values) string {
	var out strings.Builder
	if err := templates.ExecuteTemplate(&out, name+".tmpl", v); err != nil {
		panic("scaffold: " + err.Error()) // the templates are part of the program
	}
	return out.String()
}

// inLanguage is the template of a text: in English where it is not translated.
func inLanguage(name, code string) string {
	if translated := name + "." + code + ".md"; templates.Lookup(translated+".tmpl") != nil {
		return translated
	}
	return name + ".en.md"
}

func languagesOf(list string) ([]content.Language, error) {
	if list == "" {
		list = "en"
	}
	var out []content.Language
	for one := range strings.SplitSeq(list, ",") {
		code, called, given := strings.Cut(strings.TrimSpace(one), "=")
		if !name.MatchString(code) {
			return nil, fmt.Errorf("language %q is not understood (write codes as in --languages en,ja: lower-case letters, digits and single hyphens)", code)
		}
		if slices.ContainsFunc(out, func(l content.Language) bool { return l.Code == code }) {
			return nil, fmt.Errorf("language %q is given twice (remove one)", code)
		}
		if !given {
			if called = names[code]; called == "" {
				return nil, fmt.Errorf("language %q has a name that kubewalk does not know (write it after the code, as in --languages sw=Kiswahili)", code)
			}
		}
		out = append(out, content.Language{Code: code, Name: called})
	}
	return out, nil
}
