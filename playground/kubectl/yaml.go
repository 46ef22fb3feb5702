package kubectl

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// yamlText writes a tree as kubectl does: keys sorted, lists not indented, texts
// quoted only when they would read as something else, texts of several lines
// as blocks, long ones folded at blanks.
// Upstream: sigs.k8s.io/yaml, Marshal, over its fork of go-yaml.
func yamlText(t any) string {
	var y yamlWriter
	y.value(t, 0, "", false)
	return y.String()
}

type yamlWriter struct {
	strings.Builder
	column int
}

// bestWidth is the column behind which a text is folded at the next blank.
const bestWidth = 80

func (y *yamlWriter) put(s string) {
	y.WriteString(s)
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		y.column = len([]rune(s[i+1:]))
	} else {
		y.column += len([]rune(s))
	}
}

// value writes behind "key:" or "-"; sep is what stands between that and a
// value of one line. inList says that a mapping's first key stands behind the dash.
func (y *yamlWriter) value(v any, indent int, sep string, inList bool) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			y.put(sep + "{}\n")
			return
		}
		for i, k := range yamlKeys(v) {
			switch {
			case i == 0 && inList:
				y.put(" ")
			case i == 0 && sep != "":
				y.put("\n" + strings.Repeat(" ", indent))
			default:
				y.put(strings.Repeat(" ", indent))
			}
			y.text(k, indent, true)
			y.put(":")
			inner := indent + 2
			if list, ok := v[k].([]any); ok && len(list) > 0 {
				inner = indent
			}
			y.value(v[k], inner, " ", false)
		}
	case []any:
		if len(v) == 0 {
			y.put(sep + "[]\n")
			return
		}
		for i, item := range v {
			switch {
			case i == 0 && inList:
				y.put(" ")
			case i == 0 && sep != "":
				y.put("\n" + strings.Repeat(" ", indent))
			default:
				y.put(strings.Repeat(" ", indent))
			}
			y.put("-")
			y.value(item, indent+2, " ", true)
		}
	case string:
		y.put(sep)
		y.text(v, indent, false)
		y.put("\n")
	case nil:
		y.put(sep + "null\n")
	case bool:
		y.put(sep + strconv.FormatBool(v) + "\n")
	case json.Number:
		y.put(sep + v.String() + "\n")
	}
}

// yamlKeys are in the order of go-yaml: numbers within texts by their value.
func yamlKeys(m map[string]any) []string {
	keys := sortedKeys(m)
	slices.SortFunc(keys, func(a, b string) int {
		if naturalLess(a, b) {
			return -1
		}
		return 1
	})
	return keys
}

func digit(c rune) bool  { return c >= '0' && c <= '9' }
func letter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c > 127 }

// naturalLess is go-yaml's sorter.go, keyList.Less, for strings.
func naturalLess(a, b string) bool {
	x, y := []rune(a), []rune(b)
	digits := false
	for i := 0; i < len(x) && i < len(y); i++ {
		if x[i] == y[i] {
			digits = digit(x[i])
			continue
		}
		xl, yl := letter(x[i]), letter(y[i])
		if xl && yl {
			return x[i] < y[i]
		}
		if xl || yl {
			if digits {
				return xl
			}
			return yl
		}
		var xn, yn int64
		if x[i] == '0' || y[i] == '0' {
			for j := i - 1; j >= 0 && digit(x[j]); j-- {
				if x[j] != '0' {
					xn, yn = 1, 1
					break
				}
			}
		}
		xi, yi := i, i
		for ; xi < len(x) && digit(x[xi]); xi++ {
			xn = xn*10 + int64(x[xi]-'0')
		}
		for ; yi < len(y) && digit(y[yi]); yi++ {
			yn = yn*10 + int64(y[yi]-'0')
		}
		if xn != yn {
			return xn < yn
		}
		if xi != yi {
			return xi < yi
		}
		return x[i] < y[i]
	}
	return len(x) < len(y)
}

// text writes a scalar. What stands behind a line break is indented.
func (y *yamlWriter) text(s string, indent int, key bool) {
	switch {
	case strings.Contains(s, "\n") && !key && printable(s) && !strings.Contains(s, " \n") && !strings.HasSuffix(s, " "):
		y.block(s, indent)
	case !printable(s) || strings.Contains(s, "\n"):
		y.quoted(s, indent, key)
	case readsOtherwise(s):
		y.put(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`)
	case needsQuotes(s):
		y.put("'")
		y.fold(strings.ReplaceAll(s, "'", "''"), indent, key)
		y.put("'")
	default:
		y.fold(s, indent, key)
	}
}

// quoted writes a text with escapes, folded like others.
func (y *yamlWriter) quoted(s string, indent int, key bool) {
	y.put(`"`)
	for i, r := range s {
		if r == ' ' && !key && y.column > bestWidth && i > 0 && i+1 < len(s) && s[i-1] != ' ' {
			y.put("\n" + strings.Repeat(" ", indent))
			if s[i+1] == ' ' {
				y.put(`\`)
			}
			continue
		}
		q := strconv.Quote(string(r))
		y.put(q[1 : len(q)-1])
	}
	y.put(`"`)
}

// fold breaks a long text at single blanks.
func (y *yamlWriter) fold(s string, indent int, key bool) {
	for i, r := range s {
		if r == ' ' && !key && y.column > bestWidth && i > 0 && i+1 < len(s) && s[i-1] != ' ' && s[i+1] != ' ' {
			y.put("\n" + strings.Repeat(" ", indent))
			continue
		}
		y.put(string(r))
	}
}

// block writes a text of several lines behind |.
func (y *yamlWriter) block(s string, indent int) {
	y.put("|")
	if s[0] == ' ' || s[0] == '\n' {
		y.put("2")
	}
	switch {
	case !strings.HasSuffix(s, "\n"):
		y.put("-")
	case s == "\n" || strings.HasSuffix(s, "\n\n"):
		y.put("+")
	}
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for _, line := range lines {
		y.put("\n")
		if line != "" {
			y.put(strings.Repeat(" ", indent) + line)
		}
	}
}

func printable(s string) bool {
	for _, r := range s {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == 0xfeff || r == 0xfffd || r == '\t' {
			return false
		}
	}
	return true
}

// readsOtherwise says that a bare text would be no text but a bool, a number,
// a time or nothing.
func readsOtherwise(s string) bool {
	switch strings.ToLower(s) {
	case "", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", ".nan", ".inf", "-.inf", "+.inf", "<<":
		return true
	}
	c := s[0]
	if !digit(rune(c)) && c != '-' && c != '+' && c != '.' {
		return false
	}
	digits := strings.ReplaceAll(s, "_", "")
	if _, err := strconv.ParseInt(digits, 0, 64); err == nil {
		return true
	}
	if _, err := strconv.ParseUint(digits, 0, 64); err == nil {
		return true
	}
	if isFloat(digits) || isTime(s) {
		return true
	}
	for _, base := range []struct {
		prefix string
		base   int
	}{{"0b", 2}, {"-0b", 2}} {
		if rest, ok := strings.CutPrefix(digits, base.prefix); ok {
			_, err := strconv.ParseInt(rest, base.base, 64)
			return err == nil
		}
	}
	return sexagesimal(s)
}

// isFloat is go-yaml's yamlStyleFloat: [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
func isFloat(s string) bool {
	s = strings.TrimLeft(s, "+-")
	mantissa, exponent, has := strings.Cut(strings.ToLower(s), "e")
	if has {
		exponent = strings.TrimLeft(exponent, "+-")
		if exponent == "" || strings.Trim(exponent, "0123456789") != "" {
			return false
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	return strings.Trim(whole, "0123456789") == "" && strings.Trim(fraction, "0123456789") == "" && whole+fraction != ""
}

// isTime is go-yaml's resolve.go, parseTimestamp.
func isTime(s string) bool {
	if len(s) < 8 || s[4] != '-' {
		return false
	}
	for _, layout := range []string{"2006-1-2T15:4:5.999999999Z07:00", "2006-1-2t15:4:5.999999999Z07:00", "2006-1-2 15:4:5.999999999", "2006-1-2"} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}

// sexagesimal is a number of base 60, as YAML 1.1 has them: 1:30. go-yaml quotes what old readers would take for one.
func sexagesimal(s string) bool {
	s = strings.TrimLeft(s, "+-")
	if !strings.Contains(s, ":") || s == "" || !digit(rune(s[0])) {
		return false
	}
	for i, part := range strings.Split(s, ":") {
		part, _, _ = strings.Cut(part, ".")
		if part == "" || strings.Trim(part, "0123456789_") != "" || i > 0 && len(part) > 2 {
			return false
		}
	}
	return true
}

// needsQuotes says that a bare text would end early or begin something.
func needsQuotes(s string) bool {
	if strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...") || s[0] == ' ' || s[len(s)-1] == ' ' {
		return true
	}
	switch s[0] {
	case '#', ',', '[', ']', '{', '}', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return true
	case '-', '?', ':':
		if len(s) == 1 || s[1] == ' ' {
			return true
		}
	}
	return strings.Contains(s, ": ") || strings.Contains(s, " #") || strings.HasSuffix(s, ":")
}
