package kubectl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// kyamlText writes a tree, or JSON with the order of its keys, as -o kyaml does: a YAML in which brackets say what belongs together, and
// not blanks; texts stand in quotation marks, and keys only if they would read as something else.
// Upstream: sigs.k8s.io/yaml/kyaml, Encoder.FromObject. (It is not used because it brings go-yaml along.)
func kyamlText(t any) string {
	var k kyamlWriter
	k.WriteString("---\n")
	k.value(encode(t), 0)
	return k.String() + "\n"
}

type kyamlWriter struct{ strings.Builder }

func (k *kyamlWriter) indent(level int) { k.WriteString(strings.Repeat("  ", level)) }

func (k *kyamlWriter) value(v json.RawMessage, level int) {
	switch v[0] {
	case '{':
		k.mapping(v, level)
	case '[':
		k.list(v, level)
	case '"':
		var text string
		_ = json.Unmarshal(v, &text) // it was a text
		k.text(text, level+1)
	default:
		k.Write(v)
	}
}

func (k *kyamlWriter) mapping(m json.RawMessage, level int) {
	d := json.NewDecoder(bytes.NewReader(m))
	_, _ = d.Token() // the bracket; it is JSON, so nothing fails
	if !d.More() {
		k.WriteString("{}")
		return
	}
	k.WriteString("{\n")
	for d.More() {
		token, _ := d.Token()
		key, _ := token.(string)
		var value json.RawMessage
		_ = d.Decode(&value)
		k.indent(level + 1)
		if ambiguousKey(key) {
			k.WriteByte('"')
			for _, r := range key {
				k.escaped(r, true)
			}
			k.WriteByte('"')
		} else {
			k.WriteString(key)
		}
		k.WriteString(": ")
		k.value(value, level+1)
		k.WriteString(",\n")
	}
	k.indent(level)
	k.WriteByte('}')
}

// list writes items one behind the other if all of them have brackets of their own, and otherwise below each other.
func (k *kyamlWriter) list(v json.RawMessage, level int) {
	var items []json.RawMessage
	_ = json.Unmarshal(v, &items) // it was a list
	if len(items) == 0 {
		k.WriteString("[]")
		return
	}
	bracketed := true
	for _, item := range items {
		bracketed = bracketed && (item[0] == '{' || item[0] == '[')
	}
	k.WriteByte('[')
	if bracketed {
		for i, item := range items {
			if i > 0 {
				k.WriteString(", ")
			}
			k.value(item, level)
		}
		k.WriteByte(']')
		return
	}
	k.WriteByte('\n')
	for _, item := range items {
		k.indent(level + 1)
		k.value(item, level+1)
		k.WriteString(",\n")
	}
	k.indent(level)
	k.WriteByte(']')
}

// text writes a text; one of several lines goes on after a backslash at the end of each.
func (k *kyamlWriter) text(s string, level int) {
	k.WriteByte('"')
	if !strings.Contains(s, "\n") {
		for _, r := range s {
			k.escaped(r, false)
		}
		k.WriteByte('"')
		return
	}
	k.WriteString("\\\n")
	begins := true // a line
	for _, r := range s {
		if begins {
			k.indent(level)
			// YAML drops blanks at the beginning of a line, so those of the text need a backslash.
			if unicode.IsSpace(r) && r != '\n' {
				k.WriteByte('\\')
			} else {
				k.WriteByte(' ')
			}
		}
		if begins = r == '\n'; begins {
			k.WriteString("\\n\\\n")
		} else {
			k.escaped(r, false)
		}
	}
	if !begins {
		k.WriteString("\\\n")
	}
	k.indent(level)
	k.WriteByte('"')
}

// kyamlShort are the characters with an escape of one letter.
var kyamlShort = map[rune]byte{'"': '"', '\\': '\\', '\a': 'a', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '\v': 'v', 0: '0', 0x1b: 'e',
	0x85: 'N', 0xa0: '_', 0x2028: 'L', 0x2029: 'P'}

// escaped writes a character as it stands between quotation marks.
func (k *kyamlWriter) escaped(r rune, key bool) {
	switch short := kyamlShort[r]; {
	case r == '\t' && !key, unicode.IsPrint(r) && r != '"' && r != '\\':
		k.WriteRune(r)
	case short != 0:
		k.WriteByte('\\')
		k.WriteByte(short)
	case r < ' ' || r == 0x7f:
		fmt.Fprintf(k, `\x%02x`, r)
	case r < 0x10000:
		fmt.Fprintf(k, `\u%04x`, r)
	default:
		fmt.Fprintf(k, `\U%08x`, r)
	}
}

// ambiguousKey says that a key without quotation marks might be read as something else.
// Upstream: kyaml.go, needsQuotes and isTypeAmbiguous.
func ambiguousKey(s string) bool {
	runes := []rune(s)
	for i, r := range runes {
		inside := i > 0 && i < len(runes)-1 && strings.ContainsRune("-./", r)
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' && !inside {
			return true
		}
	}
	switch strings.ToLower(s) {
	case "", "null", "true", "y", "yes", "on", "false", "n", "no", "off":
		return true
	}
	if _, err := strconv.ParseBool(s); err == nil {
		return true
	}
	digits := strings.ReplaceAll(s, "_", "")
	if _, err := strconv.ParseInt(digits, 0, 64); err == nil {
		return true
	}
	if _, err := strconv.ParseFloat(digits, 64); err == nil {
		return true
	}
	return isTime(s)
}
