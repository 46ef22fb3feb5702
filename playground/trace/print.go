package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Print writes the whole trace as text, one event a line and below it what the
// event changed:
//
//	#57 12.003456s replicaset-controller/worker-1 log ← #55 message="Too few replicas" need=8
//	    at playground/controlplane/controller/replicaset/replica_set.go:612 ← …
//	    queue replicaset-controller default/web = {"Position":-1,"Processing":true}
//
// The same run gives the same bytes on every host. Function names are left out:
// they depend on inlining.
func (r *Recorder) Print(w io.Writer) error {
	return r.PrintSome(w, 0, func(*Event) bool { return true })
}

// PrintSome writes those events that are wanted, with times that count from zero; before
// that they are negative.
func (r *Recorder) PrintSome(w io.Writer, zero time.Duration, wanted func(*Event) bool) error {
	b := bufio.NewWriter(w)
	for i := range ID(r.length) {
		if e := r.Event(i + 1); wanted(e) {
			if err := r.print(b, e, e.At-zero); err != nil {
				return err
			}
		}
	}
	return b.Flush()
}

func (r *Recorder) print(b *bufio.Writer, e *Event, at time.Duration) error {
	sign := ""
	if at < 0 {
		sign, at = "-", -at
	}
	fmt.Fprintf(b, "#%d %s%d.%06ds %s", e.ID, sign, at/1e9, at%1e9/1e3, e.Component)
	if e.Process != "" {
		b.WriteString("/" + e.Process)
	}
	b.WriteString(" " + string(e.Op))
	if e.Object != (Ref{}) {
		b.WriteString(" " + e.Object.String())
	}
	if e.Cause != 0 {
		fmt.Fprintf(b, " ← #%d", e.Cause)
	}
	for _, a := range e.Attrs {
		b.WriteString(" " + a.Key + "=")
		if s, ok := a.Value.(string); ok {
			if s == "" || strings.ContainsAny(s, " \"\n\t=") {
				s = strconv.Quote(s)
			}
			b.WriteString(s)
		} else {
			b.WriteString(String(a.Value))
		}
	}
	b.WriteByte('\n')
	for i, f := range r.stacks.frames[e.Stack] {
		if i == 0 {
			b.WriteString("    at ")
		} else {
			b.WriteString(" ← ")
		}
		b.WriteString(f.File + ":" + strconv.Itoa(f.Line))
	}
	if e.Stack != 0 {
		b.WriteByte('\n')
	}
	for _, d := range e.Deltas {
		fmt.Fprintf(b, "    %s %s %s", d.Cell.Kind, d.Cell.Owner, d.Cell.Key)
		if d.New == nil {
			b.WriteString(" gone\n")
			continue
		}
		text, err := json.Marshal(d.New)
		if err != nil {
			return fmt.Errorf("event %d: %s %s %s: %w", e.ID, d.Cell.Kind, d.Cell.Owner, d.Cell.Key, err)
		}
		b.WriteString(" = ")
		b.Write(text)
		b.WriteByte('\n')
	}
	return nil
}
