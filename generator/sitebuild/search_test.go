package sitebuild

import (
	"encoding/xml"
	"strings"
	"testing"

	"kubewalk/generator/build/compressed"
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
			text, err := compressed.Gunzip(data)
			if err != nil {
				t.Fatal(err)
			}
			all += string(text)
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
	for name, want := range map[string]string{"search/en.json.gz": `"folder":"en/"`, "search/en/t0.json.gz": `["scale",`, "search/en/p0.json.gz": `"/en/loop/scale/"`} {
		if !tree.Later(name) {
			t.Errorf("%s is made before somebody asks", name)
		}
		data, _ := tree.Get(name)
		if text, err := compressed.Gunzip(data); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %s:\n%s%v", name, want, text, err)
		}
	}
	if _, ok := tree.Get("en/opensearch.xml"); ok {
		t.Error("a description of the search without an address")
	}
}
