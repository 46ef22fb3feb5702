package markdown

// attribute is one of those in braces: #anchor, a word, or key=value.
type attribute struct {
	name   string // "#" for an anchor
	value  string
	offset int // in the file
}

// readAttributes reads what stands between braces. Offset is that of its first byte.
func readAttributes(text []byte, offset int) (out []attribute) {
	for i := 0; i < len(text); {
		if text[i] == ' ' || text[i] == '\t' || text[i] == ',' {
			i++
			continue
		}
		a := attribute{offset: offset + i}
		start := i
		for i < len(text) && text[i] != ' ' && text[i] != '\t' && text[i] != '=' && text[i] != ',' {
			i++
		}
		a.name = string(text[start:i])
		if text[start] == '#' {
			a.name, a.value = "#", a.name[1:]
		} else if i < len(text) && text[i] == '=' {
			a.value, i = attributeValue(text, i+1)
		}
		out = append(out, a)
	}
	return out
}

// attributeValue is a word, or anything in quotes; next is where it ends.
func attributeValue(text []byte, i int) (value string, next int) {
	if i < len(text) && (text[i] == '"' || text[i] == '\'') {
		quote := text[i]
		for end := i + 1; end < len(text); end++ {
			if text[end] == quote {
				return string(text[i+1 : end]), end + 1
			}
		}
	}
	start := i
	for i < len(text) && text[i] != ' ' && text[i] != '\t' && text[i] != ',' {
		i++
	}
	return string(text[start:i]), i
}

// closing is where what text[0] opens is closed, or -1. A backslash takes a
// bracket's meaning away.
func closing(text []byte, open, close byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case open:
			depth++
		case close:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
