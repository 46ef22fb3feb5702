package sitebuild

import (
	"encoding/json"
	"html"
	"testing"
)

func TestOEmbed(t *testing.T) {
	tree, err := buildBook(t, "https://example.org/book", nil)
	if err != nil {
		t.Fatal(err)
	}
	for folder, title := range map[string]string{"embed/scale/": "Scaling <up>", "embed/ja/scale/": "スケール"} {
		has(t, tree, map[string][]string{folder + "index.html": {
			`<link rel="alternate" type="application/json+oembed"`, `href="https://example.org/book/` + folder + `oembed.json"`,
		}})
		var answer map[string]any
		if err := json.Unmarshal([]byte(page(t, tree, folder+"oembed.json")), &answer); err != nil {
			t.Fatal(err)
		}
		want := map[string]any{"version": "1.0", "type": "rich", "title": title, "width": 960.0, "height": 540.0,
			"provider_url": "https://example.org/book/", "html": `<iframe src="https://example.org/book/` + folder + `" title="` + html.EscapeString(title) +
				`" width="960" height="540" allow="clipboard-write; fullscreen" style="border: 0"></iframe>`}
		for key, value := range want {
			if answer[key] != value {
				t.Errorf("%s: %s is %v, not %v", folder, key, answer[key], value)
			}
		}
	}
	tree, err = buildBook(t, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := tree.Get("embed/scale/oembed.json"); ok {
		t.Error("it names an address, and there is none")
	}
}
