package picture

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kubewalk/generator/problem"
)

// banned are elements that run something or bring other markup in.
var banned = []string{"script", "foreignObject", "iframe", "object", "embed", "audio", "video", "handler", "listener"}

var outside = regexp.MustCompile(`(?i)@import|url\(\s*['"]?\s*([^)'"\s#][^)'"]*)`)

// checkSVG reads an SVG's size: width and height, else its viewBox. It must be
// well-formed, run nothing and ask for nothing that is not in the file.
func checkSVG(file string, data []byte) (width, height int, err error) {
	var problems problem.List
	decoder := xml.NewDecoder(bytes.NewReader(data))
	start := 0 // of the token
	wrong := func(message, cure string) {
		line, column := problem.Place(data, start)
		problems.Add(problem.Problem{File: file, Line: line, Column: column, Message: message, Cure: cure})
	}
	depth, style := 0, false
	for {
		start = int(decoder.InputOffset())
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			wrong("SVG is not well-formed: "+strings.TrimPrefix(err.Error(), "XML syntax error on "), "save it again with the program that drew it")
			break
		}
		switch t := token.(type) {
		case xml.Directive:
			if bytes.Contains(t, []byte("ENTITY")) {
				wrong("entities in an SVG", "save it again without them")
			}
		case xml.CharData:
			if style {
				checkAddress(outside.FindSubmatch(t), wrong)
			}
		case xml.EndElement:
			depth, style = depth-1, false
		case xml.StartElement:
			if depth == 0 {
				if t.Name.Local != "svg" {
					wrong(fmt.Sprintf("element %q where an SVG begins", t.Name.Local), "its first element has to be <svg>")
				}
				width, height = sizeOfSVG(t.Attr)
			}
			depth++
			style = t.Name.Local == "style"
			if slices.ContainsFunc(banned, func(b string) bool { return strings.EqualFold(b, t.Name.Local) }) {
				wrong(fmt.Sprintf("element %q in an SVG", t.Name.Local), "images must not run anything; remove it")
			}
			for _, a := range t.Attr {
				checkAttribute(a, wrong)
			}
		}
	}
	if problems.Len() == 0 && (width == 0 || height == 0) {
		problems.Add(problem.Problem{File: file, Message: "SVG without a size", Cure: "give <svg> a viewBox, or width and height in px"})
	}
	return width, height, problems.Err()
}

func checkAttribute(a xml.Attr, wrong func(message, cure string)) {
	name, value := strings.ToLower(a.Name.Local), strings.TrimSpace(a.Value)
	switch {
	case strings.HasPrefix(name, "on"):
		wrong(fmt.Sprintf("attribute %q in an SVG", a.Name.Local), "images must not run anything; remove it")
	case name == "href" || name == "src":
		lower := strings.ToLower(value)
		if !strings.HasPrefix(value, "#") && !strings.HasPrefix(lower, "data:image/png") && !strings.HasPrefix(lower, "data:image/jpeg") &&
			!strings.HasPrefix(lower, "data:image/webp") {
			wrong(fmt.Sprintf("address %q in an SVG", value), "images must not load anything; put it into the file, as #id or data:image/png")
		}
	default:
		checkAddress(outside.FindSubmatch([]byte(value)), wrong)
	}
}

func checkAddress(found [][]byte, wrong func(message, cure string)) {
	if found == nil || strings.HasPrefix(strings.ToLower(string(found[1])), "data:") {
		return
	}
	wrong(fmt.Sprintf("address %q in an SVG", found[0]), "images must not load anything; put it into the file")
}

func sizeOfSVG(attributes []xml.Attr) (width, height int) {
	var w, h float64
	for _, a := range attributes {
		switch a.Name.Local {
		case "width":
			w = pixels(a.Value)
		case "height":
			h = pixels(a.Value)
		}
	}
	for _, a := range attributes {
		if box := strings.FieldsFunc(a.Value, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '\t' }); a.Name.Local == "viewBox" &&
			len(box) == 4 {
			bw, bh := pixels(box[2]), pixels(box[3])
			switch {
			case bw == 0 || bh == 0:
			case w == 0 && h == 0:
				w, h = bw, bh
			case w == 0:
				w = h * bw / bh
			case h == 0:
				h = w * bh / bw
			}
		}
	}
	return int(w + 0.5), int(h + 0.5)
}

// pixels reads a length; 0 for one that depends on what stands around it.
func pixels(s string) float64 {
	s = strings.TrimSpace(s)
	unit := 1.0
	for name, px := range map[string]float64{"px": 1, "pt": 4.0 / 3, "pc": 16, "in": 96, "mm": 96 / 25.4, "cm": 96 / 2.54} {
		if rest, ok := strings.CutSuffix(s, name); ok {
			s, unit = rest, px
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f*unit > 100_000 || f < 0 {
		return 0
	}
	return f * unit
}
