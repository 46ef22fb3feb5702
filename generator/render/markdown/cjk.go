package markdown

import (
	"unicode"

	"golang.org/x/text/width"
)

// cjk are the characters that Chinese, Japanese and Korean are written in, with
// their punctuation: East Asian Width F, W or H without emoji, and Hangul.
// Unicode 16, as https://github.com/tats-u/markdown-cjk-friendly lists them.
var cjk = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x11ff, 1}, {0x20a9, 0x20a9, 1}, {0x2329, 0x232a, 1}, {0x2630, 0x2637, 1}, {0x268a, 0x268f, 1},
		{0x2e80, 0x2e99, 1}, {0x2e9b, 0x2ef3, 1}, {0x2f00, 0x2fd5, 1}, {0x2ff0, 0x303e, 1}, {0x3041, 0x3096, 1},
		{0x3099, 0x30ff, 1}, {0x3105, 0x312f, 1}, {0x3131, 0x318e, 1}, {0x3190, 0x31e5, 1}, {0x31ef, 0x321e, 1},
		{0x3220, 0x3247, 1}, {0x3250, 0xa48c, 1}, {0xa490, 0xa4c6, 1}, {0xa960, 0xa97c, 1}, {0xac00, 0xd7a3, 1},
		{0xd7b0, 0xd7c6, 1}, {0xd7cb, 0xd7fb, 1}, {0xf900, 0xfaff, 1}, {0xfe10, 0xfe19, 1}, {0xfe30, 0xfe52, 1},
		{0xfe54, 0xfe66, 1}, {0xfe68, 0xfe6b, 1}, {0xff01, 0xffbe, 1}, {0xffc2, 0xffc7, 1}, {0xffca, 0xffcf, 1},
		{0xffd2, 0xffd7, 1}, {0xffda, 0xffdc, 1}, {0xffe0, 0xffe6, 1}, {0xffe8, 0xffee, 1},
	},
	R32: []unicode.Range32{
		{0x16fe0, 0x16fe4, 1}, {0x16ff0, 0x16ff6, 1}, {0x17000, 0x18cd5, 1}, {0x18cff, 0x18d1e, 1}, {0x18d80, 0x18df2, 1},
		{0x1aff0, 0x1aff3, 1}, {0x1aff5, 0x1affb, 1}, {0x1affd, 0x1affe, 1}, {0x1b000, 0x1b122, 1}, {0x1b132, 0x1b132, 1},
		{0x1b150, 0x1b152, 1}, {0x1b155, 0x1b155, 1}, {0x1b164, 0x1b167, 1}, {0x1b170, 0x1b2fb, 1}, {0x1d300, 0x1d356, 1},
		{0x1d360, 0x1d376, 1}, {0x1f200, 0x1f200, 1}, {0x1f202, 0x1f202, 1}, {0x1f210, 0x1f219, 1}, {0x1f21b, 0x1f22e, 1},
		{0x1f230, 0x1f231, 1}, {0x1f237, 0x1f237, 1}, {0x1f23b, 0x1f23b, 1}, {0x1f240, 0x1f248, 1}, {0x1f260, 0x1f265, 1},
		{0x20000, 0x3fffd, 1},
	},
}

func isCJK(r rune) bool { return r >= 0x1100 && unicode.Is(cjk, r) }

func isPunctuation(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

// isVariationSelector tells about those that choose a form of the character before,
// other than U+FE0F, which makes an emoji of it.
func isVariationSelector(r rune) bool { return r >= 0xfe00 && r <= 0xfe0e }

func isIdeographicVariation(r rune) bool { return r >= 0xe0100 && r <= 0xe01ef }

// isWide is East Asian Width F, W or H.
func isWide(r rune) bool {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianFullwidth, width.EastAsianWide, width.EastAsianHalfwidth:
		return true
	}
	return false
}

// isAmbiguous is East Asian Width A: “ … — are wide in Japanese, and narrow in English.
func isAmbiguous(r rune) bool { return width.LookupRune(r).Kind() == width.EastAsianAmbiguous }
