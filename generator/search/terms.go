package search

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A text's terms are what it is found by. site/search/terms.ts makes the same
// ones of what a reader types; testdata/terms.json holds both to it.
//
//   - Words are folded: NFKC, lower case. They are kept as they stand; that
//     "pods" finds "pod" is up to the search (stem).
//   - Identifiers are split at a change of case, digits, dots, dashes, slashes
//     and underscores, and stand whole as well: manageReplicas is manage,
//     replicas, managereplicas; spec.nodeName is spec, node, name, nodename,
//     specnodename.
//   - A number is found with commas and without: 5,000 is 5, 000, 5000.
//   - Japanese has no spaces: each character begins a term of two, and the last
//     one of a run stands alone. So a single character is found as the
//     beginning of a term. A long vowel at the end of a katakana word is
//     dropped, since some write コントローラ and others コントローラー.

// terms calls emit for each term of a text, stop words left out.
func terms(text string, emit func(term string)) {
	for p := range pieces(fold(text)) {
		p.terms(emit)
	}
}

// fold makes full-width letters and half-width katakana ordinary ones.
func fold(text string) string {
	text = strings.ReplaceAll(text, "’", "'")
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			if norm.NFKC.IsNormalString(text) {
				return text
			}
			return string(clusters(text))
		}
	}
	return text
}

// clusters folds each character with the marks behind it, as the page does,
// which has to know where it stood.
func clusters(text string) []byte {
	var out []byte
	for len(text) > 0 {
		first, end := utf8.DecodeRuneInString(text)
		if ordinary(first) {
			if next, _ := utf8.DecodeRuneInString(text[end:]); ordinary(next) {
				out = append(out, text[:end]...)
				text = text[end:]
				continue
			}
		}
		for end < len(text) {
			r, n := utf8.DecodeRuneInString(text[end:])
			if !unicode.Is(unicode.M, r) && r != 'ﾞ' && r != 'ﾟ' {
				break
			}
			end += n
		}
		out = norm.NFKC.AppendString(out, text[:end])
		text = text[end:]
	}
	return out
}

// ordinary tells whether a letter is as it should be, unless a mark follows.
func ordinary(r rune) bool {
	return r < utf8.RuneSelf || 'ぁ' <= r && r <= 'ゖ' || 'ァ' <= r && r <= 'ヶ' || 0x4e00 <= r && r <= 0x9fff
}

// lower is for one character at a time, so that all platforms agree.
func lower(text string) string {
	return strings.Map(unicode.ToLower, text)
}

// piece is a word with what joins its parts, or a run of Japanese.
type piece struct {
	text     string
	japanese bool
}

func (p piece) terms(emit func(term string)) {
	if p.japanese {
		grams(string(japanese(p.text)), emit)
		return
	}
	w := split(p.text)
	for _, part := range w.parts {
		if !stopWords[part] {
			emit(part)
		}
	}
	for _, joined := range w.joined {
		emit(joined)
	}
}

func pieces(text string) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		for i := 0; i < len(text); {
			class, n := classOf(text[i:])
			if class == other {
				i += n
				continue
			}
			start, end := i, i+n
			for i = end; i < len(text); {
				next, n := classOf(text[i:])
				if next == class {
					i += n
					end = i
					continue
				}
				if class == word && text[i] == ',' && isDigit(text[i-1]) && thousand(text[i+1:]) {
					i++
					continue
				}
				// Inside a word may stand what joins its parts.
				if class == word && next == other && strings.IndexByte("._-/'", text[i]) >= 0 && i+1 < len(text) {
					if after, _ := classOf(text[i+1:]); after == word {
						if text[i] != '\'' {
							i++
							continue
						}
						// node's, don't: without what is behind the apostrophe.
						if rest, letters := skip(text, i+1); letters <= 2 {
							i = rest
						}
					}
				}
				break
			}
			if !yield(piece{text[start:end], class == cjk}) {
				return
			}
		}
	}
}

// thousand tells whether a text goes on with three digits and no more, as those behind a comma in 5,000.
func thousand(text string) bool {
	digits := 0
	for digits < len(text) && isDigit(text[digits]) {
		digits++
	}
	return digits == 3
}

// skip returns where a word that goes on at i ends.
func skip(text string, i int) (end, letters int) {
	for i < len(text) {
		class, n := classOf(text[i:])
		if class != word {
			break
		}
		i, letters = i+n, letters+1
	}
	return i, letters
}

type class byte

const (
	other class = iota
	word
	cjk
)

// classOf is that of a text's first character, which is n bytes long.
func classOf(text string) (c class, n int) {
	b := text[0]
	switch {
	case 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9':
		return word, 1
	case b < utf8.RuneSelf:
		return other, 1
	}
	r, n := utf8.DecodeRuneInString(text)
	switch {
	case isJapanese(r):
		return cjk, n
	case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.M, r):
		return word, n
	}
	return other, n
}

func isJapanese(r rune) bool {
	return r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

func isKatakana(r rune) bool { return r == 'ー' || unicode.Is(unicode.Katakana, r) }

// split is a word that may be an identifier, in lower case.
type splitWord struct {
	parts  []string
	joined []string // what several of them are together, the whole last; empty when there is one
}

func split(text string) splitWord {
	var w splitWord
	whole := ""
	chunks := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("._-/,", r) })
	from := 0
	for i, chunk := range chunks {
		parts := humps(chunk)
		low := lower(chunk)
		for j := range parts {
			parts[j] = lower(parts[j])
			if j > 0 && len(parts) > 2 {
				w.joined = append(w.joined, parts[j-1]+parts[j])
			}
		}
		if len(parts) > 1 && len(chunks) > 1 {
			w.joined = append(w.joined, low)
		}
		// 1.36 is not 136, but 5,000 is 5000.
		if i > 0 && isDigit(whole[len(whole)-1]) && isDigit(low[0]) && text[from-1] != ',' {
			whole += "."
		}
		whole += low
		from += len(chunk) + 1
		w.parts = append(w.parts, parts...)
	}
	if len(w.parts) > 1 {
		w.joined = append(w.joined, whole)
	}
	return w
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// humps splits at a change of case and between letters and digits: HTTPServer2
// is HTTP, Server, 2; CPUs is one, IPv6 is IPv, 6.
func humps(text string) (out []string) {
	runes := []rune(text)
	kind := func(i int) byte {
		switch r := runes[i]; {
		case unicode.IsNumber(r):
			return '0'
		case unicode.IsUpper(r):
			return 'A'
		}
		return 'a'
	}
	start := 0
	cut := func(i int) {
		if i > start {
			out = append(out, string(runes[start:i]))
			start = i
		}
	}
	for i := 1; i < len(runes); i++ {
		before, here := kind(i-1), kind(i)
		switch {
		case before == 'A' && here == 'a':
			ends := (runes[i] == 's' || runes[i] == 'v') && (i+1 == len(runes) || kind(i+1) != 'a')
			if i-start > 1 && !ends {
				cut(i - 1)
			}
		case before != here:
			cut(i)
		}
	}
	cut(len(runes))
	return out
}

// japanese is a run as it is indexed: each katakana word of three characters or
// more without the long vowel at its end, in lower case.
func japanese(run string) []rune {
	runes := []rune(run)
	out := make([]rune, 0, len(runes))
	for i := 0; i < len(runes); {
		if !isKatakana(runes[i]) {
			out = append(out, runes[i])
			i++
			continue
		}
		start := i
		for i < len(runes) && isKatakana(runes[i]) {
			i++
		}
		end := i
		for end-start > 2 && runes[end-1] == 'ー' {
			end--
		}
		out = append(out, runes[start:end]...)
	}
	return out
}

func grams(run string, emit func(string)) {
	before := -1
	for i, r := range run {
		if before >= 0 {
			emit(run[before : i+utf8.RuneLen(r)])
		}
		before = i
	}
	if before >= 0 {
		emit(run[before:])
	}
}

// stopWords are in every text, and say nothing about it.
var stopWords = set("a an the of to in is are was be been and or it its that this these those as at by for on with from")

// askingWords stand in questions. They count where they are all that is asked.
var askingWords = set("how why what when where who which do does did can could should would will i my me you your we our there has have had not no if then so than but about into")

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}
