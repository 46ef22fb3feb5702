// Package hosting writes the configuration of web servers that read no _headers and no _redirects:
// nginx and Caddy. It is made of those two files of a finished site, so
// every host sends what the build says (generator/build/headers).
//
// They differ from Netlify in one thing: a page that is not found has the headers of 404.html,
// whatever its address is.
package hosting

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/output"
	"kubewalk/generator/build/redirects"
	"kubewalk/generator/publish/precompressed"
)

// Site is what a server has to know.
type Site struct {
	Folder    string // in which the site lies on the server, absolute
	Host      string // "book.example" or "127.0.0.1:8080"
	Prefix    string // of its addresses: "/book", or ""
	Headers   headers.Rules
	Redirects []redirects.Rule
	Hidden    []string // files at the top that are nobody's to read
	Types     []Type   // of all files, in order
	Encodings []string // of files that are there compressed as well: "br", "gzip", "zstd"
}

// Type is a media type, and the ends of names that it belongs to, without dots.
type Type struct {
	Name       string
	Extensions []string
}

// formats write a server's configuration.
var formats = map[string]func(Site) string{"nginx": nginx, "caddy": caddy}

// Servers are those that there are configurations for.
func Servers() []string { return slices.Sorted(maps.Keys(formats)) }

// Format is the configuration of one of Servers.
func (s Site) Format(server string) string { return formats[server](s) }

// Read looks at a site that a build wrote, and was told the address of.
func Read(dir, base string) (Site, error) {
	at, err := url.Parse(strings.TrimSuffix(base, "/"))
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return Site{}, fmt.Errorf("base URL %q is not an address (give the one that the site is built with, as in --base-url https://example.org)", base)
	}
	s := Site{Host: at.Host, Prefix: at.Path}
	if s.Folder, err = filepath.Abs(dir); err != nil {
		return Site{}, err
	}
	written, err := os.ReadFile(filepath.Join(dir, output.MarkerFile))
	if errors.Is(err, fs.ErrNotExist) {
		folder := filepath.ToSlash(dir)
		return Site{}, fmt.Errorf("%s: there is no site (write it first: kubewalk build --base-url %s --out %s)", folder, base, folder)
	} else if err != nil {
		return Site{}, err
	}
	if s.Headers, err = headers.Parse(string(written)); err != nil {
		return Site{}, err
	}
	if len(s.Headers) == 0 {
		return Site{}, fmt.Errorf("%s: the site is one to open from a folder, which needs no server (build it without --portable)", filepath.ToSlash(dir))
	}
	if built, known := s.builtFor(); known && built != s.Prefix {
		return Site{}, fmt.Errorf("%s: the site is built for addresses that begin with %q, and %s has %q (build it with the same --base-url)",
			filepath.ToSlash(dir), built+"/", base, s.Prefix+"/")
	}
	if lines, err := os.ReadFile(filepath.Join(dir, redirects.File)); err == nil {
		s.Redirects = redirects.Parse(string(lines)).Rules()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return Site{}, err
	}
	return s, s.look(dir)
}

// builtFor is the prefix that the site was built with, by the address of its speculation rules.
func (s Site) builtFor() (prefix string, known bool) {
	for _, rule := range s.Headers {
		for _, h := range rule.Headers {
			if h.Name == "Speculation-Rules" {
				prefix, _, known = strings.Cut(strings.Trim(h.Value, `"`), "/"+headers.Assets+"/")
				return prefix, known
			}
		}
	}
	return "", false
}

// look finds out what there is: files that are hidden, types and encodings.
func (s *Site) look(dir string) error {
	types, encodings := map[string][]string{}, map[string]bool{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if inFolder := filepath.Dir(name) == filepath.Clean(dir); inFolder && strings.ContainsRune("_.", rune(entry.Name()[0])) {
			s.Hidden = append(s.Hidden, entry.Name())
			return nil
		}
		if original, encoding, ok := precompressed.Of(name); ok {
			if _, err := os.Stat(original); err == nil {
				encodings[encoding] = true
				return nil
			}
		}
		ext, kind := path.Ext(entry.Name()), headers.TypeOf(entry.Name())
		if kind != "" && !slices.Contains(types[kind], ext[1:]) {
			types[kind] = append(types[kind], ext[1:])
		}
		return nil
	})
	for _, name := range slices.Sorted(maps.Keys(types)) {
		slices.Sort(types[name])
		s.Types = append(s.Types, Type{name, types[name]})
	}
	s.Encodings = slices.Sorted(maps.Keys(encodings))
	return err
}

// everywhere are the headers of all paths.
func (s Site) everywhere() []headers.Header {
	for _, rule := range s.Headers {
		if rule.Path == everyPath {
			return rule.Headers
		}
	}
	return nil
}

const (
	everyPath = "/*"
	notFound  = "/404.html"
)

// names are those of all headers, in the order of the rules.
func (s Site) names() (out []string) {
	for _, rule := range s.Headers {
		for _, h := range rule.Headers {
			if !slices.Contains(out, h.Name) {
				out = append(out, h.Name)
			}
		}
	}
	return out
}

// comment says what the file is, for servers whose comments begin with "#".
func (s Site) comment(server string) string {
	return fmt.Sprintf("# Written by `kubewalk hosting %s` from _headers and _redirects of the site: write it again with each build,\n"+
		"# since some rules name files that change.\n", server)
}
