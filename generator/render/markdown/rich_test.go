package markdown

import (
	"slices"
	"testing"
)

// TestWordsOfDrawings: what is drawn is found by its words, and a reading is not found twice.
func TestWordsOfDrawings(t *testing.T) {
	d, _, err := convert("ja", "## {調整|ちょう|せい}の式 $2^n$\n\n{調整|ちょうせい}は\n$d = \\frac{a}{b}$\nである。\n\n$$\nx_i\n$$\n\n```diagram\ntitle: 図\na: 甲\na -> b: 渡す\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	if want := []Heading{{Level: 2, ID: "調整の式-2-n", Text: "調整の式 2^n"}}; !slices.Equal(d.Headings, want) {
		t.Errorf("got %+v", d.Headings)
	}
	section := d.Sections(nil)[1]
	if want := "調整は d = a/b である。\nx_i\n図\n甲 → b: 渡す"; section.Text != want {
		t.Errorf("got %q, want %q", section.Text, want)
	}
}
