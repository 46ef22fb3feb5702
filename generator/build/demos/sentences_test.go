package demos

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/demo/recording"
	"kubewalk/playground/demo/scene"
)

// hole is where a sentence lacks a word, since what it was to name is empty.
var hole = regexp.MustCompile(`  | [.,:;。、」）)]|[「（(] |「」|（）|\(\)|[:：] *$|^ | $|^$`)

// Every event of every demo is a whole sentence in each language, heartbeats and
// chatter included: nothing that it names is missing or empty.
func TestSentencesHaveNoHoles(t *testing.T) {
	languages := phrase.Languages()
	made, err := book()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range made {
		var file recording.File
		if err := json.Unmarshal(textOf(t, d, string(scene.Wide)+".json"), &file); err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
		if rest := textOf(t, d, string(scene.Wide)+".rest.json"); rest != nil {
			if err := file.Complete(rest); err != nil {
				t.Fatal(err)
			}
		}
		told := map[string]bool{}
		for _, f := range file.Frames {
			for _, lang := range languages {
				if wrong := lacking(lang, f); wrong != "" && !told[lang+f.Phrase] {
					told[lang+f.Phrase] = true
					t.Errorf("demo %s, event %d, %s: %s (cure: a sentence %q for an event without it, in each language's file of playground/demo/phrase)",
						d.Name, f.Event, lang, wrong, f.Phrase+".none")
				}
			}
		}
		if len(file.Frames) == 0 {
			t.Errorf("demo %s has no events", d.Name)
		}
	}
}

func textOf(t *testing.T, d *Demo, name string) []byte {
	t.Helper()
	text, err := d.Text(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The test above would tell of each of these.
func TestLacking(t *testing.T) {
	for _, c := range []struct {
		phrase string
		attrs  []any
		whole  bool
	}{
		{"queue.get", []any{"key", "default/web on node-1"}, true},
		{"queue.get", []any{"key", "default/web on "}, false},
		{"queue.get", nil, false},
		{"log.added-taint-to-node", []any{"node", "node-1", "taints", ""}, false},
		{"log.graphbuilder-process-object", []any{"object", "[v1/Pod]", "owners", ""}, false},
		{"net.dns", []any{"name", "a", "code", "NXDOMAIN", "answer", ""}, false},
		{"net.dns.none", []any{"name", "a", "code", "NXDOMAIN", "answer", ""}, true},
		{"no.such", nil, false},
	} {
		for _, lang := range phrase.Languages() {
			if wrong := lacking(lang, recording.Frame{Who: "x", Phrase: c.phrase, Attrs: c.attrs}); (wrong == "") != c.whole {
				t.Errorf("%s, %s %v: %q", lang, c.phrase, c.attrs, wrong)
			}
		}
	}
}

// lacking tells what is wrong with an event's sentence. What a value holds is its
// own affair, but for a space at its end: there its maker left something out.
func lacking(lang string, f recording.Frame) string {
	name := f.Object[strings.LastIndexAny(f.Object, "/ ")+1:]
	args := map[string]string{"who": f.Who, "process": f.Process, "object": f.Object, "thing": f.Object, "name": name}
	for i := 0; i+1 < len(f.Attrs); i += 2 {
		if key := fmt.Sprint(f.Attrs[i]); key != "who" && key != "process" {
			args[key] = fmt.Sprint(f.Attrs[i+1])
		}
	}
	template := phrase.Word(lang, f.Phrase)
	if template == "" {
		return fmt.Sprintf("there is no sentence %q", f.Phrase)
	}
	stands := map[string]string{}
	for _, name := range phrase.Names(template) {
		if strings.HasSuffix(args[name], " ") {
			return fmt.Sprintf("%q: {%s} is %q, which ends in a space", template, name, args[name])
		}
		if args[name] != "" {
			stands[name] = "x"
		}
	}
	if said := phrase.Fill(template, stands); hole.MatchString(said) {
		return fmt.Sprintf("%q is said as %q", template, phrase.Fill(template, args))
	}
	return ""
}
