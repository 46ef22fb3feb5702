package epub

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
)

// Check reads a book as a strict reader would, and says what EPUB 3.3 does not
// allow: a file that is not listed or not there, XML that is not well-formed, an
// id used twice, a link or a picture that leads nowhere, a property that does not
// say what a page holds. Whoever writes a book checks it before others get it.
func Check(data []byte) error {
	c := &checker{files: map[string][]byte{}, pages: map[string]*page{}}
	c.check(data)
	var errs []error
	for _, p := range c.problems {
		errs = append(errs, errors.New("epub: "+p))
	}
	return errors.Join(errs...)
}

type checker struct {
	files    map[string][]byte
	pages    map[string]*page // by name
	problems []string
}

// page is a file of XML.
type page struct {
	ids        map[string]bool
	links      []string // href, src
	references []string // ids that attributes name
	elements   map[string]bool
	toc        bool
}

func (c *checker) wrong(format string, arguments ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, arguments...))
}

func (c *checker) check(data []byte) {
	if len(data) < 58 || string(data[30:58]) != "mimetypeapplication/epub+zip" {
		c.wrong("the file does not begin with its type, uncompressed")
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		c.wrong("not a zip: %v", err)
		return
	}
	for _, f := range z.File {
		if _, twice := c.files[f.Name]; twice {
			c.wrong("%s is there twice", f.Name)
		}
		r, err := f.Open()
		if err != nil {
			c.wrong("%s: %v", f.Name, err)
			continue
		}
		text, err := io.ReadAll(r)
		if err != nil {
			c.wrong("%s: %v", f.Name, err)
		}
		c.files[f.Name] = text
	}
	var container struct {
		Roots []struct {
			Path string `xml:"full-path,attr"`
		} `xml:"rootfiles>rootfile"`
	}
	if err := xml.Unmarshal(c.files["META-INF/container.xml"], &container); err != nil || len(container.Roots) != 1 {
		c.wrong("META-INF/container.xml names no package: %v", err)
		return
	}
	c.opf(container.Roots[0].Path)
}

type opf struct {
	Version  string `xml:"version,attr"`
	Unique   string `xml:"unique-identifier,attr"`
	Metadata struct {
		Identifiers []struct {
			ID   string `xml:"id,attr"`
			Text string `xml:",chardata"`
		} `xml:"identifier"`
		Titles    []string `xml:"title"`
		Languages []string `xml:"language"`
		Metas     []struct {
			Property string `xml:"property,attr"`
			Text     string `xml:",chardata"`
		} `xml:"meta"`
	} `xml:"metadata"`
	Items []struct {
		ID         string `xml:"id,attr"`
		Href       string `xml:"href,attr"`
		Type       string `xml:"media-type,attr"`
		Properties string `xml:"properties,attr"`
	} `xml:"manifest>item"`
	Spine []struct {
		ID string `xml:"idref,attr"`
	} `xml:"spine>itemref"`
}

func (c *checker) opf(name string) {
	var p opf
	if err := xml.Unmarshal(c.files[name], &p); err != nil {
		c.wrong("%s: %v", name, err)
		return
	}
	if p.Version != "3.0" || len(p.Metadata.Titles) == 0 || p.Metadata.Titles[0] == "" || len(p.Metadata.Languages) == 0 || p.Metadata.Languages[0] == "" {
		c.wrong("the package lacks a title, a language, or version 3.0")
	}
	unique := false
	for _, i := range p.Metadata.Identifiers {
		unique = unique || i.ID == p.Unique && strings.TrimSpace(i.Text) != ""
	}
	if !unique {
		c.wrong("the package has no identifier")
	}
	counts := map[string]int{}
	for _, m := range p.Metadata.Metas {
		counts[m.Property]++
		if m.Property == "dcterms:modified" {
			if _, err := time.Parse("2006-01-02T15:04:05Z", m.Text); err != nil {
				c.wrong("time of the last change is %q", m.Text)
			}
		}
	}
	for _, property := range []string{"dcterms:modified", "schema:accessMode", "schema:accessibilityFeature", "schema:accessibilityHazard",
		"schema:accessibilitySummary", "schema:accessModeSufficient"} {
		if counts[property] == 0 || property == "dcterms:modified" && counts[property] != 1 {
			c.wrong("the package says %s %d times", property, counts[property])
		}
	}
	listed := map[string]string{} // id by name
	ids := map[string]bool{}
	navs, covers := 0, 0
	properties := map[string][]string{}
	for _, i := range p.Items {
		full := path.Join(path.Dir(name), i.Href)
		if ids[i.ID] || listed[full] != "" || !ncName(i.ID) {
			c.wrong("item %q (%s) is listed twice, or its id is none", i.ID, i.Href)
		}
		ids[i.ID], listed[full] = true, i.ID
		if _, ok := c.files[full]; !ok {
			c.wrong("%s is listed and not there", i.Href)
		}
		properties[full] = strings.Fields(i.Properties)
		if slices.Contains(properties[full], "nav") {
			navs++
		}
		if slices.Contains(properties[full], "cover-image") {
			covers++
		}
		if want := typeOf(i.Href); i.Type != want || want == "" {
			c.wrong("%s is listed as %q, not %q", i.Href, i.Type, want)
		}
		if i.Type == xhtmlType || i.Type == types[".svg"] {
			c.pages[full] = c.read(full, c.files[full])
		}
	}
	if navs != 1 || covers > 1 {
		c.wrong("%d navigation documents, %d covers", navs, covers)
	}
	inSpine := map[string]bool{}
	for _, ref := range p.Spine {
		if !ids[ref.ID] || inSpine[ref.ID] {
			c.wrong("the spine names %q, which is not listed, or is there twice", ref.ID)
		}
		inSpine[ref.ID] = true
	}
	for full, text := range c.files {
		if listed[full] == "" && full != name && full != "mimetype" && !strings.HasPrefix(full, "META-INF/") {
			c.wrong("%s (%d bytes) is not listed", full, len(text))
		}
	}
	for full, page := range c.pages {
		c.places(full, page, listed, inSpine)
		if strings.HasSuffix(full, ".xhtml") {
			for element, property := range map[string]string{"svg": "svg", "math": "mathml"} {
				if page.elements[element] != slices.Contains(properties[full], property) {
					c.wrong("%s: property %s does not say what it holds", full, property)
				}
			}
			if page.elements["script"] {
				c.wrong("%s holds a script", full)
			}
			if slices.Contains(properties[full], "nav") && !page.toc {
				c.wrong("%s has no table of contents", full)
			}
		}
	}
}

func typeOf(name string) string {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".xhtml":
		return xhtmlType
	case ".css":
		return "text/css"
	default:
		return types[ext]
	}
}

func ncName(text string) bool { return name(text) && !strings.Contains(text, ":") }

// places checks where a page's links and pictures lead.
func (c *checker) places(full string, p *page, listed map[string]string, inSpine map[string]bool) {
	for _, id := range p.references {
		if !p.ids[id] {
			c.wrong("%s: %q is no id of it", full, id)
		}
	}
	for _, link := range p.links {
		address, isLink := strings.CutPrefix(link, "href ")
		address = strings.TrimPrefix(address, "src ")
		u, err := url.Parse(address)
		if err != nil {
			c.wrong("%s: address %q: %v", full, address, err)
			continue
		}
		if u.Scheme != "" || u.Host != "" {
			if !isLink || u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "mailto" {
				c.wrong("%s: %q is not in the book", full, address)
			}
			continue
		}
		target := full
		if u.Path != "" {
			target = path.Join(path.Dir(full), u.Path)
		}
		if listed[target] == "" || strings.HasPrefix(u.Path, "/") {
			c.wrong("%s: %q leads nowhere", full, address)
			continue
		}
		if isLink && strings.HasSuffix(target, ".xhtml") && !inSpine[listed[target]] {
			c.wrong("%s: %q leads to a page that is not in the spine", full, address)
		}
		if u.Fragment != "" && c.pages[target] != nil && !c.pages[target].ids[u.Fragment] {
			c.wrong("%s: %q leads to no place", full, address)
		}
	}
}

// spaces are where elements belong that the manifest tells of.
var spaces = map[string]string{"svg": "http://www.w3.org/2000/svg", "math": "http://www.w3.org/1998/Math/MathML"}

// read reads a file of XML strictly.
func (c *checker) read(name string, text []byte) *page {
	p := &page{ids: map[string]bool{}, elements: map[string]bool{}}
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return p
		}
		if err != nil {
			c.wrong("%s: %v", name, err)
			return p
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if element.Name.Space == "" {
			c.wrong("%s: element %s is of no namespace", name, element.Name.Local)
		}
		if space, ok := spaces[element.Name.Local]; !ok || space == element.Name.Space {
			p.elements[element.Name.Local] = true
		}
		alt := false
		for _, a := range element.Attr {
			switch a.Name.Local {
			case "id":
				if p.ids[a.Value] {
					c.wrong("%s: id %q is used twice", name, a.Value)
				}
				p.ids[a.Value] = true
			case "href", "src":
				p.links = append(p.links, a.Name.Local+" "+a.Value)
			case "aria-labelledby", "aria-describedby", "headers", "for":
				p.references = append(p.references, strings.Fields(a.Value)...)
			case "type":
				p.toc = p.toc || a.Name.Space == "http://www.idpf.org/2007/ops" && a.Value == "toc"
			case "alt":
				alt = true
			case "style":
				c.wrong("%s: style of %s", name, element.Name.Local)
			}
			if strings.HasPrefix(a.Name.Local, "on") {
				c.wrong("%s: handler %s", name, a.Name.Local)
			}
		}
		if element.Name.Local == "img" && !alt {
			c.wrong("%s: a picture without words", name)
		}
	}
}
