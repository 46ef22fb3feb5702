package demofile

import (
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"kubewalk/playground/cluster"
	"kubewalk/playground/cluster/suggest"
)

const imageExample = "{shop:v2: {crash-after: 5s}}"

// images reads images that the demo defines, as the flags of kubewalk.dev/app.
func (b *builder) images(v value) map[string][]string {
	if !v.there() {
		return nil
	}
	out := map[string][]string{}
	v.open("images", imageExample)
	for _, e := range v.entries() {
		if strings.HasPrefix(e.name, cluster.OwnRegistry) {
			b.fail(e.at, "image %q has a meaning already: give yours another name, as in shop:v2", e.name)
		}
		flags := []string{}
		e.open("image "+e.name, "{crash-after: 5s}")
		for _, f := range e.entries() {
			flag := "--" + f.name
			if value := f.text(f.name); value != "" {
				flag += "=" + value
			}
			b.appFlag(f.at, flag)
			flags = append(flags, flag)
		}
		out[e.name] = flags
	}
	return out
}

// appFlag reports a flag of kubewalk.dev/app that is not one.
func (b *builder) appFlag(at place, flag string) {
	switch known, err := cluster.CheckAppFlag(flag); {
	case !known:
		name, _, _ := strings.Cut(flag, "=")
		b.fail(at, "%sapp has no flag %q (%s)", cluster.OwnRegistry, name, suggest.Cure(name, cluster.AppFlags()))
	case err != nil:
		b.fail(at, "%v", err)
	}
}

// ownImage is one of ours: as an image, or in a command line.
var ownImage = regexp.MustCompile(`(?:^|=|--image )(kubewalk\.dev/[\w.-]+)`)

// ownImages looks for images of ours that are not there, within what a key holds, and for
// flags that they do not have.
func (b *builder) ownImages(v value, key string, left *int) {
	if *left--; *left < 0 {
		return // aliases can make it endless
	}
	switch n := v.node.(type) {
	case *ast.MappingNode:
		m := map[string]value{}
		for _, e := range v.entries() {
			m[e.name] = e.value
			b.ownImages(e.value, e.name, left)
		}
		image, isText := scalar(m["image"].node)
		if isText && named(image) == cluster.OwnRegistry+"app" && !m["command"].there() {
			args, isList := m["args"].node.(*ast.SequenceNode)
			for i := 0; isList && i < len(args.Values); i++ {
				arg := v.value(args.Values[i], nil)
				if flag, isText := scalar(arg.node); isText {
					b.appFlag(arg.at, flag)
				}
			}
		}
	case *ast.SequenceNode:
		for _, item := range n.Values {
			b.ownImages(v.value(item, nil), key, left)
		}
	default:
		text, isText := scalar(n)
		if !isText {
			return
		}
		name, known := named(text), cluster.OwnImages()
		if strings.HasPrefix(text, name) && !strings.HasSuffix(key, "image") {
			return // a provisioner, or a word of a text
		}
		if name != "" && !slices.Contains(known, name) {
			b.fail(v.at, "there is no image %q (%s)", name, suggest.Cure(name, known))
		}
	}
}

// named is the image of ours that a text names, without its tag; "" when it names none.
func named(text string) string {
	if m := ownImage.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// imageSchema is what an image may be, for editors.
func imageSchema() object {
	properties := object{}
	for _, flag := range cluster.AppFlags() {
		properties[strings.TrimPrefix(flag, "--")] = text.json
	}
	return object{"type": "object", "properties": properties, "additionalProperties": false}
}
