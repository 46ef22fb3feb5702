package pages

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Browsers that know where Japanese phrases end (word-break: auto-phrase) take what stands before and after "：" for one phrase, and break
// within it when it is too long for a line; and a space between a figure and its counter, or a word of Latin letters and its particle, is a
// place to break for all of them. In headings, where lines are few, both are seen.

// inPhrases is a heading's text as HTML, in which lines break where they should.
func inPhrases(title, language string) string {
	escaped := html.EscapeString(title)
	if language != "ja" {
		return escaped
	}
	return phrased(escaped)
}

// headingsInPhrases is the HTML of a chapter, with its headings likewise.
func headingsInPhrases(text, language string) string {
	if language != "ja" {
		return text
	}
	var out strings.Builder
	for {
		begin := headingIn(text)
		if begin < 0 {
			break
		}
		end := begin + strings.Index(text[begin:], "</h")
		out.WriteString(text[:begin])
		out.WriteString(phrased(text[begin:end]))
		text = text[end:]
	}
	out.WriteString(text)
	return out.String()
}

// headingIn is where the first heading of a chapter's HTML begins; -1 for none.
func headingIn(text string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], "<h")
		if i < 0 {
			return -1
		}
		i += from
		if from = i + len("<h"); from < len(text) && text[from] >= '2' && text[from] <= '4' && strings.Contains(text[from:], "</h") {
			return i
		}
	}
}

// phrased gives the text of an element, not its tags, a place to break after "：" and none before a counter or a particle.
func phrased(element string) string {
	var out strings.Builder
	isTag := false
	last := rune(0)
	for i, r := range element {
		switch {
		case r == '<':
			isTag = true
		case r == '>':
			isTag = false
			out.WriteRune(r)
			continue
		case isTag:
		case r == '：':
			out.WriteString("：<wbr>")
			last = r
			continue
		case r == ' ' && last < utf8.RuneSelf:
			next, _ := utf8.DecodeRuneInString(element[i+1:])
			isCounter := unicode.IsDigit(last) && unicode.In(next, unicode.Hiragana, unicode.Katakana, unicode.Han)
			if isCounter || unicode.IsLetter(last) && unicode.In(next, unicode.Hiragana) { // "apply されて", "Pod を": it goes with the word
				r = '\u00a0'
			}
		}
		if out.WriteRune(r); !isTag {
			last = r
		}
	}
	return out.String()
}
