package search

import (
	"maps"
	"slices"

	"kubewalk/playground/api"
)

// Name says that who asks for one thing means another, by the name that the book has
// for it: a synonym, an abbreviation. The first that is said of a word holds.
func (x *Index) Name(asked, name string) {
	if x.names == nil {
		x.names = map[string]string{}
	}
	if asked = lower(fold(asked)); x.names[asked] == "" {
		x.names[asked] = name
	}
}

// NameKinds has kinds found by the short names that kubectl knows them by: rs, svc, hpa.
func (x *Index) NameKinds() {
	for _, k := range api.Kinds() {
		for _, short := range k.ShortNames {
			x.Name(short, k.Kind)
		}
	}
}

// About says which page explains what the book calls by a name. Who asks for it, by this name
// or by another that Name has for it, finds that page before those that only mention it.
func (x *Index) About(name, url string) { x.about = append(x.about, [2]string{name, url}) }

// explained are the names that a page of the book explains, each with the page's number.
func (x *Index) explained() [][2]any {
	numbers := map[string]int{}
	for i := range x.pages {
		numbers[x.pages[i].URL] = i
	}
	out := [][2]any{}
	for _, a := range x.about {
		if number, ok := numbers[a[1]]; ok {
			out = append(out, [2]any{a[0], number})
		}
	}
	return out
}

// known are the names that stand somewhere in the book, in order. Others would lead nowhere.
func (x *Index) known() [][2]string {
	out := [][2]string{}
	for _, asked := range slices.Sorted(maps.Keys(x.names)) {
		if name := x.names[asked]; x.holds(name) {
			out = append(out, [2]string{asked, name})
		}
	}
	return out
}

// holds tells whether all terms of a text stand somewhere in the book.
func (x *Index) holds(text string) bool {
	all := true
	has := func(term string) {
		if _, ok := x.ids[term]; !ok {
			all = false
		}
	}
	for p := range pieces(fold(text)) {
		if !p.japanese {
			for _, part := range split(p.text).parts {
				if !stopWords[part] {
					has(part)
				}
			}
			continue
		}
		// The last character of a run is a term of its own only where a run ends with it.
		runes := japanese(p.text)
		for i := 1; i < len(runes); i++ {
			has(string(runes[i-1 : i+1]))
		}
	}
	return all
}
