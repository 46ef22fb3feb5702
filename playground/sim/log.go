package sim

import "kubewalk/playground/trace"

// Logger writes structured log lines into the trace, as klog does to a file:
// a constant message, then keys and values. A line becomes the cause of what
// the process does next, so that a reader who asks "why?" is shown what the
// code knew. Controllers hold no other tracing calls.
//
// Upstream: k8s.io/klog/v2 Logger, KEP-1602.
type Logger struct {
	kernel *Kernel
	says   func(LogLine) // see Component.OnLog
	v      int
	kv     []any
}

// Logger returns the logger of the component whose code runs.
func (p *Proc) Logger() Logger { return Logger{kernel: p.component.kernel, says: p.component.says} }

// Logger returns a logger for code that runs outside a process: event handlers.
func (k *Kernel) Logger() Logger { return Logger{kernel: k} }

// LogLine is a line that a component's processes have logged.
type LogLine struct {
	V       int
	Message string
	Failed  bool  // it was logged with Error
	Err     error // nil for none
	KV      []any // keys and values
}

// OnLog calls do with each line that the component's processes log from now on: a program in a container writes it to the container's log, too.
func (c *Component) OnLog(do func(LogLine)) { c.says = do }

// Say is a line for who OnLog has called, of something that the trace has as another event.
func (p *Proc) Say(line LogLine) {
	if p.component.says != nil {
		p.component.says(line)
	}
}

// V sets the verbosity of the lines that follow: 0 always matters, 2 is what a
// cluster logs by default, 4 and up is for whoever looks closely.
func (l Logger) V(v int) Logger { l.v = v; return l }

// WithValues adds keys and values to every line that follows.
func (l Logger) WithValues(kv ...any) Logger {
	l.kv = append(l.kv[:len(l.kv):len(l.kv)], kv...)
	return l
}

// Enabled tells whether lines are kept: what only they would show need not be
// worked out otherwise.
func (l Logger) Enabled() bool { return l.says != nil || l.kernel.recorder.Keeps(trace.Log) }

// Info logs a line.
func (l Logger) Info(message string, kv ...any) { l.log(message, false, nil, kv) }

// Error logs a failure. err may be nil.
func (l Logger) Error(err error, message string, kv ...any) { l.log(message, true, err, kv) }

func (l Logger) log(message string, failed bool, err error, kv []any) {
	if l.says != nil {
		l.says(LogLine{V: l.v, Message: message, Failed: failed, Err: err, KV: append(l.kv[:len(l.kv):len(l.kv)], kv...)})
	}
	if !l.kernel.recorder.Keeps(trace.Log) {
		return
	}
	var some [8]trace.Attr
	attrs := append(some[:0], trace.Attr{Key: "message", Value: message}, trace.Attr{Key: "v", Value: int64(l.v)})
	if failed {
		text := ""
		if err != nil {
			text = err.Error()
		}
		attrs = append(attrs, trace.Attr{Key: "error", Value: text})
	}
	attrs = trace.AppendAttrs(attrs, l.kv...)
	attrs = trace.AppendAttrs(attrs, kv...)
	l.kernel.cause = l.kernel.emit(3, trace.Log, trace.Ref{}, attrs, nil)
}
