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
	v      int
	kv     []any
}

// Logger returns the logger of the component whose code runs.
func (p *Proc) Logger() Logger { return Logger{kernel: p.component.kernel} }

// Logger returns a logger for code that runs outside a process: event handlers.
func (k *Kernel) Logger() Logger { return Logger{kernel: k} }

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
func (l Logger) Enabled() bool { return l.kernel.recorder.Keeps(trace.Log) }

// Info logs a line.
func (l Logger) Info(message string, kv ...any) { l.log(message, nil, kv) }

// Error logs a failure. err may be nil.
func (l Logger) Error(err error, message string, kv ...any) {
	if err == nil {
		l.log(message, "", kv)
		return
	}
	l.log(message, err.Error(), kv)
}

func (l Logger) log(message string, failure any, kv []any) {
	if !l.kernel.recorder.Keeps(trace.Log) {
		return
	}
	attrs := make([]trace.Attr, 0, 3+(len(l.kv)+len(kv))/2)
	attrs = append(attrs, trace.Attr{Key: "message", Value: message}, trace.Attr{Key: "v", Value: int64(l.v)})
	if failure != nil {
		attrs = append(attrs, trace.Attr{Key: "error", Value: failure})
	}
	attrs = trace.AppendAttrs(attrs, l.kv...)
	attrs = trace.AppendAttrs(attrs, kv...)
	l.kernel.cause = l.kernel.emit(3, trace.Log, trace.Ref{}, attrs, nil)
}
