package main

import (
	"bytes"
	"testing"

	"kubewalk/generator/build/output"
)

func TestReleasedFilesAreNamedAfterTheBook(t *testing.T) {
	for title, want := range map[string]string{"Kubewalk": "kubewalk", "A Book: of 3": "a-book-of-3", "本の名前": "本の名前", "../..": "book", "": "book"} {
		if got := fileName(title); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
	for base, want := range map[string]string{"": "", "https://example.org/book/": "/book", "https://example.org": ""} {
		if got := sitePrefix(base); got != want {
			t.Errorf("%q: %q, want %q", base, got, want)
		}
	}
}

func TestSourceDate(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1777777777")
	if at, err := sourceDate(); err != nil || at.Unix() != 1777777777 {
		t.Errorf("%v %v", at, err)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	if _, err := sourceDate(); err == nil {
		t.Error("yesterday is a number of seconds")
	}
}

func TestTheSameSiteIsTheSameZip(t *testing.T) {
	site := func() *output.Tree {
		tree := output.NewTree()
		tree.Put("en/index.html", []byte("<p>"))
		tree.Put("index.html", []byte("<p>"))
		return tree
	}
	one, err := zipped(site())
	other, _ := zipped(site())
	if err != nil || !bytes.Equal(one, other) || len(one) == 0 {
		t.Errorf("%d and %d bytes, %v", len(one), len(other), err)
	}
}
