package metrics

import (
	"strings"
	"time"
)

// Table holds metrics that are no resources: each of an object, or of nothing, when
// it comes from outside the cluster.
type Table struct{ rows map[row]cell }

type row struct{ kind, namespace, name, metric string }

type cell struct {
	milli int64
	at    time.Time
}

// NewTable returns an empty table.
func NewTable() *Table { return &Table{map[row]cell{}} }

// Set gives a metric a value, in thousandths. kind is "Pod", "Service" …, or "" for a
// metric from outside, which has no name.
func (t *Table) Set(kind, namespace, name, metric string, milli int64, now time.Time) {
	t.rows[row{strings.ToLower(kind), namespace, name, metric}] = cell{milli, now}
}

// Remove takes a metric away.
func (t *Table) Remove(kind, namespace, name, metric string) {
	delete(t.rows, row{strings.ToLower(kind), namespace, name, metric})
}

// Get returns a metric's value, in thousandths, and since when it has it. A Pod that
// has no row of its own has that of "*": all Pods.
func (t *Table) Get(kind, namespace, name, metric string) (milli int64, at time.Time, ok bool) {
	kind = strings.ToLower(kind)
	for _, n := range []string{name, "*"} {
		if c, ok := t.rows[row{kind, namespace, n, metric}]; ok {
			return c.milli, c.at, true
		}
	}
	return 0, time.Time{}, false
}
