// Package reading estimates how long a text takes to read.
package reading

import "unicode"

// How fast people read, in a minute.
const (
	// Silent reading of English non-fiction: 238 words (Brysbaert, How many words
	// do we read per minute?, Journal of Memory and Language 109, 2019). Technical
	// texts take a little longer.
	wordsPerMinute = 220
	// Japanese is counted in characters: 400 to 600 are usual.
	charactersPerMinute = 500
	// Code is looked through: a word of it counts as a third.
	codeShare = 3
)

// Minutes is the time for a text with code in it, rounded, at least 1 when there is
// anything to read. Both kinds of writing are counted in either language: a
// Japanese text is full of English names.
func Minutes(texts, code []string) int {
	var words, characters, codeWords, codeCharacters int
	for _, t := range texts {
		w, c := count(t)
		words, characters = words+w, characters+c
	}
	for _, t := range code {
		w, c := count(t)
		codeWords, codeCharacters = codeWords+w, codeCharacters+c
	}
	minutes := float64(words)/wordsPerMinute + float64(characters)/charactersPerMinute +
		(float64(codeWords)/wordsPerMinute+float64(codeCharacters)/charactersPerMinute)/codeShare
	switch {
	case minutes == 0:
		return 0
	case minutes < 1:
		return 1
	}
	return int(minutes + 0.5)
}

// What an ASCII character is: of a word, or between words. An apostrophe is neither.
const (
	letter = 1 + iota
	gap
)

var ascii = func() (kinds [unicode.MaxASCII]byte) {
	for r := range rune(unicode.MaxASCII) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			kinds[r] = letter
		case r != '\'':
			kinds[r] = gap
		}
	}
	return kinds
}()

// count tells words from characters that are read one by one.
func count(text string) (words, characters int) {
	inWord := false
	for _, r := range text {
		switch {
		case r < unicode.MaxASCII && ascii[r] == letter: // nearly all, and without tables
			if !inWord {
				words++
			}
			inWord = true
		case r < unicode.MaxASCII && ascii[r] == gap:
			inWord = false
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 'ー':
			characters++
			inWord = false
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if !inWord {
				words++
			}
			inWord = true
		case r == '\'' || r == '’':
			// within a word, or beside one
		default:
			inWord = false
		}
	}
	return words, characters
}
