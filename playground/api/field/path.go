package field

import (
	"strconv"
	"strings"
)

// Path leads from an object's root to a field: spec.containers[0].image. Paths are immutable and share their parents,
// so that a loop over containers costs one small allocation each. A nil Path prints as "<nil>", as upstream's.
// Upstream: apimachinery/pkg/util/validation/field/path.go, Path.
type Path struct {
	name   string // of the field; "" for a subscript
	index  string // a list's index or a map's key, when name is ""
	parent *Path
}

// NewPath makes a root path; more names are children of it.
func NewPath(name string, moreNames ...string) *Path {
	p := &Path{name: name}
	for _, name := range moreNames {
		p = &Path{name: name, parent: p}
	}
	return p
}

// Root is the path's first element.
func (p *Path) Root() *Path {
	for p.parent != nil {
		p = p.parent
	}
	return p
}

// Child is a field below p.
func (p *Path) Child(name string, moreNames ...string) *Path {
	p = &Path{name: name, parent: p}
	for _, name := range moreNames {
		p = &Path{name: name, parent: p}
	}
	return p
}

// Index is an item of the list p.
func (p *Path) Index(index int) *Path { return p.Key(strconv.Itoa(index)) }

// Key is an entry of the map p.
func (p *Path) Key(key string) *Path { return &Path{index: key, parent: p} }

// String is the path as messages show it.
func (p *Path) String() string {
	if p == nil {
		return "<nil>"
	}
	var b strings.Builder
	p.append(&b)
	return b.String()
}

func (p *Path) append(b *strings.Builder) {
	if p.parent != nil {
		p.parent.append(b)
	}
	if p.name == "" {
		b.WriteString("[" + p.index + "]")
		return
	}
	if p.parent != nil {
		b.WriteByte('.')
	}
	b.WriteString(p.name)
}
