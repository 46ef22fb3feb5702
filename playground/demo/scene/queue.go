package scene

import (
	"sort"

	"kubewalk/playground/trace"
)

// sortQueue orders a queue's keys as they will be taken; those that wait for
// their time come last.
func sortQueue(items map[string]trace.QueueItem, keys []string) {
	rank := func(q trace.QueueItem) int {
		switch {
		case q.Processing:
			return 0
		case q.Position >= 0:
			return 1
		}
		return 2
	}
	sort.SliceStable(keys, func(i, j int) bool {
		a, b := items[keys[i]], items[keys[j]]
		if rank(a) != rank(b) {
			return rank(a) < rank(b)
		}
		if a.Position != b.Position {
			return a.Position < b.Position
		}
		return a.Delayed < b.Delayed
	})
}
