// Package pattern matches texts with the regular expressions of schemas. In the browser, only the larger build can: the library is
// a fiftieth of what a page would load first, and few definitions have patterns.
package pattern

import "strings"

// matches is nil in a program that knows no regular expressions.
var matches func(pattern, text string) bool

// Known says whether this program can match.
func Known() bool { return matches != nil }

// Matches says whether a part of the text is as the pattern says. A pattern that is none matches nothing.
func Matches(pattern, text string) bool { return matches(pattern, text) }

// OfFormat is the pattern of what a format of schemas allows; "" for those that have none.
// Upstream: kube-openapi/pkg/validation/strfmt/default.go.
func OfFormat(format string) string { return formats[strings.ReplaceAll(format, "-", "")] }

// formats have patterns of ours: what upstream takes for a UUID is the same, e-mail addresses and URIs are checked less strictly.
var formats = map[string]string{
	"email":    `^[^@\s]+@[^@\s]+$`,
	"mac":      `^([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}$`,
	"uri":      `^([a-zA-Z][a-zA-Z0-9+.-]*:.+|/.*)$`,
	"uuid":     `(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$`,
	"uuid3":    `(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`,
	"uuid4":    `(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`,
	"uuid5":    `(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`,
	"hexcolor": `^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`,
}

// In says whether a schema has patterns, or formats that have some. It is JSON or YAML.
func In(schema string) bool {
	if strings.Contains(schema, "pattern") {
		return true
	}
	for _, after := range strings.Split(schema, "format")[1:] {
		name := strings.TrimLeft(after, `":' `)
		if end := strings.IndexAny(name, "\"',}\n\r "); end >= 0 {
			name = name[:end]
		}
		if OfFormat(name) != "" {
			return true
		}
	}
	return false
}
