package cri

import (
	"strconv"
	"strings"
)

func (x *shell) expandAll(words []word) []string {
	var out []string
	for _, w := range words {
		out = append(out, x.expand(w)...)
	}
	return out
}

// expand makes words of one: what isn't quoted is split at spaces.
func (x *shell) expand(w word) []string {
	var out []string
	var now strings.Builder
	some := false
	for _, p := range w {
		text := x.value(p)
		if !x.hold(len(text)) {
			return nil
		}
		if p.kind == literal || p.quoted {
			now.WriteString(text)
			some = some || p.quoted || text != ""
			continue
		}
		fields := strings.Fields(text)
		for i, f := range fields {
			if i > 0 || now.Len() > 0 && text[0] == ' ' {
				if now.Len() > 0 {
					out = append(out, now.String())
				}
				now.Reset()
			}
			now.WriteString(f)
			some = true
		}
	}
	if some {
		out = append(out, now.String())
	}
	return out
}

func (x *shell) value(p part) string {
	switch p.kind {
	case variable:
		return x.variable(p.text)
	case substitution:
		s := parseScript(p.text)
		if s.failure != "" {
			x.out("stderr", "sh: "+s.failure)
			return ""
		}
		var text strings.Builder
		inner := *x // a shell of its own: exit is the end of it alone
		inner.trap = nil
		inner.out = func(stream, line string) {
			if stream != "stdout" {
				x.out(stream, line)
			} else if x.hold(len(line) + 1) {
				text.WriteString(ended(line))
			}
		}
		x.nested(func() {
			inner.list(s.body)
			x.status = inner.status
		})
		x.killed()
		return strings.TrimRight(text.String(), "\n")
	case arithmetic:
		return strconv.FormatInt(x.sum(p.text), 10)
	}
	return p.text
}

func (x *shell) variable(name string) string {
	switch name {
	case "?":
		return strconv.Itoa(int(x.status))
	case "$":
		return "1"
	case "RANDOM":
		return strconv.Itoa(x.runtime.kernel.Rand("shell/" + x.runtime.node).IntN(1 << 15))
	case "#":
		return strconv.Itoa(max(len(x.args)-1, 0))
	case "@", "*":
		return strings.Join(x.args[min(1, len(x.args)):], " ")
	}
	if n, err := strconv.Atoi(name); err == nil {
		if n < len(x.args) {
			return x.args[n]
		}
		return ""
	}
	if array, index, ok := strings.Cut(strings.TrimSuffix(name, "]"), "["); ok { // ${ITEMS[1]}
		return x.item(array, index)
	}
	if i := strings.IndexAny(name, ":-"); i > 0 { // ${NAME:-otherwise}
		if v := x.vars[name[:i]]; v != "" {
			return v
		}
		return strings.TrimLeft(name[i:], ":-")
	}
	return x.vars[name]
}

// item is one of an array's, or with @ all of them, or with # before its name how many there are.
func (x *shell) item(array, index string) string {
	if index != "@" && index != "*" {
		return x.vars[array+"["+strconv.FormatInt(x.sum(index), 10)+"]"]
	}
	array, counts := strings.CutPrefix(array, "#")
	var items []string
	for {
		value, ok := x.vars[array+"["+strconv.Itoa(len(items))+"]"]
		if !ok {
			break
		}
		items = append(items, value)
	}
	if counts {
		return strconv.Itoa(len(items))
	}
	return strings.Join(items, " ")
}

// called is how its complaints begin. Upstream: busybox shell/ash.c, ash_vmsg.
func (x *shell) called() string {
	if x.name == "" {
		return "sh: "
	}
	return x.name + ": "
}
