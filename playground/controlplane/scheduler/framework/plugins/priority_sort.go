package plugins

import (
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
)

// prioritySort schedules Pods of higher priority first, and among equals who
// waits longest. Upstream: plugins/queuesort/priority_sort.go.
type prioritySort struct{}

func newPrioritySort(config.Args, framework.Handle) (framework.Plugin, error) {
	return prioritySort{}, nil
}

func (prioritySort) Name() string { return PrioritySort }

// Less breaks ties of the timestamp, which upstream's nanoseconds never show,
// by who was queued first.
func (prioritySort) Less(a, b *framework.QueuedPodInfo) bool {
	if pa, pb := framework.PodPriority(a.Pod), framework.PodPriority(b.Pod); pa != pb {
		return pa > pb
	}
	if a.Timestamp != b.Timestamp {
		return a.Timestamp < b.Timestamp
	}
	return a.Sequence < b.Sequence
}
