package formula

import (
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
)

// element is one of MathML, or text when it has no name.
type element struct {
	name     string
	text     string
	attrs    []string // name, value, name, value …
	children []*element
}

// known are the elements that a page may hold, and their attributes.
var known = map[string][]string{
	"math": {"display"}, "mrow": nil, "mi": {"mathvariant"}, "mn": nil, "mtext": nil, "mphantom": nil,
	"mo":     {"form", "fence", "separator", "stretchy", "symmetric", "largeop", "movablelimits", "lspace", "rspace", "minsize", "maxsize", "accent"},
	"mspace": {"width"}, "mfrac": {"linethickness"}, "msqrt": nil, "mroot": nil, "msub": nil, "msup": nil, "msubsup": nil,
	"munder": {"accentunder"}, "mover": {"accent"}, "munderover": {"accent", "accentunder"}, "mmultiscripts": nil, "mprescripts": nil, "none": nil,
	"mtable": {"displaystyle"}, "mtr": nil, "mtd": {"columnspan", "rowspan"},
	"mstyle": {"displaystyle", "scriptlevel"}, "mpadded": {"width", "height", "depth", "lspace", "voffset"}, "menclose": nil,
}

// classes are those of ours for what Temml says by class or style.
var classes = map[string]string{
	"tml-left": "math-start", "tml-right": "math-end", "tml-overline": "math-over", "tml-underline": "math-under", "tml-cancel": "math-cancel",
	"padding-left:1em": "math-far", "padding-left:0em": "math-flush-start", "padding-left:0pt": "math-flush-start", "padding-right:0em": "math-flush-end",
	"padding-right:0pt":          "math-flush-end",
	"border-bottom:0.06em solid": "math-under", "border-top:0.06em solid": "math-over", "border-right:0.06em solid": "math-rule",
	"border:1px solid": "math-box",
}

// read parses what Temml wrote, and keeps what a page may hold. Wrong says what
// there is that no page can show.
func read(mathML string) (root *element, wrong string) {
	decoder := xml.NewDecoder(strings.NewReader(mathML))
	stack := []*element{{}}
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, "what it became is not well-formed: " + err.Error()
		}
		top := stack[len(stack)-1]
		switch t := token.(type) {
		case xml.CharData:
			if s := string(t); s != "" {
				top.children = append(top.children, &element{text: s})
			}
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.StartElement:
			e := &element{name: t.Name.Local}
			allowed, ok := known[e.name]
			if !ok {
				return nil, fmt.Sprintf("%q cannot be shown; formulas have no numbers, links or pictures", e.name)
			}
			var class []string
			for _, a := range t.Attr {
				switch {
				case a.Name.Local == "class" || a.Name.Local == "style":
					for _, part := range strings.FieldsFunc(a.Value, func(r rune) bool { return r == ';' || r == ' ' && a.Name.Local == "class" }) {
						part = strings.TrimSpace(part)
						if c := classes[part]; c != "" && !slices.Contains(class, c) {
							class = append(class, c)
						}
						if colour, ok := strings.CutPrefix(part, "color:"); ok && colour != "undefined" {
							return nil, "colours in a formula; a page has its own, light and dark"
						}
					}
				case a.Name.Local == "mathcolor" || a.Name.Local == "mathbackground":
					return nil, "colours and rules in a formula; a page has its own, light and dark"
				case slices.Contains(allowed, a.Name.Local) && a.Value != "":
					e.attrs = append(e.attrs, a.Name.Local, a.Value)
				}
			}
			if len(class) > 0 {
				e.attrs = append(e.attrs, "class", strings.Join(class, " "))
			}
			top.children = append(top.children, e)
			stack = append(stack, e)
		}
	}
	if len(stack[0].children) != 1 || stack[0].children[0].name != "math" {
		return nil, "it became something else"
	}
	return stack[0].children[0], ""
}

// write writes a formula with its LaTeX, which a reader who copies it gets.
func (e *element) write(tex, words string, display bool) string {
	var b strings.Builder
	b.WriteString("<math")
	if display {
		b.WriteString(` display="block"`)
	}
	fmt.Fprintf(&b, ` alttext="%s"><semantics>`, html.EscapeString(words))
	inside := &element{name: "mrow", children: e.children}
	if len(e.children) == 1 && e.children[0].name != "" {
		inside = e.children[0]
	}
	inside.markup(&b)
	fmt.Fprintf(&b, `<annotation encoding="application/x-tex">%s</annotation></semantics></math>`, html.EscapeString(strings.TrimSpace(tex)))
	return b.String()
}

func (e *element) markup(b *strings.Builder) {
	if e.name == "" {
		b.WriteString(html.EscapeString(e.text))
		return
	}
	b.WriteString("<" + e.name)
	for i := 0; i < len(e.attrs); i += 2 {
		fmt.Fprintf(b, ` %s="%s"`, e.attrs[i], html.EscapeString(e.attrs[i+1]))
	}
	b.WriteString(">")
	for _, child := range e.children {
		child.markup(b)
	}
	b.WriteString("</" + e.name + ">")
}
