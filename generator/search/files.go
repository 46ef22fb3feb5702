package search

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// File is one of an index.
type File struct {
	Name string // below the folder of files that never change: "search/en-3f9a1c04b2/t0.json"
	Data []byte
}

// Files are an index as it is served.
type Files struct {
	Manifest []byte
	Shards   []File // their folder's name changes with any of them
}

// A file of terms or of texts ends when it is this long. Compressed it is
// some 40 % of that.
const (
	termsBytes = 16_000
	textsBytes = 9_000
)

// manifest is what a search reads first.
type manifest struct {
	Folder string   `json:"folder"` // of the shards, as seen from the manifest
	Parts  [][3]any `json:"parts"`  // title, what its pages' addresses begin with, how many pages follow one another
	Pages  []int    `json:"pages"`  // sections of each
	Terms  []string `json:"terms"`  // the first of each file t0.json, t1.json, …
	Texts  []int    `json:"texts"`  // pages in each file p0.json, p1.json, …

	Names [][2]string `json:"names"` // what somebody may ask for, and what the book calls it
	About [][2]any    `json:"about"` // a name that the book has for something, and the number of the page that explains it
}

// WholeNames are the files of an index that is not split, with terms and texts.
var WholeNames = []string{"t0.json", "p0.json"}

// Whole writes the index into the files of WholeNames, whose folder is as seen from
// the manifest. That is for one reader, whose book changes all the time.
func (x *Index) Whole(folder string) Files {
	m, shards := x.split(math.MaxInt, math.MaxInt)
	m.Folder = folder
	files := Files{Manifest: append(encode(m), '\n')}
	for _, name := range WholeNames {
		file := File{name, []byte("[]")}
		if i := slices.IndexFunc(shards, func(f File) bool { return f.Name == name }); i >= 0 {
			file = shards[i]
		}
		files.Shards = append(files.Shards, file)
	}
	return files
}

// Files writes the index. folder is where the shards will be, as seen from the
// manifest ("../assets/").
func (x *Index) Files(language, folder string) Files {
	m, shards := x.split(termsBytes, textsBytes)
	hash := sha256.New()
	for _, s := range shards {
		fmt.Fprintf(hash, "%s %d\n", s.Name, len(s.Data))
		hash.Write(s.Data)
	}
	name := "search/" + language + "-" + hex.EncodeToString(hash.Sum(nil))[:10] + "/"
	for i := range shards {
		shards[i].Name = name + shards[i].Name
	}
	m.Folder = folder + name
	return Files{Manifest: append(encode(m), '\n'), Shards: shards}
}

func (x *Index) split(termsBytes, textsBytes int) (m manifest, shards []File) {
	add := func(kind string, n int, data []byte) {
		shards = append(shards, File{kind + strconv.Itoa(n) + ".json", data})
	}

	order := make([]int, len(x.terms))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x.terms[a].term, x.terms[b].term) })
	m.Terms = []string{}
	var data []byte
	for i, id := range order {
		e := &x.terms[id]
		if len(data) == 0 {
			m.Terms = append(m.Terms, e.term)
			data = append(data, '[')
		} else {
			data = append(data, ",\n"...)
		}
		data = x.appendEntry(data, e)
		if len(data) > termsBytes || i == len(order)-1 {
			add("t", len(m.Terms)-1, append(data, ']'))
			data = nil
		}
	}

	m.Names, m.About = x.known(), x.explained()
	m.Pages, m.Texts, m.Parts = []int{}, []int{}, [][3]any{}
	since := 0
	for i := range x.pages {
		p := &x.pages[i]
		m.Pages = append(m.Pages, len(p.Sections))
		if len(data) == 0 {
			data = append(data, '[')
		} else {
			data = append(data, ",\n"...)
		}
		data = appendPage(data, p)
		if len(data) > textsBytes || i == len(x.pages)-1 {
			add("p", len(m.Texts), append(data, ']'))
			m.Texts = append(m.Texts, i+1-since)
			since, data = i+1, nil
		}
	}
	for from := 0; from < len(x.pages); {
		to, prefix := from, x.pages[from].URL
		for ; to < len(x.pages) && x.pages[to].Part == x.pages[from].Part; to++ {
			prefix = folderOf(prefix, x.pages[to].URL)
		}
		m.Parts = append(m.Parts, [3]any{x.pages[from].Part, prefix, to - from})
		from = to
	}
	return m, shards
}

// folderOf is the folder that two pages have in common, for one page its own.
func folderOf(prefix, url string) string {
	parent := url[:strings.LastIndexByte(strings.TrimSuffix(url, "/"), '/')+1]
	for !strings.HasPrefix(parent, prefix) {
		prefix = prefix[:strings.LastIndexByte(strings.TrimSuffix(prefix, "/"), '/')+1]
	}
	return prefix
}

// appendEntry writes ["term",rarity,posting,…].
func (x *Index) appendEntry(data []byte, e *entry) []byte {
	data = append(data, `["`...)
	data = append(data, e.term...) // letters and digits, which nothing has to be put before
	data = append(data, `",`...)
	data = strconv.AppendInt(data, int64(x.rarity(e)), 10)
	for _, p := range e.postings {
		data = append(data, ',')
		data = strconv.AppendUint(data, uint64(p), 10)
	}
	return append(data, ']')
}

// appendPage writes ["url","title",["anchor",level,"heading","text","code"],…].
func appendPage(data []byte, p *Page) []byte {
	row := []any{p.URL, p.Title}
	for i, s := range p.Sections {
		text := s.Text
		if i == 0 {
			text = strings.TrimSpace(p.Description + "\n" + text)
		}
		row = append(row, []any{s.Anchor, s.Level, s.Title, text, strings.TrimSpace(strings.Join(s.Code, "\n"))})
	}
	return append(data, encode(row)...)
}

func encode(v any) []byte {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("search: %v", err)) // plain values can be written
	}
	return []byte(strings.TrimSuffix(out.String(), "\n"))
}
