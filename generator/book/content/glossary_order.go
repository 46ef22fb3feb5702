package content

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// sorted are the ids in the order of a language.
func (g *Glossary) sorted(code string) []string {
	tag, err := language.Parse(code)
	if err != nil {
		tag = language.Und
	}
	order, buffer := collate.New(tag, collate.IgnoreCase), new(collate.Buffer)
	keys := map[string][]byte{}
	for id := range g.Terms {
		key := g.key(id, code)
		if code == "ja" {
			// Latin letters first, then kana. The library's own order of Japanese
			// leaves the table where a vowel is long.
			key = kana(key)
		}
		keys[id] = bytes.Clone(order.KeyFromString(buffer, key))
		buffer.Reset()
	}
	return slices.SortedFunc(maps.Keys(g.Terms), func(x, y string) int {
		return cmp.Or(bytes.Compare(keys[x], keys[y]), cmp.Compare(g.key(x, code), g.key(y, code)), cmp.Compare(x, y))
	})
}

// vowels are hiragana by the vowel that they end in.
var vowels = map[rune]string{
	'あ': "あかさたなはまやらわ", 'い': "いきしちにひみりゐ", 'う': "うくすつぬふむゆる", 'え': "えけせてねへめれゑ", 'お': "おこそとのほもよろを",
}

// small are hiragana that are written small, each before its large one.
const small = "ぁあぃいぅうぇえぉおっつゃやゅゆょよゎわ"

// kana is what Japanese is sorted by first (JIS X 4061): hiragana without voicing
// marks, large, with a vowel in the place of a sign that makes one long.
func kana(text string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range norm.NFKD.String(text) {
		if r >= 'ァ' && r <= 'ヶ' {
			r -= 'ァ' - 'ぁ'
		}
		switch i := strings.IndexRune(small, r); {
		case r == '\u3099' || r == '\u309a' || r == '・':
			continue
		case r == 'ー':
			for vowel, of := range vowels {
				if strings.ContainsRune(of, last) {
					r = vowel
				}
			}
		case i >= 0 && i%6 == 0:
			r, _ = utf8.DecodeRuneInString(small[i+3:])
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// rows are those of the kana table, each with its anchor.
var rows = []struct{ kana, name, anchor string }{
	{"あいうえお", "あ", "row-a"}, {"かきくけこ", "か", "row-ka"}, {"さしすせそ", "さ", "row-sa"}, {"たちつてと", "た", "row-ta"}, {"なにぬねの", "な", "row-na"},
	{"はひふへほ", "は", "row-ha"}, {"まみむめも", "ま", "row-ma"}, {"やゆよ", "や", "row-ya"}, {"らりるれろ", "ら", "row-ra"}, {"わゐゑをん", "わ", "row-wa"},
}

// letterOf is the heading below which a term stands: its letter, or its row of
// the kana table.
func letterOf(key string) (name, anchor string) {
	r, _ := utf8.DecodeRuneInString(kana(key))
	for _, row := range rows {
		if strings.ContainsRune(row.kana, r) {
			return row.name, row.anchor
		}
	}
	if !unicode.IsLetter(r) {
		return "0–9", "letter-0"
	}
	return string(unicode.ToUpper(r)), "letter-" + string(unicode.ToLower(r))
}
