package sitebuild

import (
	"strings"
	"testing"
)

// french is the small book in a language that the theme has no words in.
func french() map[string]string {
	out := map[string]string{"site.yaml": "title: Livre\ndescription: d\nlanguages: [{code: fr, name: Français}]\nparts: [{name: loop, title: La boucle}]\n",
		"fr/index.md":       "---\ntitle: Livre\ndescription: d\n---\n[Boucle](loop/boucle.md)\n",
		"fr/loop/boucle.md": "---\ntitle: Boucle\ndescription: d\norder: 1\n---\n## Une {#une}\n\n```demo\nscale\n```\n"}
	for name := range book {
		if out[name] == "" && !strings.HasPrefix(name, "demos/") {
			out[name] = "-"
		}
	}
	return out
}

func TestABookInAnotherLanguage(t *testing.T) {
	l := newLibrary(t, french())
	tree, warnings, err := l.build(t)
	if err != nil || !strings.Contains(warnings, `content/site.yaml:3:12: the site's own words are not available in "fr" (they are in English until there is`) {
		t.Fatalf("%v\n%s", err, warnings)
	}
	if shown := page(t, tree, "fr/loop/boucle/index.html"); !strings.Contains(shown, `<html lang="fr"`) || !strings.Contains(shown, "Skip to content") {
		t.Errorf("%s", shown)
	}
	l.write(t, "words/fr.yaml", "skip: Aller au texte\nminutes: \"%d min de lecture\"\nplayer.units.event: événement\nphrase.queue.add: La clé {key} va à {who}\n")
	tree, warnings, err = l.build(t)
	if err != nil || !strings.Contains(warnings, "words are missing: contents, allParts, startHere, onThisPage, languages and ") {
		t.Fatalf("%v\n%s", err, warnings)
	}
	if shown := page(t, tree, "fr/loop/boucle/index.html"); !strings.Contains(shown, "Aller au texte") || !strings.Contains(shown, "1 min de lecture") ||
		!strings.Contains(shown, "On this page") && !strings.Contains(shown, "Contents") {
		t.Errorf("%s", shown)
	}
	// The scripts' words are a file that only pages in this language name.
	shown := page(t, tree, "fr/loop/boucle/index.html")
	_, address, _ := strings.Cut(shown, `data-words="/`)
	address, _, _ = strings.Cut(address, `"`)
	if scripts := page(t, tree, address); !strings.Contains(scripts, `"event":"événement"`) || !strings.Contains(scripts, `"play":"Play"`) {
		t.Errorf("%q has %.200s", address, scripts)
	}
	l.write(t, "words/fr.yaml", "skpi: Aller au texte\nminutes: lecture\nplayer.nothingAhead: Rien\nphrase.queue.ad: Clé\n")
	if _, _, err = l.build(t); err == nil || !strings.Contains(err.Error(), `words/fr.yaml:1: unknown word "skpi" (did you mean "skip"?)`) ||
		!strings.Contains(err.Error(), `words/fr.yaml:2:1: word "minutes" lacks its placeholder (keep the part that begins with %, as in "%d min read")`) ||
		!strings.Contains(err.Error(), `words/fr.yaml:3:1: word "player.nothingAhead" lacks {n} (it is replaced, as in "Not in the next {n} s.")`) ||
		!strings.Contains(err.Error(), `words/fr.yaml:4:1: unknown word "phrase.queue.ad" (did you mean "phrase.queue.add"?)`) {
		t.Errorf("%v", err)
	}
}
