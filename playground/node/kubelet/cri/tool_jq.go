//go:build !js || cel

package cri

import (
	"bytes"
	"encoding/json"
	"strings"

	"kubewalk/playground/api/jq"
)

func init() { tools["jq"] = runJQ }

// runJQ is jq: it reads files, or what is piped in.
func runJQ(x *shell, argv []string) int32 {
	raw, compact, null, status := false, false, false, false
	var rest []string
	args := map[string]any{}
	for i := 1; i < len(argv); i++ {
		switch a := argv[i]; {
		case a == "--arg" && i+2 < len(argv):
			args[argv[i+1]] = argv[i+2]
			i += 2
		case a == "--raw-output":
			raw = true
		case a == "--compact-output":
			compact = true
		case strings.HasPrefix(a, "-") && len(a) > 1 && strings.Trim(a[1:], "rcne") == "":
			raw, compact = raw || strings.Contains(a, "r"), compact || strings.Contains(a, "c")
			null, status = null || strings.Contains(a, "n"), status || strings.Contains(a, "e")
		case strings.HasPrefix(a, "-") && len(a) > 1:
			x.complain("jq: Unknown option: " + a)
			return 2
		default:
			rest = append(rest, a)
		}
	}
	if len(rest) == 0 {
		rest = []string{"."}
	}
	filter, err := jq.Parse(rest[0], args)
	if err != nil {
		x.complain("jq: error: " + err.Error() + "\njq: 1 compile error")
		return 3
	}
	text := x.input()
	if len(rest) > 1 {
		text = ""
		for _, name := range rest[1:] {
			more, ok := x.read(x.container, clean(x.dir, name))
			if !ok {
				x.complain("jq: error: Could not open " + name + ": No such file or directory")
				return 2
			}
			text += more + "\n"
		}
	}
	if null {
		text = "null"
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	code, last := int32(0), any(nil)
	for d.More() {
		var v any
		if err := d.Decode(&v); err != nil {
			x.complain("jq: error (at <stdin>:1): Cannot parse the input: " + err.Error())
			return 2
		}
		x.step(lines(len(text)))
		out, err := filter.Run(v)
		for _, v := range out {
			last = v
			x.say(printed(v, raw, compact))
		}
		if err != nil {
			x.complain("jq: error (at <stdin>:1): " + err.Error())
			code = 5
		}
	}
	if status && code == 0 && (last == nil || last == false) {
		return 1
	}
	return code
}

// printed is a value as jq prints it. An object's keys are in the order of their names, as with jq -S.
func printed(v any, raw, compact bool) string {
	if text, ok := v.(string); ok && raw {
		return text
	}
	text := jq.Text(v)
	if compact {
		return text
	}
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}
