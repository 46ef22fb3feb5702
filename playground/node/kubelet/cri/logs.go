package cri

import (
	"strings"
	"time"
)

// maxLogLines is how many lines of a container are kept, the newest: a log is
// rotated when it gets long.
const maxLogLines = 2000

// LogLine is one line that a container wrote. Upstream: the CRI log format,
// "TIME STREAM F TEXT".
type LogLine struct {
	At     time.Time
	Stream string // "stdout" or "stderr"
	Text   string
}

// log is what a container has written. It is on the node's disk, so it is there
// until the container is removed.
type log struct{ lines []LogLine }

// write appends text, which may hold several lines.
func (l *log) write(at time.Time, stream, text string) {
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		l.lines = append(l.lines, LogLine{at, stream, line})
	}
	if over := len(l.lines) - maxLogLines; over > maxLogLines/4 {
		l.lines = append([]LogLine(nil), l.lines[over:]...)
	}
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
		b.WriteString(line.Text + "\n")
	}
	text := b.String()
	return text[max(0, len(text)-maxMessageLogBytes):]
}
