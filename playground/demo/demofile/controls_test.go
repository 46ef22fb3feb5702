package demofile

import (
	"testing"

	"kubewalk/playground/demo/phrase"
)

// TestOffersAreSaid: a storyboard tells in words whatever a reader may do.
func TestOffersAreSaid(t *testing.T) {
	for _, offer := range offers {
		kind := offer.name
		if kind == "profiles" {
			kind = "reconfigure"
		}
		for _, lang := range phrase.Languages() {
			if phrase.Word(lang, "control."+kind) == "" {
				t.Errorf("%s.json lacks control.%s", lang, kind)
			}
		}
	}
}
