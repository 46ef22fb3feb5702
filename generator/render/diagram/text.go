package diagram

import "strings"

// Sizes of type, in CSS pixels. site/styles/diagram.css has the same.
const (
	labelSize, labelLine = 15, 20
	noteSize, noteLine   = 14, 18 // of arrows, and of boxes around others
)

// textWidth estimates from above how wide a text is in the reader's font: the
// classes are those of Verdana, the widest of the usual sans-serif faces but a tenth.
func textWidth(s string, size int) int {
	w := 0 // in hundredths of an em
	for _, r := range s {
		switch {
		case r >= 0x1100 && !(r >= 0x2010 && r <= 0x2027):
			w += 100
		case strings.ContainsRune("ijl.,:;'|!I ()[]tfr-", r):
			w += 38
		case r >= 'A' && r <= 'Z' || strings.ContainsRune("mwMW@%&→", r):
			w += 72
		default:
			w += 57
		}
	}
	return (w*size + 99) / 100
}

// wrapped breaks a label into lines of a width: between words, and between any two
// Japanese characters but before what must not begin a line. A word that is too long
// stays whole. Of all ways with as few lines it takes one with lines alike in length.
func wrapped(s string, width, size int) []string {
	lines := filled(s, width, size)
	for ; width > size; width -= 4 {
		next := filled(s, width, size)
		if len(next) > len(lines) {
			break
		}
		lines = next
	}
	return lines
}

// filled puts as much into each line as it holds.
func filled(s string, width, size int) (lines []string) {
	for part := range strings.SplitSeq(s, "\n") {
		line := ""
		for _, piece := range pieces(part) {
			if line != "" && textWidth(strings.TrimRight(line+piece, " "), size) > width {
				lines = append(lines, strings.TrimSpace(line))
				line = ""
			}
			line += piece
		}
		if line = strings.TrimSpace(line); line != "" || len(lines) == 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

// pieces are the parts of a line that stay together, with the space behind them.
func pieces(s string) (out []string) {
	const notFirst, notLast = "、。，．・：；？！ーゝゞ々ぁぃぅぇぉっゃゅょァィゥェォッャュョ）」』】］〉》…", "（「『【［〈《"
	start := true
	var before rune
	for _, r := range s {
		breaks := start || before == ' ' && r != ' ' ||
			(r >= 0x2e80 || before >= 0x2e80) && r != ' ' && !strings.ContainsRune(notFirst, r) && !strings.ContainsRune(notLast, before)
		if breaks && (start || before == ' ' || !katakana(before) || !katakana(r)) {
			out = append(out, "")
		}
		out[len(out)-1] += string(r)
		before, start = r, false
	}
	return out
}

// katakana words are not broken: コントロー, ラー is hard to read.
func katakana(r rune) bool { return r >= 0x30a0 && r <= 0x30ff }

func widest(lines []string, size int) (w int) {
	for _, line := range lines {
		w = max(w, textWidth(line, size))
	}
	return w
}
