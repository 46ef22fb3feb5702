package markdown

import (
	"strings"
	"testing"

	"kubewalk/generator/book/content"
)

func TestCompare(t *testing.T) {
	parse := func(language, source string) *Document {
		return Parse(&content.Chapter{File: "content/" + language + "/loop/x.md", Language: language, Part: "loop", Name: "x", Source: []byte(source)})
	}
	const demo = "```demo\nreplicaset-scale\n```\n\n"
	for _, test := range []struct{ name, en, ja, want string }{
		{"the same", demo + "## A {#a}\n\n[2](demo:x@y) [two](demo:x@y)\n\n### B {#b}\n", demo + "## あ {#a}\n\n[2](demo:x@y) [2](demo:x@y)\n\n### い {#b}\n",
			""},
		{"claims in another order", "[2](demo:x@y) [3](demo:x@z)", "[3](demo:x@z) [2](demo:x@y)", ""},
		{"a demo is missing", demo, "…", `content/en/loop/x.md:2:1: demo "replicaset-scale" is missing in language "ja" (add the block in content/ja/loop/x.md)`},
		{"a demo too many", "…", "x\n\n" + demo,
			`content/ja/loop/x.md:4:1: demo "replicaset-scale" is missing in language "en" (add the block in content/en/loop/x.md)`},
		{"demos in another order", "```demo\na\n```\n\n```demo\nb\n```", "```demo\nb\n```\n\n```demo\na\n```",
			`content/ja/loop/x.md:2:1: demo "b" does not match demo "a" in content/en/loop/x.md (keep the same order in every language)`},
		{"a claim is missing", "a [2](<demo:x@y  rs/web .spec.replicas>)", "2 です",
			`content/en/loop/x.md:1:3: claim "demo:x@y rs/web .spec.replicas" is missing in language "ja" (say it there as well in content/ja/loop/x.md)`},
		{"a claim is missing once", "[2](demo:x@y) [2](demo:x@y)", "[2](demo:x@y)", `content/en/loop/x.md:1:15: claim "demo:x@y" is missing in language "ja"`},
		{"an anchor made of the text", "## Queue {#queue}\n", "## キュー\n", `content/ja/loop/x.md:1:`},
		{"an anchor made of the text", "## Queue\n", "## キュー\n",
			`heading "キュー" has the anchor "キュー", and "queue" in content/en/loop/x.md (write {#queue} after it: an address leads to the same section in every language)`},
		{"a heading is missing", "## A {#a}\n\n## B {#b}\n", "## B {#b}\n", `content/en/loop/x.md:1: heading with the anchor "a" is missing in language "ja"`},
		{"headings in another order", "## A {#a}\n\n## B {#b}\n", "## B {#b}\n\n## A {#a}\n",
			`heading with the anchor "b" does not match heading with the anchor "a" in content/en/loop/x.md`},
		{"an exercise is missing", demo + "```exercise\nreplicaset-scale/five\n```", demo,
			`content/en/loop/x.md:6:1: exercise "replicaset-scale/five" is missing in language "ja" (add the block in content/ja/loop/x.md)`},
	} {
		err := Compare(parse("en", test.en), parse("ja", test.ja))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: got %v\nwant %s", test.name, err, test.want)
		}
	}
}
