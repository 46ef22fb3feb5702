package demofile

import (
	"regexp"
	"slices"
	"strings"

	"kubewalk/playground/cluster"
	"kubewalk/playground/cluster/suggest"
	"kubewalk/playground/demo/yamltree"
)

const imageExample = `{"shop:v2": {crash-after: 5s}}`

// images reads images that the demo defines, as the flags of kubewalk.dev/app.
func (b *builder) images(v value) map[string][]string {
	if !v.There() {
		return nil
	}
	out := map[string][]string{}
	v.open("images", imageExample)
	for _, e := range v.entries() {
		if strings.HasPrefix(e.Name, cluster.OwnRegistry) {
			b.Fail(e.Key, "image %q has a meaning already: give yours another name, as in shop:v2", e.Name)
		}
		flags := []string{}
		e.open("image "+e.Name, "{crash-after: 5s}")
		for _, f := range e.entries() {
			flag := "--" + f.Name
			if value := f.Text(f.Name); value != "" {
				flag += "=" + value
			}
			b.appFlag(f.Key, flag)
			manifests, _ := b.file.root.Find("manifests")
			if left := yamltree.MaxNodes; f.Name == "ready-after" && manifests.There() && !b.file.root.mentions("readinessProbe", &left) {
				b.Cure(f.Key, "add readinessProbe: {httpGet: {port: 80}} to a container", "nobody asks image %q whether it is ready", e.Name)
			}
			flags = append(flags, flag)
		}
		out[e.Name] = flags
	}
	return out
}

// mentions tells whether there is such a key anywhere below, or a text that holds it: a manifest may be one.
func (v value) mentions(key string, left *int) bool {
	if *left--; *left < 0 {
		return true // aliases can make it endless
	}
	if text, ok := v.Scalar(); ok {
		return strings.Contains(text, key)
	}
	return slices.ContainsFunc(v.entries(), func(e entry) bool { return e.Name == key || e.mentions(key, left) }) ||
		slices.ContainsFunc(v.Items(), func(item yamltree.Value) bool { return value{item}.mentions(key, left) })
}

// appFlag reports a flag of kubewalk.dev/app that is not one.
func (b *builder) appFlag(at yamltree.Place, flag string) {
	switch known, err := cluster.CheckAppFlag(flag); {
	case !known:
		name, _, _ := strings.Cut(flag, "=")
		b.Fail(at, "%sapp has no flag %q (%s)", cluster.OwnRegistry, name, suggest.Cure(name, cluster.AppFlags()))
	case err != nil:
		b.Fail(at, "%v", err)
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
	switch {
	case v.IsMapping():
		m := map[string]value{}
		for _, e := range v.entries() {
			m[e.Name] = e.value
			b.ownImages(e.value, e.Name, left)
		}
		image, isText := m["image"].Scalar()
		if isText && named(image) == cluster.OwnRegistry+"app" && !m["command"].There() {
			for _, arg := range m["args"].Items() {
				if flag, isText := arg.Scalar(); isText {
					b.appFlag(arg.At, flag)
				}
			}
		}
	case v.IsList():
		for _, item := range v.Items() {
			b.ownImages(value{item}, key, left)
		}
	default:
		text, isText := v.Scalar()
		if !isText {
			return
		}
		name, known := named(text), cluster.OwnImages()
		if strings.HasPrefix(text, name) && !strings.HasSuffix(key, "image") {
			return // a provisioner, or a word of a text
		}
		if name != "" && !slices.Contains(known, name) {
			b.Fail(v.At, "there is no image %q (%s)", name, suggest.Cure(name, known))
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
