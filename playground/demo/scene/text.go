package scene

import "strings"

// The pages' fonts are the reader's, so widths are estimated from above: 0.6 em
// for a Latin letter (the advance of common monospaced fonts, more than that of
// sans-serif ones) and 1 em for the rest.

// textWidth is in tenths of a unit.
func textWidth(s string, size int) int {
	w := 0
	for _, r := range s {
		w += runeWidth(r, size)
	}
	return w
}

func runeWidth(r rune, size int) int {
	if r < 0x1100 && r != '…' {
		return size * 6
	}
	if r >= 0x2010 && r <= 0x2027 && r != '…' { // dashes, quotes, dots
		return size * 6
	}
	return size * 10
}

// TextWidth is how wide a text may become at a font size, in tenths of a unit.
func TextWidth(s string, size int) int { return textWidth(s, size) }

// fits tells whether a text takes no more than so many units.
func fits(s string, units, size int) bool { return textWidth(s, size) <= units*10 }

// fitEnd shortens a text from its end.
func fitEnd(s string, units, size int) string {
	if fits(s, units, size) {
		return s
	}
	room := units*10 - size*10
	w := 0
	for i, r := range s {
		w += runeWidth(r, size)
		if w > room {
			if i == 0 {
				return ""
			}
			return strings.TrimRight(s[:i], " -·") + "…"
		}
	}
	return s
}

// bareName is what follows the namespace in a key, up to the UID in keys of the
// garbage collector: "ReplicaSet default/web-5f6 0c1d…" is web-5f6.
func bareName(key string) string {
	i := strings.LastIndexByte(key, '/') + 1
	name, _, _ := strings.Cut(key[i:], " ")
	if i == 0 {
		return key
	}
	return name
}

// isWord tells a word from what was generated: that has digits, or no vowels.
// Upstream: k8s.io/apimachinery/pkg/util/rand, alphanums.
func isWord(s string) bool {
	return strings.ContainsAny(s, "aeiou") && !strings.ContainsAny(s, "0123456789")
}

// suffix is what a generated name ends in, or the name.
func suffix(name string) string {
	i := strings.LastIndexByte(name, '-')
	if i > 0 && len(name)-i-1 >= 5 {
		return name[i+1:]
	}
	return name
}
