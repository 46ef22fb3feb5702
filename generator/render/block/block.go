// Package block makes the blocks of a book's own: HTML with places for what an author
// writes in Markdown, and a list of what that may be.
package block

import (
	"html/template"
	"reflect"

	"kubewalk/generator/book/content"
	"kubewalk/generator/render/fragment"
)

// Block is one. It can be drawn by several at once.
type Block struct {
	Name string
	*content.BlockSpec
	fragment *fragment.Fragment
}

// Image is what a parameter of that type is.
type Image struct {
	URL           string // empty when none is given
	Dark          string // of a dark page; empty when there is none
	Width, Height int    // in pixels of CSS
}

// fields are what every block knows.
type fields struct {
	Body, Label                      template.HTML
	Anchor, Language, Title, Chapter string
	Number                           int
}

// Use is a block at a place of a chapter.
type Use struct {
	Body, Label template.HTML
	Anchor      string // as the author wrote it; "" without one
	Language    string
	Title       string         // of the chapter
	Chapter     string         // its address
	Number      int            // of this use on the page, from 1: no other block there has it
	Values      map[string]any // of all parameters that are given
}

var types = map[string]reflect.Type{
	content.ParameterNumber: reflect.TypeFor[int](), content.ParameterBoolean: reflect.TypeFor[bool](), content.ParameterImage: reflect.TypeFor[Image](),
	content.ParameterLink: reflect.TypeFor[template.URL](),
}

func typeOf(p content.BlockParameter) reflect.Type {
	if t := types[p.Type]; t != nil {
		return t
	}
	return reflect.TypeFor[string]()
}

// New makes a block of its HTML. The error is all that is wrong with that, as problem.Errors.
func New(name string, spec *content.BlockSpec, source fragment.Source) (*Block, error) {
	source.Of, source.Data = "block "+name, fragment.TypeOf(reflect.TypeFor[fields]()).Map()
	for name, p := range spec.Parameters {
		source.Data.Fields[name] = fragment.TypeOf(typeOf(p))
	}
	f, err := fragment.Parse(source)
	return &Block{name, spec, f}, err
}

// Uses tells whether the HTML names a field.
func (b *Block) Uses(field string) bool { return b.fragment.Uses(field) }

// Draw is the block's HTML.
func (b *Block) Draw(u Use) (template.HTML, error) {
	data := map[string]any{"Body": u.Body, "Label": u.Label, "Anchor": u.Anchor, "Language": u.Language, "Title": u.Title, "Chapter": u.Chapter, "Number": u.Number}
	for name, p := range b.Parameters {
		data[name] = reflect.Zero(typeOf(p)).Interface()
		if p.Default != nil {
			data[name], _, _ = p.Value(name, *p.Default)
		}
		if v, ok := u.Values[name]; ok {
			data[name] = v
		}
	}
	return b.fragment.Draw(u.Language, data)
}
