package cri

import (
	"strconv"
	"strings"
	"time"
)

// Program is what a container does once it is started.
type Program struct {
	// Forever is true for what runs until it is told to stop.
	Forever bool
	// Runs is how long it runs otherwise, and ExitCode what it ends with.
	Runs     time.Duration
	ExitCode int32
	// IgnoresSIGTERM is true for what has no handler: as process 1 of its
	// container the kernel does not kill it for that, so only SIGKILL, at the end
	// of the grace period, stops it.
	IgnoresSIGTERM bool
	// Stops is how long it takes to stop after SIGTERM; 0 lets the runtime draw
	// 20 to 400 ms.
	Stops time.Duration
	// Answers is how long after its start it begins to answer probes, and Breaks
	// when it stops answering them well; 0 is never.
	Answers, Breaks time.Duration
}

// Annotations of a Pod say what a container's command can't. They end in the
// container's name: "stops-after.kubewalk.dev/web: 5s".
const (
	StopsAfter  = "stops-after.kubewalk.dev/"  // how long it takes to stop after SIGTERM
	AnswersFrom = "answers-from.kubewalk.dev/" // probes over the network fail until that long after its start
	BreaksAfter = "breaks-after.kubewalk.dev/" // and fail again from that long after its start
)

// Annotate applies a Pod's annotations to a container's program. A value that
// is no duration is ignored.
func (p Program) Annotate(annotations map[string]string, container string) Program {
	read := func(annotation string, into *time.Duration) bool {
		d, err := time.ParseDuration(annotations[annotation+container])
		if err != nil || d <= 0 {
			return false
		}
		*into = d
		return true
	}
	if read(StopsAfter, &p.Stops) {
		p.IgnoresSIGTERM = false
	}
	read(AnswersFrom, &p.Answers)
	read(BreaksAfter, &p.Breaks)
	return p
}

// ParseProgram reads a container's command and arguments:
//
//	(none), or anything not below  a server: runs until SIGTERM, then ends with code 0
//	sleep 30 (also 5m, 1h, 0.5)    ends with 0 after that time; ignores SIGTERM
//	sleep infinity                 runs until SIGKILL
//	true, false                    end at once with 0 and 1
//	sh -c "sleep 5; exit 3"        the same, and echo, in order: statements end with ;, && or
//	                               a new line; && after a false ends the script; ignores SIGTERM
//
// A script with anything else in it is a server that starts at once.
func ParseProgram(command, args []string) Program {
	argv := append(append([]string{}, command...), args...)
	if len(argv) == 0 {
		return Program{Forever: true}
	}
	switch base(argv[0]) {
	case "sh", "bash", "ash", "dash":
		if len(argv) >= 3 && (argv[1] == "-c" || argv[1] == "-ec") {
			return parseScript(argv[2], argv[1] == "-ec")
		}
		return Program{Forever: true}
	}
	s, ok := parseStatement(argv)
	if !ok {
		return Program{Forever: true}
	}
	return Program{Forever: s.forever, Runs: s.takes, ExitCode: s.code, IgnoresSIGTERM: s.takes > 0 || s.forever}
}

type statement struct {
	takes   time.Duration
	forever bool
	code    int32
	exits   bool
}

func parseStatement(argv []string) (s statement, ok bool) {
	switch base(argv[0]) {
	case "true", "echo", ":", "printf", "date", "set":
		return s, true
	case "false":
		return statement{code: 1}, true
	case "exit":
		if len(argv) > 1 {
			n, err := strconv.ParseUint(argv[1], 10, 8)
			if err != nil {
				return s, false
			}
			s.code = int32(n)
		}
		s.exits = true
		return s, true
	case "sleep":
		if len(argv) != 2 {
			return s, false
		}
		if argv[1] == "infinity" || argv[1] == "inf" {
			return statement{forever: true}, true
		}
		d, ok := parseSeconds(argv[1])
		return statement{takes: d}, ok
	}
	return s, false
}

func parseScript(script string, errexit bool) Program {
	p := Program{IgnoresSIGTERM: true}
	skip := false // the statement before an && failed
	for script != "" {
		text, rest, and := cutStatement(script)
		script = rest
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if !skip {
			if words[0] == "exec" && len(words) > 1 {
				words = words[1:]
			}
			s, ok := parseStatement(words)
			if !ok {
				return Program{Forever: true}
			}
			if s.forever {
				p.Forever = true
				return p
			}
			p.Runs += s.takes
			p.ExitCode = s.code
			if s.exits || (errexit && s.code != 0 && !and) {
				return p
			}
		}
		skip = and && p.ExitCode != 0
	}
	return p
}

// cutStatement splits off the first statement. and tells that && follows it.
func cutStatement(script string) (statement, rest string, and bool) {
	for i := 0; i < len(script); i++ {
		switch {
		case script[i] == ';' || script[i] == '\n':
			return script[:i], script[i+1:], false
		case strings.HasPrefix(script[i:], "&&"):
			return script[:i], script[i+2:], true
		}
	}
	return script, "", false
}

// parseSeconds reads what sleep takes: seconds with up to three decimals, and a
// suffix s, m, h or d. It counts in whole milliseconds.
func parseSeconds(text string) (time.Duration, bool) {
	if text == "" {
		return 0, false
	}
	unit := time.Second
	switch text[len(text)-1:] {
	case "s":
		text = text[:len(text)-1]
	case "m":
		unit, text = time.Minute, text[:len(text)-1]
	case "h":
		unit, text = time.Hour, text[:len(text)-1]
	case "d":
		unit, text = 24*time.Hour, text[:len(text)-1]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > 3 {
		return 0, false
	}
	n, err := strconv.ParseUint("0"+whole, 10, 31)
	if err != nil {
		return 0, false
	}
	f, err := strconv.ParseUint((fraction + "000")[:3], 10, 31)
	if err != nil {
		return 0, false
	}
	return time.Duration(n)*unit + time.Duration(f)*(unit/1000), true
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
