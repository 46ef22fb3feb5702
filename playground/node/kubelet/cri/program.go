package cri

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/sim"
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
	// Answers is how long after its start it begins to answer requests, and Breaks
	// when it stops answering them well; 0 is never.
	Answers, Breaks time.Duration

	// Serves is true for what answers HTTP, on Ports and on the ports that the
	// Pod's spec names; with neither, on every port.
	Serves bool
	Ports  []int32
	// Certificate is what it shows to clients that look: what is in a file when it starts, by its path, or one of package x509's.
	Certificate string
	// Latency is how long an answer takes, and RequestCPU how much of a CPU's time.
	Latency, RequestCPU time.Duration
	// CPU (nanocores) and Memory (bytes) are what it uses. Memory grows by Leak
	// bytes a second, up to MemoryMax (0: without end).
	CPU, Memory, Leak, MemoryMax int64
	// Says are the lines that it logs at its start; with LogEvery, it logs Says
	// again and again. Served requests are logged if LogsRequests is set.
	Says     []string
	LogEvery time.Duration
	// Line makes the lines that it logs, instead of Says: the first has number 0. nil is Says.
	Line         func(now time.Time, number int, r *sim.Rand) string
	LogsRequests bool
	// Root is the directory whose files it serves; "" is none.
	Root string
	// Admission is how it answers reviews that the API server sends to a webhook; nil is not at all.
	Admission webhookServer
	// API is how it answers as an extension API server; nil is not at all.
	API apiServer
	// Endpoints is how it answers in a way of its own; nil is as all servers do.
	Endpoints endpoints
	// Guest is the name of what runs as a component of its own: see Guest. "" is nothing.
	Guest string
	// Missing is the name of an executable that the image doesn't have: the
	// container can't be started.
	Missing string

	// Reads is true for a shell that reads what is typed to it, at a terminal if TTY is true too: see Attach.
	Reads, TTY bool

	script *script // what a shell runs instead of all that
}

// endpoints are a server's that answers in a way of its own, and may take its time for it.
type endpoints interface {
	// hears tells whether it takes what comes over UDP or SCTP at a port.
	hears(protocol string, port int32) bool
	// serve answers what comes, over HTTP too. done is called once, or never for a packet that it has no answer to.
	serve(in *Inside, request Request, done func(Response))
}

// beginner is one that looks at its container when that starts.
type beginner interface {
	begin(in *Inside, p *Program)
}

// begun is the program once it has looked at its container.
func (p Program) begun(in *Inside) Program {
	if e, looks := p.Endpoints.(beginner); looks {
		e.begin(in, &p)
	}
	return p
}

// lines are those that it logs next.
func (p *Program) lines(now time.Time, number int, r *sim.Rand) []string {
	if p.Line != nil {
		return []string{p.Line(now, number, r)}
	}
	return p.Says
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

// ParseProgram is NewProgram for an image that nothing is known of.
func ParseProgram(command, args []string) Program { return NewProgram("", command, args) }

// NewProgram tells what a container's program does: from its image, and the
// command and arguments that the Pod gives. The package comment has the catalogue.
func NewProgram(image string, command, args []string) Program {
	b := lookup(image)
	argv := append(append([]string{}, command...), args...)
	switch {
	case len(command) > 0:
	case len(args) > 0:
		argv = append(append([]string{}, b.Entrypoint...), args...)
	default:
		argv = append(append([]string{}, b.Entrypoint...), b.Cmd...)
	}
	p := b.parse(argv)
	if p.Memory == 0 {
		p.Memory = b.Memory
	}
	if p.Memory == 0 {
		p.Memory = 4 << 20
	}
	return p
}

func (b *Behaviour) parse(argv []string) Program {
	if len(argv) == 0 {
		return b.serve(nil)
	}
	if !b.holds(argv[0]) {
		return Program{Missing: argv[0]}
	}
	name := base(argv[0])
	switch name {
	case "sh", "bash", "ash", "dash":
		return parseShell(argv)
	case "sleep":
		if s, ok := parseSleep(argv); ok {
			return s
		}
	case "true":
		return Program{}
	case "false":
		return Program{ExitCode: 1}
	}
	if b.Read != nil {
		if p, ok := b.Read(argv); ok {
			return p
		}
	}
	if _, builtin := commands[name]; builtin || tools[name] != nil && slices.Contains(b.Commands, name) {
		return Program{script: single(argv), IgnoresSIGTERM: true}
	}
	return b.serve(argv)
}

// serve is a server: what a program is of which nothing else is known.
func (b *Behaviour) serve(argv []string) Program {
	return Program{Forever: true, Serves: true, Ports: b.Ports, CPU: milli, LogsRequests: b.LogsRequests, Root: b.Root, Says: b.Says}
}

// milli is a thousandth of a CPU, in nanocores.
const milli = 1_000_000

func parseSleep(argv []string) (Program, bool) {
	if len(argv) != 2 {
		return Program{}, false
	}
	if argv[1] == "infinity" || argv[1] == "inf" {
		return Program{Forever: true, IgnoresSIGTERM: true}, true
	}
	d, ok := parseSeconds(argv[1])
	return Program{Runs: d, IgnoresSIGTERM: true}, ok
}

func parseShell(argv []string) Program {
	for i := 1; i < len(argv); i++ {
		if strings.HasPrefix(argv[i], "-") && strings.HasSuffix(argv[i], "c") && i+1 < len(argv) {
			s := parseOf(argv[0], argv[i+1])
			s.errexit, s.name = strings.Contains(argv[i], "e"), argv[0]
			s.args = argv[i+2:]
			return Program{script: s, IgnoresSIGTERM: true}
		}
	}
	return Program{} // a shell without anything to read ends at once
}

// Prompts tells whether a command line is a shell without anything to run: with
// its standard input kept open, it waits for what somebody may type.
func Prompts(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	switch base(argv[0]) {
	case "sh", "bash", "ash", "dash":
		return parseShell(argv).script == nil && scriptFile(argv) == ""
	}
	return false
}

// scriptFile is the file that a shell is to run; "" for none.
func scriptFile(argv []string) string {
	if len(argv) < 2 || strings.HasPrefix(argv[1], "-") {
		return ""
	}
	return argv[1]
}

// Reading is the program when its standard input is kept open: a shell reads from that. Other programs stay as they are.
func (p Program) Reading(command []string, tty bool) Program {
	if Prompts(command) {
		p = Program{Forever: true, IgnoresSIGTERM: true, Memory: p.Memory, Reads: true}
	}
	p.Reads = p.Reads || p.script != nil
	p.TTY = p.Reads && tty
	return p
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

// webhookServer answers the reviews that the API server sends, by the path at which they come.
type webhookServer interface {
	// review is a code of HTTP and a body.
	review(path, body string) (status int, answer string)
	// delay is how long that takes.
	delay(path, body string) time.Duration
}
