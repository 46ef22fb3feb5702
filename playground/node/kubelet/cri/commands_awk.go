//go:build !js || cel

package cri

import (
	"strconv"
	"strings"
)

func init() { commands["awk"] = awk }

// awk prints fields of lines: awk '/text/ {print $1, $NF}', with -F. Of the language it knows nothing else, and says so.
// Upstream: busybox editors/awk.c.
func awk(x *shell, argv []string) int32 {
	separator, args := "", argv[1:]
	for len(args) > 0 && strings.HasPrefix(args[0], "-F") {
		if separator = args[0][2:]; separator == "" && len(args) > 1 {
			separator, args = args[1], args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return x.complain("awk: no program")
	}
	program, text := strings.TrimSpace(args[0]), x.input()
	pattern := ""
	if rest, has := strings.CutPrefix(program, "/"); has {
		pattern, program, _ = strings.Cut(rest, "/")
		if program = strings.TrimSpace(program); program == "" {
			program = "{print}"
		}
	}
	body, opens := strings.CutPrefix(program, "{")
	body, closes := strings.CutSuffix(body, "}")
	list, prints := strings.CutPrefix(strings.TrimSpace(body), "print")
	if !opens || !closes || !prints || strings.ContainsAny(list, ";{}()") {
		x.complain("awk: cmd. line:1: only '{print FIELDS}' is known here")
		return 2
	}
	if len(args) > 1 {
		file, ok := x.read(x.container, clean(x.dir, args[1]))
		if !ok {
			x.complain("awk: " + args[1] + ": No such file or directory")
			return 2
		}
		text = file
	}
	number := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if number++; !strings.Contains(line, pattern) {
			continue
		}
		fields := strings.Fields(line)
		if separator != "" {
			fields = strings.Split(line, separator)
		}
		if x.say(awkPrint(list, line, fields, number)); x.ended() {
			break
		}
	}
	return 0
}

// awkPrint is what print makes of its arguments: fields, NF, NR, texts and numbers, with commas between them.
func awkPrint(list, line string, fields []string, number int) string {
	if strings.TrimSpace(list) == "" {
		return line
	}
	var out []string
	for _, item := range strings.Split(list, ",") {
		item = strings.TrimSpace(item)
		value := item
		named := func(name string) (int, bool) {
			switch name {
			case "NF":
				return len(fields), true
			case "NR":
				return number, true
			}
			n, err := strconv.Atoi(name)
			return n, err == nil
		}
		if field, is := strings.CutPrefix(item, "$"); is {
			switch n, known := named(field); {
			case !known, n < 0, n > len(fields):
				value = ""
			case n == 0:
				value = line
			default:
				value = fields[n-1]
			}
		} else if text, err := strconv.Unquote(item); err == nil {
			value = text
		} else if n, known := named(item); known {
			value = strconv.Itoa(n)
		} else {
			value = "" // a variable that nobody set
		}
		out = append(out, value)
	}
	return strings.Join(out, " ")
}
