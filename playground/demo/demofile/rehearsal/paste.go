package rehearsal

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/trace"
)

// mostPasted is for how many events lines are printed: nobody chooses among more.
const mostPasted = 20

// paste prints, for each event, a mark at it and a claim that it happens, as they stand
// in a demo's file.
func paste(s *scenario.Scenario, t *trace.Recorder, events []*trace.Event, languages []string, out io.Writer) error {
	var b strings.Builder
	ids := map[string]bool{}
	for _, m := range s.Marks {
		ids[m.ID] = true
	}
	for i, e := range events {
		if i == mostPasted {
			fmt.Fprintf(&b, "# and %d more: select fewer with --who, --object, --op and --from\n", len(events)-i)
			break
		}
		m := matching(e)
		after, start := "", s.Setup
		for _, st := range s.Steps {
			if st.ID != "" && st.At <= e.At {
				after, start = st.ID, st.At
			}
		}
		fmt.Fprintf(&b, "# #%d at %v: %s\nmarks:\n  - id: %s\n", e.ID, (e.At - s.Setup).Round(time.Microsecond), m, unique(ids, e))
		if after != "" {
			fmt.Fprintf(&b, "    after: %s\n", after)
		}
		fmt.Fprintf(&b, "    when: %s\n", flow(m))
		if nth := count(t, m, start, e.At, e.ID); nth > 1 {
			fmt.Fprintf(&b, "    nth: %d\n", nth)
		}
		var captions []string
		for _, language := range languages {
			captions = append(captions, language+": …")
		}
		fmt.Fprintf(&b, "    caption: {%s}\nclaims:\n  - {", strings.Join(captions, ", "))
		if after != "" {
			fmt.Fprintf(&b, "after: %s, ", after)
		}
		within := min((e.At-start).Truncate(time.Second)+time.Second, s.End-start)
		fmt.Fprintf(&b, "within: %v, count: %d, events: %s}\n\n", within, count(t, m, start, start+within, 0), flow(m))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// count is how many events match in that time, up to one of them if it is given.
func count(t *trace.Recorder, m scenario.Match, from, to time.Duration, last trace.ID) (n int) {
	for i := range t.Len() {
		e := t.Event(trace.ID(i + 1))
		if e.At > to || last > 0 && e.ID > last {
			break
		}
		if e.At >= from && m.Matches(e) {
			n++
		}
	}
	return n
}

// telling are the attributes by which a person tells events of one kind apart.
var telling = []string{"message", "verb", "reason", "type", "event"}

// made is what a controller puts behind a name that it makes: apimachinery's rand.String
// has neither vowels nor digits that look like letters.
var made = regexp.MustCompile(`(-[bcdfghjklmnpqrstvwxz2456789]{5,10})+$`)

// matching is a match of such events: with another seed, too.
func matching(e *trace.Event) scenario.Match {
	m := scenario.Match{Op: string(e.Op), Who: e.Component, Object: made.ReplaceAllString(e.Object.String(), "-*")}
	if kind, _, several := strings.Cut(m.Who, "/"); several && strings.HasSuffix(m.Object, "-*") { // it may be on another node
		m.Who = kind + "/*"
	}
	for _, key := range telling {
		if text := e.Text(key); text != "" && !made.MatchString(text) && len(text) < 80 {
			if m.Attrs == nil {
				m.Attrs = map[string]string{}
			}
			m.Attrs[key] = text
		}
	}
	return m
}

// unique makes a mark's id of what happened, which no other mark has.
func unique(ids map[string]bool, e *trace.Event) string {
	words := string(e.Op)
	if message := e.Text("message"); message != "" && len(message) < 40 {
		words = message
	}
	id := strings.Trim(notID.ReplaceAllString(strings.ToLower(words), "-"), "-")
	for n, first := 2, id; ids[id] || id == ""; n++ {
		id = first + "-" + strconv.Itoa(n)
	}
	ids[id] = true
	return id
}

var notID = regexp.MustCompile(`[^a-z0-9]+`)

// flow writes a match as YAML in one line.
func flow(m scenario.Match) string {
	parts := []string{"op: " + m.Op}
	if m.Who != "" {
		parts = append(parts, "who: "+plain(m.Who))
	}
	if m.Object != "" {
		parts = append(parts, "object: "+plain(m.Object))
	}
	if len(m.Attrs) > 0 {
		var attrs []string
		for key, value := range m.Attrs { // order: sorted below
			attrs = append(attrs, key+": "+plain(value))
		}
		slices.Sort(attrs)
		parts = append(parts, "attrs: {"+strings.Join(attrs, ", ")+"}")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// unquoted is what YAML takes for a text as it stands, in a mapping within braces.
var unquoted = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9 ./_*-]*[A-Za-z0-9./_*-])?$`)

func plain(text string) string {
	if unquoted.MatchString(text) && !slices.Contains([]string{"null", "Null", "NULL"}, text) {
		return text
	}
	return strconv.Quote(text)
}
