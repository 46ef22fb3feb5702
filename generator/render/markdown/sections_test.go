package markdown

import (
	"reflect"
	"testing"
)

func TestSections(t *testing.T) {
	d, _, err := convert("en", `Before &amp; **after**
a line[^n].

<!-- nobody reads this -->

## The `+"`queue`"+` {#queue}

- one item with `+"`spec.replicas`"+`
- another, [linked](../start/tour.md#controls)

> [!SIMPLIFIED]
> Two milliseconds.

| a | b |
| --- | --- |
| 1 | `+"`2`"+` |

`+"```go\nfunc main() {}\n```"+`

### Deeper

`+"```demo\nreplicaset-scale\n```\n\n```exercise\nreplicaset-scale/five\n```"+`

![Two workers take keys](queue.svg) stand
here.

[^n]: A footnote of the first section.
`)
	if err != nil {
		t.Fatal(err)
	}
	told := func(demo, id string) string { return "told: " + demo + " " + id + "\nand more" }
	want := []Section{
		{Text: "Before & after a line.\nA footnote of the first section."},
		{Anchor: "queue", Level: 2, Title: "The queue", Names: []string{"queue", "spec.replicas", "2"}, Code: []string{"func main() {}\n"},
			Text: "one item with spec.replicas\nanother, linked\nTwo milliseconds.\na · b\n1 · 2"},
		{Anchor: "deeper", Level: 3, Title: "Deeper",
			Text: "told: replicaset-scale\nand more\ntold: replicaset-scale five\nand more\nTwo workers take keys stand here."},
	}
	if got := d.Sections(told); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestSectionsInJapaneseHaveNoStraySpaces(t *testing.T) {
	d, _, err := convert("ja", "調整\nループは **Pod** を\n数える。\n\n- 一つ\n\n  二つ\n\n続いて、\\ **そこから**\\ watch を \\\\ 開く。\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := d.Sections(nil)[0].Text, "調整ループは Pod を数える。\n一つ\n二つ\n続いて、そこからwatch を \\ 開く。"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
