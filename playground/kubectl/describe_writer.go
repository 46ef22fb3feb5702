package kubectl

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"kubewalk/playground/api/metav1"
)

// describer writes what describe shows: indented lines, with tabs for columns.
// Upstream: kubectl pkg/describe/describe.go, PrefixWriter.
type describer struct {
	*session
	text strings.Builder
	// known is what a Pod's variables may refer to: those that kubectl's scheme converts.
	// Upstream: describe.go, EnvValueRetriever.
	known map[string]string
}

// line writes at a level of indentation.
func (d *describer) line(level int, format string, args ...any) {
	d.text.WriteString(strings.Repeat("  ", level))
	fmt.Fprintf(&d.text, format, args...)
	d.text.WriteByte('\n')
}

// aligned is the text with its tabs made columns.
// Upstream: describe.go, tabbedString.
func (d *describer) aligned() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 8, 2, ' ', 0)
	fmt.Fprint(w, d.text.String())
	w.Flush()
	return out.String()
}

// multiline writes sorted keys and values below each other, "<none>" for none.
// Upstream: describe.go, printLabelsMultilineWithIndent.
func (d *describer) multiline(indent, title, inner, between string, m map[string]string, skip ...string) {
	var keys []string
	for _, k := range sortedKeys(m) {
		if !slices.Contains(skip, k) {
			keys = append(keys, k)
		}
	}
	d.text.WriteString(indent + title + ":" + inner)
	if len(keys) == 0 {
		d.text.WriteString("<none>\n")
		return
	}
	for i, k := range keys {
		if i > 0 {
			d.text.WriteString(indent + inner)
		}
		d.text.WriteString(k + between + m[k] + "\n")
	}
}

func (d *describer) labels(title string, m map[string]string) {
	d.multiline("", title, "\t", "=", m)
}

// annotations are like labels, but a long or large one stands below its key.
// Upstream: describe.go, printAnnotationsMultiline.
func (d *describer) annotations(m map[string]string) {
	const width = 140
	var keys []string
	for _, k := range sortedKeys(m) {
		if k != LastApplied {
			keys = append(keys, k)
		}
	}
	d.text.WriteString("Annotations:\t")
	if len(keys) == 0 {
		d.text.WriteString("<none>\n")
		return
	}
	for i, k := range keys {
		if i > 0 {
			d.text.WriteString("\t")
		}
		value := strings.TrimSuffix(m[k], "\n")
		if len(value)+len(k)+2 > width || strings.Contains(value, "\n") {
			d.text.WriteString(k + ":\n")
			for _, l := range strings.Split(value, "\n") {
				if len(l) > width-2 {
					l = l[:width-2] + "..."
				}
				d.text.WriteString("\t  " + l + "\n")
			}
			continue
		}
		d.text.WriteString(k + ": " + value + "\n")
	}
}

// head is what most kinds begin with.
func (d *describer) head(m *metav1.ObjectMeta, namespaced bool) {
	d.line(0, "Name:\t%s", m.Name)
	if namespaced {
		d.line(0, "Namespace:\t%s", m.Namespace)
	}
}

// clock is a time as describe writes it.
func clock(t metav1.Time) string { return t.UTC().Format(time.RFC1123Z) }

func none(s string) string {
	if s == "" {
		return "<none>"
	}
	return s
}

func title(b bool) string {
	if b {
		return "True"
	}
	return "False"
}
