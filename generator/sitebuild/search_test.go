package sitebuild

import (
	"encoding/xml"
	"strings"
	"testing"
)

// TestWhatIsSearched: chapters, demos' titles and captions, at addresses below the prefix.
func TestWhatIsSearched(t *testing.T) {
	tree, err := buildBook(t, "https://example.org/book", nil)
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, name := range tree.Paths() {
		if strings.HasPrefix(name, "assets/search/ja-") {
			data, _ := tree.Get(name)
			all += string(data)
		}
	}
	for _, want := range []string{`"/book/ja/loop/scale/","スケール"`, `"why",2,"なぜ","スケール\n始まり"`, `["スケ",`, `["始ま",`} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is not in the index:\n%s", want, all)
		}
	}
	if strings.Contains(all, "It begins") {
		t.Error("the Japanese index has English captions")
	}
	var o struct {
		ShortName string
		URL       struct {
			Template string `xml:"template,attr"`
		} `xml:"Url"`
	}
	data, _ := tree.Get("en/opensearch.xml")
	if err := xml.Unmarshal(data, &o); err != nil || o.ShortName != "Book <1>" || o.URL.Template != "https://example.org/book/en/search/?q={searchTerms}" {
		t.Errorf("%+v, %v:\n%s", o, err, data)
	}
	if page, _ := tree.Get("en/index.html"); !strings.Contains(string(page), `rel="search" type="application/opensearchdescription+xml"`) {
		t.Error("the description of the search is not in the head")
	}
}

// TestAnAuthorSearchesWhatWasSaved: the development server makes the index when somebody asks.
func TestAnAuthorSearchesWhatWasSaved(t *testing.T) {
	tree, err := buildFor(t, true, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"search/en.json": `"folder":"en/"`, "search/en/t0.json": `["scale",`, "search/en/p0.json": `"/en/loop/scale/"`} {
		if !tree.Later(name) {
			t.Errorf("%s is made before somebody asks", name)
		}
		if data, _ := tree.Get(name); !strings.Contains(string(data), want) {
			t.Errorf("%s lacks %s:\n%s", name, want, data)
		}
	}
	if _, ok := tree.Get("en/opensearch.xml"); ok {
		t.Error("a description of the search without an address")
	}
}
