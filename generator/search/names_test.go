package search

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestNamesLeadSomewhere: a name is served only if the book has it.
func TestNamesLeadSomewhere(t *testing.T) {
	x := new(Index)
	x.Add(Page{URL: "/en/a/", Title: "ReplicaSets", Sections: []Section{{Text: "A replica set, a work queue and 再試行です."}}})
	for _, n := range [][2]string{{"RS", "ReplicaSet"}, {"rs", "other"}, {"ＨＰＡ", "HorizontalPodAutoscaler"}, {"queue of work", "the work queue"}, {"再送", "再試行"},
		{"送", "再開"}} {
		x.Name(n[0], n[1])
	}
	x.NameKinds()
	m, _ := x.split(termsBytes, textsBytes)
	if want := [][2]string{{"queue of work", "the work queue"}, {"rs", "ReplicaSet"}, {"再送", "再試行"}}; !reflect.DeepEqual(m.Names, want) {
		t.Errorf("got %q, want %q", m.Names, want)
	}
}

// TestNamesComeAfterTheReadersWord: where the book has the reader's own word, in the same
// place, that stands first; where it hasn't, the answer says so.
func TestNamesComeAfterTheReadersWord(t *testing.T) {
	x := new(Index)
	x.Add(Page{URL: "/en/a/", Title: "A", Sections: []Section{{Anchor: "retry", Level: 2, Title: "Retry", Text: "Again."}}})
	x.Add(Page{URL: "/en/b/", Title: "B", Sections: []Section{{Anchor: "resend", Level: 2, Title: "Resend", Text: "Again."}}})
	for _, n := range [][2]string{{"resend", "retry"}, {"second attempt", "retry"}, {"repetition", "again"}} {
		x.Name(n[0], n[1])
	}
	folder := write(t, map[string]*Index{"en": x})
	r := load(t, folder, "en")
	questions := []question{{"en", "resend", ""}, {"en", "a second attempt", ""}, {"en", "retry", ""}, {"en", "repetition", ""}, {"en", "repetitoin", ""}}
	want := []string{"/en/b/#resend /en/a/#retry", "/en/a/#retry", "/en/a/#retry", "/en/a/#retry /en/b/#resend", ""}
	instead := []string{"", "second attempt\tretry", "", "repetition\tagain", ""}
	for i, a := range ask(t, folder, questions) {
		same := r.search(questions[i].Question, "")
		if !slices.Equal(a.Found, same.Found) || !slices.Equal(a.Instead, same.Instead) {
			t.Errorf("%q: the page finds %q %q, the reference %q %q", questions[i].Question, a.Found, a.Instead, same.Found, same.Instead)
		}
		var found []string
		for _, line := range a.Found {
			found = append(found, strings.Fields(line)[0])
		}
		if got := strings.Join(found, " "); got != want[i] {
			t.Errorf("%q finds %s, want %s", questions[i].Question, got, want[i])
		}
		if got := strings.Join(a.Instead, " "); got != instead[i] {
			t.Errorf("%q: instead %q, want %q", questions[i].Question, got, instead[i])
		}
	}
}

// TestThePageThatExplainsANameIsFirst: by its name, and by what else it is asked for; not in a question that asks for more.
func TestThePageThatExplainsANameIsFirst(t *testing.T) {
	x := new(Index)
	x.Add(Page{URL: "/en/a/", Title: "A", Sections: []Section{{Text: "The autoscaler, an autoscaler. Only here is the formula."}}})
	x.Add(Page{URL: "/en/b/", Title: "B", Sections: []Section{{Text: "An autoscaler sets replicas."}}})
	x.Name("HPA", "autoscaler")
	x.About("autoscaler", "/en/b/")
	x.About("formula", "/en/draft/")
	if got := x.explained(); len(got) != 1 {
		t.Errorf("explained: %v, want only what has a page", got)
	}
	folder := write(t, map[string]*Index{"en": x})
	r := load(t, folder, "en")
	questions := []question{{"en", "autoscaler", ""}, {"en", "hpa", ""}, {"en", "HPA formula", ""}}
	for i, a := range ask(t, folder, questions) {
		if same := r.search(questions[i].Question, ""); !slices.Equal(a.Found, same.Found) {
			t.Errorf("%q: the page finds %q, the reference %q", questions[i].Question, a.Found, same.Found)
		}
		want := []string{"/en/b/", "/en/b/", "/en/a/"}[i]
		if len(a.Found) == 0 || strings.Fields(a.Found[0])[0] != want {
			t.Errorf("%q finds %q, want %s first", questions[i].Question, a.Found, want)
		}
	}
}
