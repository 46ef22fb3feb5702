package cri

import (
	"slices"
	"strings"
	"time"
)

// maxLogLines is how many lines of a container are kept, the newest: a log is
// rotated when it gets long.
const maxLogLines = 2000

// LogLine is one line that a container wrote. Upstream: the CRI log format,
// "TIME STREAM F TEXT", or with P for a part of a line.
type LogLine struct {
	At     time.Time
	Stream string // "stdout" or "stderr"
	Text   string
	Open   bool // the program has not ended it
}

// log is what a container has written. It is on the node's disk, so it is there
// until the container is removed.
type log struct {
	lines   []LogLine
	size    int // bytes in lines
	dropped int // lines that are not kept any more
	// watch is called when there are more lines, or will be none.
	watch []*func()
}

// maxLogBytes is how much of a container's log is kept.
// Upstream: pkg/kubelet/apis/config/v1beta1 defaults, ContainerLogMaxSize.
const maxLogBytes = 10 << 20

// write appends text, which may hold several lines.
func (l *log) write(at time.Time, stream, text string) {
	lines := strings.Split(strings.TrimSuffix(ended(text), "\n"), "\n")
	for _, line := range lines[max(0, len(lines)-maxLogLines):] {
		l.lines = append(l.lines, LogLine{At: at, Stream: stream, Text: line})
		l.size += len(line)
	}
	l.lines[len(l.lines)-1].Open = strings.HasSuffix(text, unended)
	if over := len(l.lines) - maxLogLines; over > maxLogLines/4 {
		l.drop(over)
	}
	if l.size > maxLogBytes {
		n, left := 0, l.size
		for ; left > maxLogBytes/2; n++ {
			left -= len(l.lines[n].Text)
		}
		l.drop(n)
	}
	l.changed()
}

func (l *log) changed() {
	for _, tell := range l.watch {
		(*tell)()
	}
}

// drop forgets the oldest lines.
func (l *log) drop(n int) {
	for _, line := range l.lines[:n] {
		l.size -= len(line.Text)
	}
	l.lines, l.dropped = append([]LogLine(nil), l.lines[n:]...), l.dropped+n
}

// Logs returns what a container has written, the oldest line first. The slice
// must not be changed.
func (r *Runtime) Logs(id string) ([]LogLine, error) {
	if err := r.Status(); err != nil {
		return nil, err
	}
	c := r.disk.container(id)
	if c == nil {
		return nil, notFound(id)
	}
	return c.log.lines, nil
}

// Follow has changed called whenever a container has written something, and when it has ended, until stop is called.
// Upstream: pkg/kubelet/kuberuntime/logs, ReadLogs, which watches the file.
func (r *Runtime) Follow(id string, changed func()) (stop func(), err error) {
	c := r.disk.container(id)
	if c == nil {
		return nil, notFound(id)
	}
	tell := &changed
	c.log.watch = append(c.log.watch, tell)
	return func() {
		c.log.watch = slices.DeleteFunc(slices.Clone(c.log.watch), func(f *func()) bool { return f == tell })
	}, nil
}

// LogsFrom returns the lines that a container has written after the first n, as far as they are kept, how many there were then, and
// whether it will write more.
func (r *Runtime) LogsFrom(id string, n int) (lines []LogLine, all int, more bool) {
	c := r.disk.container(id)
	if c == nil {
		return nil, n, false
	}
	l := c.log
	return l.lines[min(max(n-l.dropped, 0), len(l.lines)):], l.dropped + len(l.lines), c.State != ContainerExited
}

// maxMessageBytes and maxMessageLines bound a container's termination message.
// Upstream: pkg/kubelet/container MaxContainerTerminationMessage….
const (
	maxMessageBytes     = 4096
	maxMessageLogBytes  = 2048
	maxMessageLogLines  = 80
	messagePolicyByLogs = "FallbackToLogsOnError"
)

// TerminationMessage is what a container that has ended left as its last words:
// what it wrote to its terminationMessagePath, or the end of its log, if it
// failed and its policy says so.
// Upstream: kuberuntime_container.go getTerminationMessage.
func (r *Runtime) TerminationMessage(id string) string {
	c := r.disk.container(id)
	if c == nil || c.State != ContainerExited {
		return ""
	}
	if c.message != "" { // why it could not be started
		return c.message
	}
	if path := c.Config.TerminationMessagePath; path != "" {
		if text, ok := c.readFile(clean("/", path)); ok && text != "" {
			return text[:min(len(text), maxMessageBytes)]
		}
	}
	if c.Config.TerminationMessagePolicy != messagePolicyByLogs || c.ExitCode == 0 {
		return ""
	}
	lines := c.log.lines
	lines = lines[max(0, len(lines)-maxMessageLogLines):]
	var b strings.Builder
	for _, line := range lines {
		if b.WriteString(line.Text); !line.Open {
			b.WriteByte('\n')
		}
	}
	text := b.String()
	return text[max(0, len(text)-maxMessageLogBytes):]
}
