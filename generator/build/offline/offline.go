// Package offline makes what a book needs to be read without a connection and to be
// installed: the service worker, the list of what it can keep, the manifests and
// their icons. It knows files by their place in the site only.
package offline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"kubewalk/generator/build/compressed"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/output"
	"kubewalk/generator/dom"
)

// The addresses, below the site's root.
const (
	Worker       = "sw.js"           // at the root: it serves all pages
	List         = "offline.json"    // of what can be kept
	Folder       = "offline"         // in each language's: the page about it
	ManifestFile = "app.webmanifest" // likewise: the manifest
	Images       = "icons"           // the icons drawn of the book's
)

// Site is what there is to keep.
type Site struct {
	Prefix    string   // of addresses: "/book" or ""
	Languages []string // the first is the one for addresses without a language
	Script    []byte   // the worker's
	// Versions are what stands behind the addresses of demos' files, by demo.
	Versions map[string]string
}

// file is [address, bytes, language, layout]: site/offline/stores.ts, Entry.
type file [4]any

// Put writes the worker and its list into a tree that is complete but for them.
func Put(tree *output.Tree, s Site) error {
	files := []file{}
	var room []byte
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	for _, name := range tree.Paths() {
		address, language, layout, ok := s.kept(name)
		if !ok {
			continue
		}
		data, _ := tree.GetInto(&room, name)
		files = append(files, file{address, len(data), language, layout})
		fmt.Fprintf(sum, "%s %d\n", address, len(data))
		if path.Ext(name) == ".html" { // the others have their content's hash in their address
			_, _ = sum.Write(data)
		}
	}
	version := fmt.Sprintf("%08x", sum.Sum32())
	list, err := json.Marshal(map[string]any{"version": version, "files": files})
	if err != nil {
		return err
	}
	tree.Put(List, list)
	fallbacks := map[string]string{}
	shell := []string{}
	for _, language := range s.Languages {
		fallbacks[language] = s.Prefix + "/" + language + "/" + Folder + "/"
		page, ok := tree.GetInto(&room, language+"/"+Folder+"/index.html")
		if !ok {
			return fmt.Errorf("offline: there is no page %s", fallbacks[language])
		}
		loaded, err := loads(page)
		if err != nil {
			return fmt.Errorf("offline: page %s: %w", fallbacks[language], err)
		}
		for _, address := range loaded {
			if name, ok := strings.CutPrefix(address, s.Prefix+"/"); ok && tree.Has(name) && !slices.Contains(shell, address) {
				shell = append(shell, address)
			}
		}
	}
	slices.Sort(shell)
	site, err := json.Marshal(map[string]any{"version": version, "base": s.Prefix + "/", "fallbacks": fallbacks, "shell": shell})
	if err != nil {
		return err
	}
	tree.Put(Worker, slices.Concat([]byte("const site="), site, []byte(";\n"), s.Script))
	return nil
}

// loads are the addresses that a page names as its style sheets, scripts and icon.
func loads(page []byte) (out []string, err error) {
	for z := html.NewTokenizer(bytes.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); err != io.EOF {
				return nil, err
			}
			return out, nil
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			tag := &html.Node{Data: t.Data, Attr: t.Attr}
			switch {
			case t.Data == "script" && dom.Has(tag, "src"):
				out = append(out, dom.Attribute(tag, "src"))
			case t.Data == "link" && slices.Contains([]string{"stylesheet", "icon"}, dom.Attribute(tag, "rel")):
				out = append(out, dom.Attribute(tag, "href"))
			}
		}
	}
}

// kept tells how a file is known to the worker, and who needs it; ok is false for
// what is not read by readers, or can be had without the book.
func (s *Site) kept(name string) (address, language, layout string, ok bool) {
	top, rest, inFolder := strings.Cut(name, "/")
	address = s.Prefix + "/" + name
	switch {
	case name == "index.html":
		return s.Prefix + "/", "", "", true
	case !inFolder || path.Ext(name) == ".map":
		return "", "", "", false
	case slices.Contains(s.Languages, top):
		if path.Base(name) != "index.html" {
			return "", "", "", false
		}
		return strings.TrimSuffix(address, "index.html"), top, "", true
	case top == "demos":
		demo, file, _ := strings.Cut(rest, "/")
		if path.Ext(file) == compressed.Ext || path.Ext(file) == ".svg" {
			address += "?v=" + s.Versions[demo]
		}
		return address, s.languageIn(file), layoutIn(file), true
	case top == headers.Assets, top == "search":
		return address, s.languageIn(rest), "", true
	}
	return "", "", "", false
}

// languageIn is the language that a file's name holds as a word: "first-en-wide.svg".
func (s *Site) languageIn(name string) string {
	for _, word := range words(name) {
		if slices.Contains(s.Languages, word) {
			return word
		}
	}
	return ""
}

func layoutIn(name string) string {
	for _, word := range words(name) {
		if word == "wide" || word == "narrow" {
			return word
		}
	}
	return ""
}

func words(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '.' || r == '/' })
}
