package pages

import "testing"

func TestJapaneseHeadingsBreakBetweenPhrases(t *testing.T) {
	for _, c := range []struct{ language, html, want string }{
		{"ja", `<p>1 つ：</p><h2 id="a: 1 つ">書くのは 1 つの<a title="2 つ：">もの</a>：4.5 秒</h2><p>3 つ</p><h3>8 Pod</h3><hr>`,
			`<p>1 つ：</p><h2 id="a: 1 つ">書くのは 1` + "\u00a0" + `つの<a title="2 つ：">もの</a>：<wbr>4.5` + "\u00a0" + `秒</h2><p>3 つ</p><h3>8 Pod</h3><hr>`},
		{"ja", `<h2>Pod が<code>apply</code> されて 8 Pod 作る</h2>`,
			"<h2>Pod\u00a0が<code>apply</code>\u00a0されて 8 Pod 作る</h2>"},
		{"ja", `<p>h</p><hr>`, `<p>h</p><hr>`},
		{"en", `<h2>1 つ：</h2>`, `<h2>1 つ：</h2>`},
	} {
		if got := headingsInPhrases(c.html, c.language); got != c.want {
			t.Errorf("%s became\n%s, not\n%s", c.html, got, c.want)
		}
	}
	if got, want := inPhrases("a < b：3 つ", "ja"), "a &lt; b：<wbr>3\u00a0つ"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
