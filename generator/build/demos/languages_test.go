package demos

import (
	"strings"
	"testing"

	"kubewalk/playground/demo/scene"
)

// TestTranslatedSentences: what a book has translated stands in all that the build tells of a demo, the rest is as it was.
func TestTranslatedSentences(t *testing.T) {
	in := Languages{Codes: []string{"en", "ja"}, Sentences: map[string]map[string]string{
		"en": {"control.range": "de {min} à {max}", "scene.api": "Magasin", "store.commit.ADDED": "{name} existe."},
	}}
	d, err := Run("small", "demos/small.yaml", []byte(small), in)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Controls[0]; got.Range["en"] != "de 0 à 9" || got.Range["ja"] != "0～9" || got.Label["en"] != "Replicas of web" {
		t.Errorf("%+v", got)
	}
	var told []string
	for _, line := range d.Marks[0].Text {
		told = append(told, line.Sentence["en"])
	}
	if all := strings.Join(told, "\n"); !strings.Contains(all, "web existe.") {
		t.Errorf("%s", all)
	}
	if svg := d.Marks[0].SVG["en"][scene.Wide]; !strings.Contains(svg, "Magasin") {
		t.Errorf("%.2000s", svg)
	}
	if plain := (Languages{Codes: in.Codes}); plain.key() == in.key() {
		t.Error("a translation does not make a demo anew")
	}
}
