package cri

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// tail shows the last lines, or with -n +N all from one on. With -f and -F it goes on with what is added, and looks for that every second; with -F
// it waits for a file that isn't there. Simplified: of /dev/null, or of its input, nothing is added.
func tail(x *shell, argv []string) int32 {
	follows, waits, from, file := false, false, 0, ""
	rest := []string{argv[0]} // for head
	for _, a := range argv[1:] {
		count, isCount := strings.CutPrefix(strings.TrimPrefix(a, "-n"), "+")
		switch n, err := strconv.Atoi(count); {
		case a == "-f" || a == "-F":
			follows, waits = true, a == "-F"
			continue
		case isCount && err == nil:
			from = max(n, 1)
			continue
		case !strings.HasPrefix(a, "-") && err != nil:
			file = a
		}
		rest = append(rest, a)
	}
	if !follows && from == 0 {
		return head(x, rest)
	}
	path := clean(x.dir, file)
	for follows && (file == "" || path == "/dev/null") {
		if !x.sleep(24 * time.Hour) {
			return 137
		}
	}
	text, ok := x.input(), true
	if file != "" {
		text, ok = x.read(x.container, path)
	}
	switch {
	case !ok && !waits:
		return x.complain("tail: can't open '" + file + "': No such file or directory")
	case ok && from == 0:
		head(x, rest)
	case ok:
		lines := strings.SplitAfter(text, "\n")
		if from--; from < len(lines) && strings.Join(lines[from:], "") != "" {
			x.say(strings.TrimSuffix(strings.Join(lines[from:], ""), "\n"))
		}
	}
	for shown := len(text); follows; {
		if !x.sleep(time.Second) {
			return 137
		}
		text, _ := x.container.readFile(path)
		if len(text) < shown {
			shown = 0 // it begins anew
		}
		if len(text) > shown {
			x.say(strings.TrimSuffix(text[shown:], "\n"))
			shown = len(text)
		}
	}
	return 0
}

// yes repeats its argument to who reads it, and burns a CPU when nobody does.
func yes(x *shell, argv []string) int32 {
	text := "y"
	if len(argv) > 1 {
		text = strings.Join(argv[1:], " ")
	}
	for x.reader == "head" && !x.ended() {
		x.say(text)
	}
	for !x.ended() && x.busy(24*time.Hour) {
	}
	return 137
}

func grep(x *shell, argv []string) int32 {
	quiet, not, pattern, text := false, false, "", x.input()
	extended := base(argv[0]) == "egrep"
	for i, a := range argv[1:] {
		if strings.HasPrefix(a, "-") {
			quiet, not, extended = quiet || strings.Contains(a, "q"), not || strings.Contains(a, "v"), extended || strings.Contains(a, "E")
		} else if pattern == "" {
			pattern = a
		} else {
			file, ok := x.read(x.container, clean(x.dir, argv[i+1]))
			if !ok {
				x.complain("grep: " + a + ": No such file or directory")
				return 2
			}
			text = file
		}
	}
	found := int32(1)
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if matches(line, pattern, extended) != not {
			if found = 0; !quiet {
				x.say(line)
			}
		}
	}
	return found
}

// matches is what grep looks for: a text, with ^ and $ at the ends of a line, and with -E one of several, between which a | stands.
func matches(line, pattern string, extended bool) bool {
	if extended {
		for one := range strings.SplitSeq(pattern, "|") {
			if matches(line, one, false) {
				return true
			}
		}
		return false
	}
	begins, atStart := strings.CutPrefix(pattern, "^")
	text, atEnd := strings.CutSuffix(begins, "$")
	switch {
	case atStart && atEnd:
		return line == text
	case atStart:
		return strings.HasPrefix(line, text)
	case atEnd:
		return strings.HasSuffix(line, text)
	}
	return strings.Contains(line, text)
}

// rev turns lines around.
func rev(x *shell, argv []string) int32 {
	text := x.input()
	if n := len(argv) - 1; n > 0 {
		var ok bool
		if text, ok = x.read(x.container, clean(x.dir, argv[n])); !ok {
			return x.complain("rev: " + argv[n] + ": No such file or directory")
		}
	}
	for line := range strings.Lines(text) {
		runes := []rune(strings.TrimSuffix(line, "\n"))
		slices.Reverse(runes)
		x.say(string(runes))
	}
	return 0
}

func tee(x *shell, argv []string) int32 {
	for _, a := range argv[1:] {
		if !strings.HasPrefix(a, "-") {
			x.write(clean(x.dir, a), x.input(), len(argv) > 2 && argv[1] == "-a")
		}
	}
	return x.say(strings.TrimSuffix(x.input(), "\n"))
}

// head and tail show ten lines, or as many as -N or -n N says; tail -c+N shows what it reads from a byte on.
func head(x *shell, argv []string) int32 {
	n, text := 10, x.input()
	for i, a := range argv[1:] {
		if at, is := strings.CutPrefix(a, "-c+"); is {
			n, _ := strconv.Atoi(at)
			x.out("stdout", plain(text[min(max(n-1, 0), len(text)):]))
			return 0
		}
		if v, err := strconv.Atoi(strings.TrimLeft(a, "-n")); err == nil {
			n = v
		} else if !strings.HasPrefix(a, "-") {
			file, ok := x.read(x.container, clean(x.dir, argv[i+1]))
			if !ok {
				return x.complain(base(argv[0]) + ": " + a + ": No such file or directory")
			}
			text = file
		}
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if base(argv[0]) == "tail" {
		lines = lines[max(0, len(lines)-n):]
	} else {
		lines = lines[:min(n, len(lines))]
	}
	return x.say(strings.Join(lines, "\n"))
}

func count(x *shell, argv []string) int32 {
	text, name := x.input(), ""
	if n := len(argv) - 1; n > 0 && !strings.HasPrefix(argv[n], "-") {
		var ok bool
		if text, ok = x.read(x.container, clean(x.dir, argv[n])); !ok {
			return x.complain("wc: " + argv[n] + ": No such file or directory")
		}
		name = " " + argv[n]
	}
	n := strings.Count(text, "\n")
	if len(argv) > 1 && argv[1] == "-c" {
		n = len(text)
	} else if len(argv) > 1 && argv[1] == "-w" {
		n = len(strings.Fields(text))
	}
	return x.say(strconv.Itoa(n) + name)
}

func seq(x *shell, argv []string) int32 {
	from, to := 1, 0
	if len(argv) > 1 {
		to, _ = strconv.Atoi(argv[len(argv)-1])
	}
	if len(argv) > 2 {
		from, _ = strconv.Atoi(argv[1])
	}
	for i := from; i <= to && !x.ended(); i++ {
		x.say(strconv.Itoa(i))
	}
	return 0
}
